# ATTACK a20_slot_of_the_worker
# TRIES: find the worker's own modules, objects, sockets and configuration in the interpreter it was copied from
# SAFE:  no descriptor and no job data is there
# JUDGE: nobreach
import gc, os, socket, sys
print([name for name in sys.modules if "assay" in name or "slot" in name or "zygote" in name])
for o in gc.get_objects():
    try:
        if isinstance(o, socket.socket) and o.fileno() >= 0: os.fstat(o.fileno()); print("BREACH socket", o)
    except OSError: print("held socket is closed")
    except Exception: pass
for n in ("SBX_SECRET", "topsecret", "PYTHONPATH", "VIRTUAL_ENV"):
    if any(n in k or n in v for k, v in os.environ.items()): print("BREACH environment", n)
