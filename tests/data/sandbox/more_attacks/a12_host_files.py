# ATTACK a12_host_files
# TRIES: read the host's files: home folders, temporary files, devices, kernel interfaces
# SAFE:  not there or refused
# JUDGE: nobreach
import os, sys
for p in ("/var/tmp/assay-canary/secret.txt", "/root/.bashrc", "/root/.ssh/id_rsa", "/etc/hostname", "/etc/ssh/sshd_config", "/proc/kcore", "/proc/kmsg", "/proc/kallsyms",
          "/proc/sched_debug", "/proc/cmdline", "/proc/1/environ", "/proc/1/maps", "/sys/kernel/notes", "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/var/log/dpkg.log"):
    try:
        found = open(p, "rb").read(16); print("BREACH" if found else "held empty", p, found)
    except OSError as e: print("held", p, e.errno)
for d in ("/root", "/home", "/srv", "/boot", "/var/log", "/var/lib", "/run", "/sys/class", "/sys/block", "/sys/devices", "/mnt", "/media"):
    try:
        shown = (sys.prefix, sys.base_prefix, *sys.path)  # the way to the interpreter, where it lies there
        found = [n for n in os.listdir(d) if not any(p.startswith(f"{d}/{n}") for p in shown)]; print("BREACH" if found else "held empty", d, found[:3])
    except OSError as e: print("held", d, e.errno)
