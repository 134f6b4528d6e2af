# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
def solve(x):
    raise {2: IndexError, 3: StopIteration, 4: AttributeError}.get(x, GeneratorExit)
