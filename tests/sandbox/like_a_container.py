"""Run a command with what an ordinary container leaves to it: `like_a_container.py SLOT_FOLDER USER COMMAND...`.

Root keeps the capabilities that Docker gives by default; namespaces, mounts and `clone3` are refused by a filter.
"""

import errno
import os
import platform
import sys

# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, MKNOD,
# AUDIT_WRITE, SETFCAP
KEPT = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}
# unshare, mount, setns, pivot_root, open_tree, move_mount, mount_setattr; of clone3 the C library must not know
REFUSED = {
    "x86_64": (272, 165, 308, 155, 428, 429, 442),
    "aarch64": (97, 40, 268, 41, 428, 429, 442),
}

CLONE3 = 435


def main(slot_folder: str, user: int, command: list[str]) -> None:
    sys.path.insert(0, slot_folder)
    from slot import bpf, kernel  # type: ignore[import-not-found]

    for capability in range(64):
        if capability not in KEPT:
            try:
                kernel.prctl(kernel.DROP_BOUNDING, capability)
            except OSError:
                break
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)
    assembler = bpf.Assembler()
    assembler.add(bpf.LOAD, 0)
    for number in REFUSED[platform.machine()]:
        assembler.add(bpf.EQUAL, number, 0, 1)
        assembler.refuse()
    assembler.add(bpf.EQUAL, CLONE3, 0, 1)
    assembler.refuse(errno.ENOSYS)
    assembler.allow()
    bpf.Filter(b"".join(assembler.code)).load()
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
