# ATTACK a25_ignored_children
# TRIES: burn CPU time in children that the kernel buries with their times, because their parent ignores SIGCHLD
# SAFE:  the CPU limit ends it, or SIGCHLD cannot be ignored
# JUDGE: nobreach nosurvivor status!=ok
import os, signal, time
def burn(seconds):
    while time.process_time() < seconds: pass
try: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
except OSError as error: print("held", error.errno)
spent = 0.0
while spent < 8.0:
    if os.fork() == 0:
        burn(0.1); os._exit(0)
    time.sleep(0.1); spent += 0.1
print("BREACH", spent, "s of CPU time")
