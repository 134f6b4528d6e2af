# ATTACK a08_inodes
# TRIES: 100,000 empty files in every writable place
# SAFE:  ENOSPC at the inode limit
# JUDGE: nobreach
n = 0
for d in (".", "/tmp", "/dev/shm", "/var/tmp"):
    try:
        for i in range(100000): open(f"{d}/n{i}", "x").close(); n += 1
    except OSError as e: print(d, e)
print("BREACH" if n >= 100000 else "HELD", n)
