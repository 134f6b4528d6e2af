# HONEST q07_pipes_and_fork: fork, pipe, wait
import os
r, w = os.pipe()
pid = os.fork()
if pid == 0: os.write(w, b"hi"); os._exit(3)
print("child says", os.read(r, 2).decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
