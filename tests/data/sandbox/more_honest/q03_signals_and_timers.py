# HONEST q03_signals_and_timers: alarm, handlers, own signals
import os, signal, time
class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGALRM, late); signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    while True: time.sleep(1)
except Late: print("alarm")
signal.signal(signal.SIGUSR1, lambda n, _: print("caught", n)); os.kill(os.getpid(), signal.SIGUSR1)
