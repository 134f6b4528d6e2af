"""Precompiled headers: each slot that compiles C++ makes its own, so that nothing lies on the host's disk."""

from __future__ import annotations

import os

from . import kernel

_SIZE = "size=400m,nr_inodes=64,mode=0755"


def fill(folders: dict[str, list[str]], *, own_mount: bool) -> None:
    """Make each folder and run the command that fills it; without what it makes, compiling is only slower.

    Args:
        folders: Folders by path, each with a command.
        own_mount: Whether a folder is a mount of this slot, made read-only afterwards.
    """
    import subprocess  # here alone: what a slot has loaded, every run inherits

    for folder, command in folders.items():
        if own_mount:
            kernel.mount("tmpfs", folder, "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, _SIZE)
        os.makedirs(f"{folder}/bits", exist_ok=True)
        subprocess.run(  # noqa: S603 - our own words
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "TMPDIR": folder},
            check=False,
        )
        if own_mount:
            flags = kernel.REMOUNT | kernel.READ_ONLY | kernel.NO_SUID | kernel.NO_DEVICES
            kernel.mount(None, folder, None, flags)
