# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
class Passed(BaseException): pass
def solve(x): raise Passed("passed")
