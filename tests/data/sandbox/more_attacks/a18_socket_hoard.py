# ATTACK a18_socket_hoard
# TRIES: fill the kernel's memory through socket and pipe buffers
# SAFE:  bounded by the open files
# JUDGE: nobreach
import os, socket
kept, held = [], 0
try:
    while held < 1 << 30:
        a, b = socket.socketpair(); a.setblocking(False); kept += [a, b]
        try:
            a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 26)
            while True: held += a.send(b"s" * 65536)
        except BlockingIOError: pass
except OSError as e: print(e)
print("BREACH" if held >= 1 << 28 else "HELD", held >> 20, "MiB")
