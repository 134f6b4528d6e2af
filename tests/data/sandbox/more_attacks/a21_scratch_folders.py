# ATTACK a21_scratch_folders
# TRIES: remove, rename, lock and replace the folders that the worker looks after, so that it fails instead of the program
# SAFE:  the failure is the program's, the next run has its folders
# JUDGE: nobreach status!=ok
import os
here = os.getcwd(); top = os.path.dirname(here)
for name in ("work", "tmp", "shm"):
    path = f"{top}/{name}"
    for attack in (lambda: os.chmod(path, 0), lambda: os.rename(path, path + "-old"), lambda: os.rmdir(path), lambda: os.symlink("/", path), lambda: os.mkdir(f"{top}/more-{name}")):
        try: attack(); print("seen", path, flush=True)
        except OSError as e: print("held", path, e.errno, flush=True)
try: os.chmod(top, 0)
except OSError as e: print("held", e.errno)
raise SystemExit(3)
