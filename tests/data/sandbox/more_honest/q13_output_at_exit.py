# Output that is collected and written by a handler at exit, after a thread with a deep stack has made it.
import atexit
import io
import os
import sys
import threading

sys.stdout = io.StringIO()
atexit.register(lambda: os.write(1, sys.stdout.getvalue().encode()))


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def main():
    n = int(sys.stdin.readline())
    print(depth(n))


sys.setrecursionlimit(30000)
threading.stack_size(64 * 1024 * 1024)
threading.Thread(target=main).start()
