# ATTACK a24_locks
# TRIES: lock what others can see: files of the host, devices, by every kind of lock there is; leases and hints on them
# SAFE:  no lock can be seen or taken there; write locks on devices at most where the slot cannot make its own
# JUDGE: nobreach
import fcntl, os, struct
NAMES = ("/bin/sh", "/usr/bin/env", os.__file__, "/etc/passwd", "/dev/null", "/dev/zero")
LOCK = lambda kind: struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 0, 0)
def attempt(what, action):
    try: print("BREACH", what, action())
    except OSError as error: print("held", what, error.errno)
for name in NAMES:
    try: fd = os.open(name, os.O_RDONLY)
    except OSError as error: print("held", name, error.errno); continue
    for kind in (fcntl.LOCK_SH, fcntl.LOCK_EX): attempt(f"flock {kind} {name}", lambda: fcntl.flock(fd, kind | fcntl.LOCK_NB))
    for command in (5, 36, 37, 38): attempt(f"fcntl {command} {name}", lambda: fcntl.fcntl(fd, command, LOCK(fcntl.F_RDLCK)))
    attempt(f"write lock {name}", lambda: fcntl.fcntl(fd, fcntl.F_SETLK, LOCK(fcntl.F_WRLCK)))
    attempt(f"lease {name}", lambda: fcntl.fcntl(fd, 1024, fcntl.F_RDLCK))
    attempt(f"hint {name}", lambda: fcntl.fcntl(fd, 1036, struct.pack("Q", 2)))
    os.close(fd)
