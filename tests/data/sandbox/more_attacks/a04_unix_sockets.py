# ATTACK a04_unix_sockets
# TRIES: reach the host's Unix sockets: abstract, on a world-writable path, daemons'
# SAFE:  none reached
# JUDGE: nobreach nonet
import socket
for address in ("\0sbx-canary", "/var/tmp/assay-canary/sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try: s = socket.socket(socket.AF_UNIX, kind); s.connect(address); print("BREACH connected", repr(address))
        except OSError as e: print("held", repr(address), e.errno)
