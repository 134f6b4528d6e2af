# ATTACK a01_compat_calls
# TRIES: system calls through the 32-bit gate (int 0x80) and the x32 table
# SAFE:  killed or ENOSYS
# JUDGE: nobreach
import ctypes, mmap, os, platform
l = ctypes.CDLL(None, use_errno=True); l.syscall.restype = ctypes.c_long
if platform.machine() == "x86_64":
    r = l.syscall(0x40000000 | 39); print("BREACH x32" if r >= 0 else "held x32", r, flush=True)
    m = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
    m.write(bytes.fromhex("b814000000cd80c3"))          # mov eax, 20 (getpid); int 0x80; ret
    f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
    print("trying", flush=True)
    r = f(); print("BREACH int80" if r > 0 else "held int80", r, flush=True)
