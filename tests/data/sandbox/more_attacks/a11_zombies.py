# ATTACK a11_zombies
# TRIES: leave thousands of dead children for the worker to bury
# SAFE:  the process limit holds, all are reaped
# JUDGE: nobreach nosurvivor count<=128
import os
n = 0
try:
    for _ in range(3000):
        if os.fork() == 0: os._exit(0)
        n += 1
except OSError: pass
print("COUNT", n)
