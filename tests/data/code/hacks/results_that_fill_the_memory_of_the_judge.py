# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
def solve(x): return [[] for _ in range(100000)]
