# ATTACK a23_pretend_our_failure
# TRIES: look like a failure of the sandbox: its exit code, its words on every descriptor, death at once, a dead parent
# SAFE:  a failure of the program
# JUDGE: status!=ok
import os, signal
for fd in range(0, 64):
    try: os.write(fd, b"OSError: the run could not be set up\n")
    except OSError: pass
for s in (signal.SIGKILL, signal.SIGTERM):
    try: os.kill(os.getppid(), s)
    except OSError: pass
os._exit(125)
