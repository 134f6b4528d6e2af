"""The file system that a slot with its own mounts shows to programs, and its scratch.

::

    /usr /bin /lib ... and the interpreter's folder     read-only, as on the host
    /etc                                                a few lines of our own
    /dev                                                null, zero, full, random, urandom
    /proc                                               this slot's processes, the program's own alone visible
    /scratch/run                                        a small tmpfs: work (the working folder), tmp, shm
    /tmp /var/tmp /dev/shm                              links into it

What lies in the host's /tmp and must be seen (an interpreter) is shown aside, and linked from each fresh scratch.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat

from . import kernel

SCRATCH = "/scratch/run"
FOLDERS = ("work", "tmp", "shm")
_OWN = {"/tmp/": "tmp", "/var/tmp/": "tmp", "/dev/shm/": "shm"}  # noqa: S108 - the slot's own, with what they link to
_ASIDE = "/aside"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_ROOT_LINKS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_MOST_ENTRIES = 16  # of a folder to look at; a clean one has no more
_HIDDEN = kernel.READ_ONLY | kernel.NO_SUID | kernel.NO_DEVICES
_ETC = {
    "passwd": "root:x:0:0::/:/usr/sbin/nologin\nrunner:x:1000:1000::/scratch/run/work:/usr/sbin/nologin\n",
    "group": "root:x:0:\nrunner:x:1000:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


def build_root(binds: list[str]) -> str:
    """Make this (new) mount namespace's root; the kind of /proc that could be mounted, "" for none."""
    trees = [(path, kernel.clone_tree(path, _HIDDEN)) for path in binds if os.path.exists(path)]
    devices = [
        (f"/dev/{name}", kernel.clone_tree(f"/dev/{name}", kernel.READ_ONLY | kernel.NO_SUID | kernel.NO_EXEC))
        for name in _DEVICES  # read-only holds for times and modes; what is written to a device goes there all the same
    ]
    numbers = {name: os.stat(f"/dev/{name}").st_rdev for name in _DEVICES}
    kernel.mount(None, "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    links = {name: os.readlink(f"/{name}") for name in _ROOT_LINKS if os.path.islink(f"/{name}")}
    root = next(path for path in ("/mnt", "/tmp", "/var", "/home") if os.path.isdir(path))  # noqa: S108 - covered at once
    kernel.mount("tmpfs", root, "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, "mode=0755,size=16m,nr_inodes=4k")
    for path, tree in trees:
        _attach(root, shown_at(path), tree)
    own_devices = _make_devices(f"{root}/dev", numbers)
    for path, tree in devices:
        os.close(tree) if own_devices else _attach(root, path, tree)
    for name, target in links.items():
        os.symlink(target, f"{root}/{name}")
    _furnish(root)
    kind = _mount_proc(f"{root}/proc")
    kernel.enter_root(root)
    return kind


def shown_at(path: str) -> str:
    """Where the slot's root shows a path of the host: at its own place, or aside where that place is the slot's own."""
    return f"{_ASIDE}{path}" if path.startswith(tuple(_OWN)) else path


def links_to(binds: list[str]) -> dict[str, str]:
    """What a fresh scratch must link, so that a path shown aside is found at its own place: names below it, targets."""
    links = {}
    for path in binds:
        for place, folder in _OWN.items():
            if path.startswith(place):
                first = path.removeprefix(place).partition("/")[0]
                links[f"{folder}/{first}"] = f"{_ASIDE}{place}{first}"
    return links


def _attach(root: str, path: str, tree: int) -> None:
    target = root + path
    if os.path.isdir(f"/proc/self/fd/{tree}/"):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT, 0o644))
    kernel.attach_tree(tree, target)


def _make_devices(folder: str, numbers: dict[str, int]) -> bool:
    """Make the slot's own devices, whose locks nobody else meets; False where this needs a root that is not here."""
    os.makedirs(folder)
    try:
        kernel.mount("tmpfs", folder, "tmpfs", kernel.NO_SUID | kernel.NO_EXEC, "mode=0755,size=64k,nr_inodes=32")
        for name, number in numbers.items():
            os.mknod(f"{folder}/{name}", stat.S_IFCHR | 0o666, number)
            os.chmod(f"{folder}/{name}", 0o666)  # noqa: S103 - as everywhere
            os.close(os.open(f"{folder}/{name}", os.O_RDONLY))
    except OSError:
        with contextlib.suppress(OSError):
            kernel.unmount(folder)
        return False
    return True


def _furnish(root: str) -> None:
    for folder in ("etc", "proc", "var", "scratch/run", "headers"):
        os.makedirs(f"{root}/{folder}", exist_ok=True)
    for name, text in _ETC.items():
        with open(f"{root}/etc/{name}", "w") as file:
            file.write(text)
    os.symlink("scratch/run/tmp", f"{root}/tmp")  # noqa: S108 - the slot's own, as the next two
    os.symlink("/scratch/run/tmp", f"{root}/var/tmp")  # noqa: S108
    os.symlink("/scratch/run/shm", f"{root}/dev/shm")  # noqa: S108
    os.symlink("/proc/self/fd", f"{root}/dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{root}/dev/{name}")


def _mount_proc(target: str) -> str:
    for options in ("subset=pid,hidepid=2", "hidepid=2"):
        try:
            kernel.mount("proc", target, "proc", kernel.NO_SUID | kernel.NO_DEVICES | kernel.NO_EXEC, options)
        except OSError:
            continue
        return options
    return ""


def seal_root() -> None:
    """Make the root itself read-only."""
    flags = kernel.REMOUNT | kernel.BIND | kernel.READ_ONLY | kernel.NO_SUID
    kernel.mount(None, "/", None, flags | kernel.NO_DEVICES)
    if os.path.ismount("/dev"):
        kernel.mount(None, "/dev", None, flags | kernel.NO_EXEC)


def changed(path: str) -> int:
    """When a folder last changed in any way; 0 where it is gone."""
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return 0


def look_of(path: str) -> tuple[object, ...]:
    """What shows whether a folder is as it was: itself, when it changed, and what lies in it.

    Before Linux 6.13 times advance by milliseconds: what a quick program does may bear the time of the clean folder.
    """
    try:
        found = os.lstat(path)
        with os.scandir(path) as entries:
            first = [(entry.name, entry.inode()) for entry in itertools.islice(entries, _MOST_ENTRIES)]
    except OSError:
        return ()
    return (found.st_ctime_ns, found.st_ino, found.st_mode, *sorted(first))


class Scratch:
    """The tmpfs that a run may write to: dropped whole and replaced, never walked."""

    def __init__(self, links: dict[str, str]) -> None:
        self._links = links
        self._size: tuple[int, int] | None = None
        self._mounted = False
        self._clean: tuple[object, ...] = ()

    def prepare(self, size_bytes: int, inodes: int) -> bool:
        """Have an empty scratch of this size; whether it is a new one. Nothing is done where it was not touched."""
        if self._size == (size_bytes, inodes):
            return False
        if self._mounted:
            kernel.unmount(SCRATCH)
            self._mounted = False
        self._size = None
        options = f"mode=0755,size={size_bytes},nr_inodes={inodes + len(FOLDERS) + len(self._links) + 1}"
        kernel.mount("tmpfs", SCRATCH, "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, options)
        self._mounted = True
        previous = os.umask(0)
        for name in FOLDERS:
            os.mkdir(f"{SCRATCH}/{name}", 0o1777)
        os.umask(previous)
        for name, target in self._links.items():
            os.symlink(target, f"{SCRATCH}/{name}")
        self._clean = self._state()
        self._size = (size_bytes, inodes)
        return True

    def _state(self) -> tuple[object, ...]:
        """Free blocks and inodes, and the look of each folder; a run may have removed one."""
        free = os.statvfs(SCRATCH)
        return (free.f_bfree, free.f_ffree, *(look_of(f"{SCRATCH}/{name}") for name in ("", *FOLDERS)))

    def inspect(self) -> bool:
        """Whether the scratch is full; one that a run changed in any way is replaced by the next ``prepare``."""
        state = self._state()
        if state != self._clean:
            self._size = None
        return state[0] == 0 or state[1] == 0
