# ATTACK a15_stdio_tricks
# TRIES: make the output unreadable or endless: seals, holes, a huge offset, a truncation
# SAFE:  bounded, and the next run has an output of its own
# JUDGE: nobreach outmax
import fcntl, os
print("first", flush=True)
for seal in (1, 2, 4, 8):
    try: fcntl.fcntl(1, 1033, seal); print("seen seal", seal, flush=True)
    except OSError as e: print("held seal", e.errno, flush=True)
for attack in (lambda: os.ftruncate(1, 1 << 40), lambda: os.pwrite(1, b"x", 1 << 40), lambda: os.truncate("/proc/self/fd/1", 1 << 40), lambda: os.posix_fallocate(1, 0, 1 << 36)):
    try: attack(); print("BREACH grew to", os.fstat(1).st_size, flush=True)
    except OSError as e: print("held", e.errno, flush=True)
