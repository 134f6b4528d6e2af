# ATTACK a10_stopped
# TRIES: stop itself, and children, so that nobody ever ends
# SAFE:  wall limit
# JUDGE: status=timeout
import os, signal
try:
    if os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)
except OSError: pass
os.kill(os.getpid(), signal.SIGSTOP)
while True: signal.pause()
