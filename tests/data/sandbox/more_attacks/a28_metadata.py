# ATTACK a28_metadata
# TRIES: lock the slot out of its own folders; change times, modes and lengths of what lies on the host, for a later run to read
# SAFE:  refused, or only what is replaced before the next run
# JUDGE: nobreach
import os, sys
DEVICES = [f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom")]
HOST = [os.__file__, sys.executable, "/usr", "/etc"]
def attempt(what, path, attack):
    try: attack(); print("BREACH", what, path)
    except OSError as error: print("held", what, path, error.errno)
for path in HOST + DEVICES:
    look = os.stat(path)
    if path in HOST: attempt("times, now", path, lambda: os.utime(path))  # of devices: the next attack
    attempt("times", path, lambda: os.utime(path, ns=(look.st_atime_ns, look.st_mtime_ns)))
    attempt("mode", path, lambda: os.chmod(path, look.st_mode & 0o7777))
    attempt("owner", path, lambda: os.chown(path, -1, os.getgid()))
    attempt("length", path, lambda: os.truncate(path, look.st_size))
    attempt("attribute", path, lambda: os.setxattr(path, "user.x", b"x"))
    try: fd = os.open(path, os.O_RDONLY)
    except OSError: continue
    if path in HOST: attempt("times by descriptor", path, lambda: os.utime(fd))
    attempt("mode by descriptor", path, lambda: os.fchmod(fd, look.st_mode & 0o7777))
    attempt("length when opened", path, lambda: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)) if look.st_size else open("/none"))
for path in ("../../..", "../..", "..", ".", os.environ["TMPDIR"], "/dev/shm"):
    try: os.chmod(path, 0); print("did", path)
    except OSError as error: print("held", path, error.errno)
