# ATTACK a29_times_of_devices
# TRIES: leave a time on a device that everybody may write to, for a later run to read
# SAFE:  refused
# JUDGE: nobreach
import os
for name in ("null", "zero", "full", "random", "urandom"):
    for way in (lambda path: os.utime(path), lambda path: os.utime(os.open(path, os.O_RDONLY)), lambda path: os.utime(path, follow_symlinks=False)):
        try: way(f"/dev/{name}"); print("BREACH", name)
        except OSError as error: print("held", name, error.errno)
