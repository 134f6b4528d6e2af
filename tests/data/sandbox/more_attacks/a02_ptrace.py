# ATTACK a02_ptrace
# TRIES: trace the parent, pid 1, a child
# SAFE:  refused
# JUDGE: nobreach
import ctypes, os
l = ctypes.CDLL(None, use_errno=True)
for pid in {1, os.getppid(), os.getpid() - 1}:
    for request in (16, 0x4206):                        # ATTACH, SEIZE
        print("BREACH" if l.ptrace(request, pid, 0, 0) >= 0 else "held", pid, ctypes.get_errno())
print("BREACH TRACEME" if l.ptrace(0, 0, 0, 0) >= 0 else "held TRACEME")
