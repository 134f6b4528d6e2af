# ATTACK a22_process_names
# TRIES: process names that break whoever reads /proc: bytes that are no text, brackets, line ends
# SAFE:  killed at the CPU limit like any other
# JUDGE: status=timeout
import ctypes, os
l = ctypes.CDLL(None)
for name in (b"\xff\xfe\x80", b") R 1 1 1", b"a\nb\n", b"((((", b""):
    try: pid = os.fork()
    except OSError: pid = 0
    if pid == 0:
        l.prctl(15, name, 0, 0, 0)
        while True: pass
while True: pass
