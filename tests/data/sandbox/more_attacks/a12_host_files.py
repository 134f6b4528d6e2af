# ATTACK a12_host_files
# TRIES: read the host's files: home folders, temporary files, devices, kernel interfaces
# SAFE:  not there or refused
# JUDGE: nobreach
import os
for p in ("/var/tmp/assay-canary/secret.txt", "/root/.bashrc", "/root/.ssh/id_rsa", "/etc/hostname", "/etc/ssh/sshd_config", "/proc/kcore", "/proc/kmsg", "/proc/kallsyms",
          "/proc/sched_debug", "/proc/cmdline", "/proc/1/environ", "/proc/1/maps", "/sys/kernel/notes", "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/var/log/dpkg.log"):
    try: print("BREACH", p, open(p, "rb").read(16))
    except OSError as e: print("held", p, e.errno)
for d in ("/root", "/home", "/srv", "/boot", "/var/log", "/var/lib", "/run", "/sys", "/mnt", "/media"):
    try:
        found = os.listdir(d); print("BREACH" if found else "held empty", d, found[:3])
    except OSError as e: print("held", d, e.errno)
