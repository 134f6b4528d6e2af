# ATTACK a12_host_files
# TRIES: read the host's files: home folders, temporary files, devices, kernel interfaces
# SAFE:  not there or refused; a file covered by the null device, an empty folder
# JUDGE: nobreach
import os, sys
NULL = os.makedev(1, 3)
for p in ("/var/tmp/assay-canary/secret.txt", "/root/.bashrc", "/root/.ssh/id_rsa", "/etc/hostname", "/etc/ssh/sshd_config", "/proc/kcore", "/proc/kmsg", "/proc/kallsyms",
          "/proc/sched_debug", "/proc/cmdline", "/proc/1/environ", "/proc/1/maps", "/proc/1/mem", "/proc/1/auxv", "/sys/kernel/notes", "/sys/class/dmi/id/sys_vendor", "/sys/fs/cgroup/cgroup.procs",
          "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/var/log/dpkg.log"):
    try:
        with open(p, "rb") as file: found, covered = file.read(16), os.fstat(file.fileno()).st_rdev == NULL
        print("held covered" if covered and not found else "BREACH", p, found)
    except OSError as e: print("held", p, e.errno)
folders = ["/root", "/home", "/srv", "/boot", "/var/log", "/var/lib", "/run", "/mnt", "/media"]
for d in ("/sys", "/sys/fs"):
    try: folders += [f"{d}/{n}" for n in os.listdir(d) if f"{d}/{n}" not in ("/sys/fs", "/sys/fs/cgroup")]
    except OSError as e: print("held", d, e.errno)
for d in folders:
    try:
        shown = (sys.prefix, sys.base_prefix, *sys.path)  # the way to the interpreter, where it lies there
        found = [n for n in os.listdir(d) if not any(p.startswith(f"{d}/{n}") for p in shown)]; print("BREACH" if found else "held empty", d, found[:3])
    except OSError as e: print("held", d, e.errno)
