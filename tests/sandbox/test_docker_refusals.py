"""What the Docker sandbox says where the engine, the image or the SDK is not to be had."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.group import _assay
from assay.errors import InputError, MissingExtra, SandboxUnavailable
from assay.sandbox.docker import DockerSandbox, engine
from assay.sandbox.docker.conformance import need_engine


def test_a_missing_image_or_runtime_is_refused_with_what_to_do() -> None:
    need_engine()
    with pytest.raises(SandboxUnavailable, match=r"has no image 'assay-no-such': docker pull assay-no-such fetches it"):
        DockerSandbox(image="assay-no-such")
    with pytest.raises(
        SandboxUnavailable, match=r"has no runtime 'kata'; it has .*runc.*daemon\.json, or leave runtime"
    ):
        DockerSandbox(runtime="kata")
    with pytest.raises(InputError, match="slots is 0; expected a whole number of at least 1"):
        DockerSandbox(0)


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("unix:///no/such.sock", r"no Docker daemon answers at /no/such\.sock \(No such file.*systemctl start docker"),
        (
            "tcp://10.0.0.1:2375",
            r"DOCKER_HOST is 'tcp://10\.0\.0\.1:2375'; this sandbox needs.*Set DOCKER_HOST=unix:///path",
        ),
    ],
)
def test_an_absent_daemon_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch, host: str, message: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(SandboxUnavailable, match=message):
        DockerSandbox()
    result = CliRunner().invoke(_assay, ["doctor"])
    assert re.search(rf"^docker\s+{message}", result.output, re.MULTILINE)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_socket_that_this_user_may_not_use_is_told_with_what_to_do(tmp_path: Path) -> None:
    folder = Path("/tmp", f"assay-socket-{os.getpid()}")
    folder.mkdir(mode=0o755)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{folder}/docker.sock")
            os.chmod(f"{folder}/docker.sock", 0o600)
            listener.listen()
            code = (
                "import os, sys\n"
                "from assay.sandbox.docker.engine import check_socket\n"
                "os.setuid(65534)\n"
                f"try: check_socket('{folder}/docker.sock')\n"
                "except Exception as error: print(type(error).__name__, error)\n"
            )
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert f"DaemonAway this user may not use the Docker socket {folder}/docker.sock: add it to" in done.stdout
    finally:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def test_a_rootless_daemons_socket_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(engine, "_DEFAULT", str(tmp_path / "absent.sock"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert engine.socket_path() == str(tmp_path / "absent.sock")
    (tmp_path / "docker.sock").touch()
    assert engine.socket_path() == str(tmp_path / "docker.sock")


def test_without_the_sdk_the_pip_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(MissingExtra, match=re.escape("'docker' is not installed. Install it with: pip install")):
        DockerSandbox()
