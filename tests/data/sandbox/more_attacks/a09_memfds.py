# ATTACK a09_memfds
# TRIES: hold memory where a limit on address space does not look: memory files, then shared mappings
# SAFE:  refused, or well under 1 GiB
# JUDGE: nobreach
import mmap, os
held = 0
try:
    while held < 1024:
        fd = os.memfd_create("m"); os.write(fd, b"m" * (8 << 20)); held += 8
except OSError as e: print("held", e)
keep = []
try:
    while held < 1024:
        m = mmap.mmap(-1, 8 << 20); m.write(b"s" * (8 << 20)); keep.append(m); held += 8
except (OSError, ValueError, MemoryError) as e: print("held", e)
print("BREACH" if held >= 1024 else "HELD", held, "MiB")
