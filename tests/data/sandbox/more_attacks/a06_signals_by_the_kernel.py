# ATTACK a06_signals_by_the_kernel
# TRIES: have the kernel signal the worker: F_SETOWN with O_ASYNC, FIOSETOWN, timers, queued signals, pidfds
# SAFE:  refused
# JUDGE: nobreach
import ctypes, fcntl, os, signal, socket, struct
a, b = socket.socketpair()
for pid in {1, os.getppid()} - {0}:
    try: fcntl.fcntl(a, 8, pid); fcntl.fcntl(a, 10, 9); fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK); print("BREACH F_SETOWN", pid)
    except OSError as e: print("held F_SETOWN", e.errno)
    try: fcntl.ioctl(a, 0x8901, struct.pack("i", pid)); print("BREACH FIOSETOWN", pid)
    except OSError as e: print("held FIOSETOWN", e.errno)
    try: signal.pidfd_send_signal(os.pidfd_open(pid), 9); print("BREACH pidfd", pid)
    except OSError as e: print("held pidfd", e.errno)
b.send(b"x")
