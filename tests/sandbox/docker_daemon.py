"""A Docker daemon of its own for tests that kill it, and a root file system to make its image of."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from assay.errors import SandboxUnavailable
from assay.sandbox.docker.engine import Engine
from assay.sandbox.local.slot import kernel

PYTHON = Path("/usr/bin/python3")


def small_rootfs(target: Path) -> None:
    """The system's own Python with its libraries and nothing else: enough for the sandbox, and quick to import."""
    version = subprocess.run([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True)
    name = f"python{version.stdout.decode().strip()}"
    skip = shutil.ignore_patterns("__pycache__", "test", "config-*", "idlelib", "tkinter", "dist-packages")
    shutil.copytree(f"/usr/lib/{name}", target / "usr/lib" / name, ignore=skip)
    (target / "usr/bin").mkdir(parents=True)
    shutil.copy(PYTHON.resolve(), target / "usr/bin/python3")
    objects = [PYTHON.resolve(), *Path(f"/usr/lib/{name}/lib-dynload").glob("*.so")]
    linked = subprocess.run(["ldd", *map(str, objects)], capture_output=True, text=True).stdout
    for library in set(re.findall(r"(/\S+) \(0x", linked)):
        place = target / library.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, place)


class Daemon:
    """A Docker daemon whose whole disk is a small tmpfs; as on most machines, containerd is a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.disk = folder / "data"
        self.disk.mkdir()
        kernel.mount("tmpfs", str(self.disk), "tmpfs", 0, "size=400m,mode=0711")
        self.url = f"unix://{folder}/docker.sock"
        self._log = (folder / "log").open("ab")
        (folder / "containerd.toml").write_text(
            f'version = 2\nroot = "{self.disk}/containerd"\nstate = "{folder}/containerd"\n'
            f'disabled_plugins = ["io.containerd.grpc.v1.cri"]\n[grpc]\naddress = "{folder}/containerd.sock"\n'
        )
        self._containerd = self._popen("containerd", "--config", folder / "containerd.toml")
        self._dockerd: subprocess.Popen[bytes] | None = None

    def _popen(self, *command: str | Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, stdout=self._log, stderr=self._log, stdin=subprocess.DEVNULL)

    def start(self, *options: str) -> None:
        places = ("--data-root", self.disk / "docker", "--exec-root", self.folder / "exec")
        alone = ("--iptables=false", "--bridge=none", "--containerd", self.folder / "containerd.sock")
        self._dockerd = self._popen(
            "dockerd", *places, *alone, *options, "-H", self.url, "--pidfile", self.folder / "pid"
        )
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            with contextlib.suppress(SandboxUnavailable):
                Engine().close()
                return
            if self._dockerd.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError((self.folder / "log").read_text()[-2000:])

    def quit(self) -> None:
        """End it as a service manager would."""
        assert self._dockerd is not None
        self._dockerd.terminate()
        self._dockerd.wait()

    @property
    def runs(self) -> bool:
        return self._dockerd is not None and self._dockerd.poll() is None

    def kill(self) -> None:
        assert self._dockerd is not None
        self._dockerd.kill()
        self._dockerd.wait()
        (self.folder / "pid").unlink(missing_ok=True)

    def stop(self) -> None:
        for process in (self._dockerd, self._containerd):
            if process is not None and process.poll() is None:
                process.terminate()
                process.wait()
        for path in Path("/proc").glob("[0-9]*/cmdline"):  # what a killed daemon left
            with contextlib.suppress(OSError):
                if f"{self.folder}/".encode() in path.read_bytes():
                    os.kill(int(path.parent.name), signal.SIGKILL)
        mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for mount in sorted((mount for mount in mounts if mount.startswith(f"{self.folder}/")), reverse=True):
            kernel.unmount(mount)
        self._log.close()
