# ATTACK a14_identities
# TRIES: become another user, gain capabilities, map identities
# SAFE:  refused, no capability
# JUDGE: nobreach
import ctypes, os
l = ctypes.CDLL(None, use_errno=True)
me = os.getresuid()
for name, f in (("setuid", lambda: os.setuid(1)), ("setresuid", lambda: os.setresuid(0, 0, 1)), ("setgid", lambda: os.setgid(1)), ("setgroups", lambda: os.setgroups([0])), ("setreuid", lambda: os.setreuid(1, 1))):
    try: f(); print("BREACH", name, os.getresuid())
    except OSError as e: print("held", name, e.errno)
try:
    caps = [line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd"))]
    print("BREACH" if any(int(c, 16) for c in caps[:3]) else "held", caps)
except OSError as e: print("held", e)
for p in ("uid_map", "gid_map", "setgroups", "oom_score_adj", "coredump_filter"):
    try: open(f"/proc/self/{p}", "w").write("0 0 1"); print("BREACH wrote", p)
    except (OSError, ValueError) as e: print("held", p)
