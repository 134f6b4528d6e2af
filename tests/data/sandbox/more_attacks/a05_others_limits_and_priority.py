# ATTACK a05_others_limits_and_priority
# TRIES: change limits, scheduling and priority of the worker, which may have the same user id
# SAFE:  refused; the next run is as fast and as free as before
# JUDGE: nobreach
import ctypes, os, resource
for pid in {1, os.getppid()} - {0}:
    for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
        try: resource.prlimit(pid, which, (1, 1)); print("BREACH prlimit", pid, which)
        except (OSError, ValueError) as e: print("held", pid, which, e)
    for name, attack in (("affinity", lambda: os.sched_setaffinity(pid, {0})), ("scheduler", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))),
                         ("priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19)), ("user", lambda: os.setpriority(os.PRIO_USER, 0, 19))):
        try: attack(); print("BREACH", name, pid)
        except OSError as e: print("held", name, pid, e.errno)
