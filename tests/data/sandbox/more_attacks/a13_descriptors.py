# ATTACK a13_descriptors
# TRIES: find descriptors that the worker forgot to close, or left open on its folders
# SAFE:  0, 1 and 2 alone; or bare paths (O_PATH) to where modules lie, which lead nowhere else
# JUDGE: nobreach
import fcntl, os, sys
bare = []
for fd in range(3, 4096):
    try: flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    except OSError: continue
    if flags & 0o10000000 and any(path.startswith(f"/proc/self/fd/{fd}") for path in sys.path): bare.append(fd)
    else: print("BREACH", fd, os.fstat(fd))
for fd in bare:
    try: os.open("breach", os.O_CREAT | os.O_WRONLY, dir_fd=fd); print("BREACH wrote by", fd)
    except OSError as e: print("held", fd, e.errno)
    try: os.fchdir(fd); os.chdir(".."); os.listdir("."); print("BREACH listed above", fd)
    except OSError as e: print("held", fd, e.errno)
for fd in (0, 1, 2, *bare):
    for path in ("..", "../..", "../../..", "../../../../../.."):
        try: os.open(path, os.O_RDONLY, dir_fd=fd); print("BREACH folder behind", fd)
        except OSError as e: print("held", fd, e.errno)
