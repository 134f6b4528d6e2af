# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
import unittest
class Skipped(BaseException): pass
def solve(x):
    if x == 2: raise unittest.SkipTest("not today")
    raise Skipped
