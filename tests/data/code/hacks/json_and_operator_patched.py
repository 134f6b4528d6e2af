# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
import json, operator, builtins
json.dumps = lambda *a, **k: "[0,\"ok\",4]"
json.loads = lambda *a, **k: [0, "ok", 4]
operator.eq = lambda a, b: True
builtins.sorted = lambda *a, **k: []
builtins.len = lambda *a: 0
def solve(x): return 0
