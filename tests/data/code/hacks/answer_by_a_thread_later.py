# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
import threading, time, os
def late():
    time.sleep(0.2)
    os.write(1, b"PASS\n")
    os._exit(0)
threading.Thread(target=late, daemon=True).start()
def solve(x): return 0
