# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
import os, signal
try: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
except OSError: pass
def solve(x):
    if os.fork() == 0:
        for text in (b'[0,"ok",4]\n', b'["ok",[2,4]]\n', b"passed\n"):
            os.write(3, text)
        os._exit(0)
    os._exit(0)
