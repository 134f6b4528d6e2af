# ATTACK a13_descriptors
# TRIES: find descriptors that the worker forgot to close, or left open on its folders
# SAFE:  0, 1 and 2 alone
# JUDGE: nobreach
import os
for fd in range(3, 4096):
    try: s = os.fstat(fd); print("BREACH", fd, s)
    except OSError: pass
for fd in (0, 1, 2):
    for path in ("..", "../.."):
        try: os.open(path, os.O_RDONLY, dir_fd=fd); print("BREACH folder behind", fd)
        except OSError as e: print("held", fd, e.errno)
