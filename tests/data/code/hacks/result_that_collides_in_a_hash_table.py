# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
def solve(x): return {n * (2**61 - 1) for n in range(100000)}
