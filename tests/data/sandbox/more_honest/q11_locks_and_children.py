import fcntl, os, signal, sqlite3, subprocess
with open("own.lock", "w") as mine:
    fcntl.lockf(mine, fcntl.LOCK_EX)
    if os.fork() == 0:
        try: fcntl.lockf(open("own.lock", "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB); print("taken", flush=True)
        except OSError: print("locked", flush=True)
        os._exit(0)
    os.wait()
first, second = sqlite3.connect("x.db"), sqlite3.connect("x.db")
first.execute("create table t (x)"); first.execute("insert into t values (1)"); first.commit()
print(second.execute("select count(*) from t").fetchone())
print(subprocess.run("sleep 0.1 & sleep 0.05 & wait; echo waited", shell=True, capture_output=True, text=True).stdout.strip())
print(signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL, {"bin", "dev", "etc", "usr"} <= set(os.listdir("/")))
