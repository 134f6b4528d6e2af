# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
class I(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __sub__(self, other): return 0
    def __int__(self): return 4
    def __index__(self): return 4
    def __iter__(self): return iter([4])
def solve(x): return I(0)
