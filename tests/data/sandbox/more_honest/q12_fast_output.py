# Input and output of one's own, as templates for contests have it: what flushes needs a global name at the very end.
import os
import sys
from io import BytesIO, IOBase


class FastFile(IOBase):
    def __init__(self, file):
        self.number = file.fileno()
        self.held = BytesIO()
        self.lines = 0

    def write(self, text):
        return self.held.write(text.encode("ascii"))

    def readline(self):
        while self.lines == 0:
            part = os.read(self.number, 4096)
            self.lines = part.count(b"\n") + (not part)
            at = self.held.tell()
            self.held.seek(0, 2)
            self.held.write(part)
            self.held.seek(at)
        self.lines -= 1
        return self.held.readline().decode("ascii")

    def flush(self):
        if self.number:
            os.write(self.number, self.held.getvalue())
            self.held.truncate(0)
            self.held.seek(0)


sys.stdin, sys.stdout = FastFile(sys.stdin), FastFile(sys.stdout)
input = lambda: sys.stdin.readline().rstrip("\r\n")


def main():
    int(input())
    values = [int(word) for word in input().split()]
    print(sum(values))
    print("%.2f" % (sum(values) / len(values)))


if __name__ == "__main__":
    main()
