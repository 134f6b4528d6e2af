# ATTACK a03_keyrings
# TRIES: leave a key in the user's keyring for the next run, read what is there
# SAFE:  refused
# JUDGE: nobreach
import ctypes, errno
l = ctypes.CDLL(None, use_errno=True); l.syscall.restype = ctypes.c_long
for name, nr, args in (("add_key", 248, (b"user", b"leak", b"x", 1, -4)), ("request_key", 249, (b"user", b"leak", None, -4)), ("keyctl", 250, (0, -4, 1))):
    r = l.syscall(nr, *args); e = ctypes.get_errno()
    print("BREACH" if r >= 0 or e not in (errno.EPERM, errno.ENOSYS, errno.EACCES) else "held", name, r, e)
