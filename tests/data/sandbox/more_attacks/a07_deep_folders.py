# ATTACK a07_deep_folders
# TRIES: 20,000 nested folders, so that cleaning up takes for ever
# SAFE:  the worker answers at once
# JUDGE: nobreach
import os
n = 0
try:
    for n in range(20000): os.mkdir("d"); os.chdir("d")
except OSError as e: print(e)
print(n, "deep")
