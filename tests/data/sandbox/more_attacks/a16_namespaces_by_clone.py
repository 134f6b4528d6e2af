# ATTACK a16_namespaces_by_clone
# TRIES: new namespaces through clone and clone3
# SAFE:  refused
# JUDGE: nobreach
import ctypes, os, platform, struct
l = ctypes.CDLL(None, use_errno=True); l.syscall.restype = ctypes.c_long
nr = 56 if platform.machine() == "x86_64" else 220
for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x4000000, 0x8000000, 0x2000000):
    r = l.syscall(nr, flag | 17, 0, 0, 0, 0)
    if r == 0: os._exit(0)
    print("BREACH clone" if r > 0 else "held clone", hex(flag), ctypes.get_errno(), flush=True)
b = ctypes.create_string_buffer(struct.pack("8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)
r = l.syscall(435, b, 64)
if r == 0: os._exit(0)
print("BREACH clone3" if r > 0 else "held clone3", ctypes.get_errno())
