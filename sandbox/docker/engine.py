"""``Engine``: the Docker daemon of this machine, what it offers, and what its failures mean."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from ...errors import MissingExtra, SandboxUnavailable

R = TypeVar("R")
_DEFAULT = "/var/run/docker.sock"
_SECONDS = 60.0  # for one request: a busy machine takes long to start a container
PATIENCE_SECONDS = 30.0
_PAUSE_SECONDS = 0.2
_FULL = ("no space left on device", "disk quota exceeded")


class DaemonAway(SandboxUnavailable):
    """The daemon does not answer; it may come back."""


@dataclass(frozen=True)
class Facts:
    """What a daemon says of itself.

    Attributes:
        version: Of the server.
        runtimes: The names of its container runtimes.
        remapped: Whether root in a container is another user on the host: rootless, or with user namespaces.
        unsupported: Limits that it cannot set, as text.
    """

    version: str
    runtimes: tuple[str, ...]
    remapped: bool
    unsupported: tuple[str, ...]


def socket_path() -> str:
    """Where the daemon's socket is: ``DOCKER_HOST``, else the usual place, else a rootless daemon's.

    Raises:
        SandboxUnavailable: ``DOCKER_HOST`` is no socket of this machine.
    """
    given = os.environ.get("DOCKER_HOST", "")
    if given and not given.startswith("unix://"):
        raise SandboxUnavailable(
            f"DOCKER_HOST is {given!r}; this sandbox needs a Docker daemon on this machine, since it hands open files "
            "to containers. Set DOCKER_HOST=unix:///path/to/docker.sock; or run `assay serve --sandbox docker` on the "
            "other machine, and use the remote sandbox here"
        )
    if given:
        return given.removeprefix("unix://")
    rootless = f"{os.environ.get('XDG_RUNTIME_DIR', '')}/docker.sock"
    return rootless if not os.access(_DEFAULT, os.W_OK) and os.path.exists(rootless) else _DEFAULT


def check_socket(path: str) -> None:
    """Say why nobody could be reached at a socket.

    Raises:
        DaemonAway: Nobody answers, or this user may not ask.
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5.0)
            connection.connect(path)
    except PermissionError as error:
        raise DaemonAway(
            f"this user may not use the Docker socket {path}: add it to the socket's group (on Debian and Ubuntu: "
            "usermod -aG docker USER, then log in again), run as root, or use rootless Docker and its DOCKER_HOST"
        ) from error
    except OSError as error:
        raise DaemonAway(
            f"no Docker daemon answers at {path} ({error.strerror or error}): start one (systemctl start docker), or "
            "say where it listens in DOCKER_HOST=unix:///path/to/docker.sock"
        ) from error


class Engine:
    """One daemon. Usable from many threads and after a fork; every failure of its is a ``SandboxUnavailable``.

    Args:
        patience_seconds: How long work waits in all for a daemon that went away.

    Raises:
        MissingExtra: The package ``docker`` is not installed.
        SandboxUnavailable: No daemon answers.
    """

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self.path = socket_path()
        self.patience_seconds = patience_seconds
        self._clients = threading.local()
        self._open: list[Any] = []  # every client, to be closed
        self._away_since: float | None = None
        self._version = _sdk().constants.MINIMUM_DOCKER_API_VERSION
        version = self.call("ask the daemon", lambda client: client.version(api_version=False))
        self._drop()
        self._version = min(_sdk().constants.DEFAULT_DOCKER_API_VERSION, str(version["ApiVersion"]), key=_numbers)
        self.facts = self.call("ask the daemon", lambda client: _facts(version, client.info()))

    def _client(self) -> Any:
        """This thread's client: a session with connections is not to be shared, least of all over a fork."""
        if getattr(self._clients, "owner", None) != os.getpid():
            client = _sdk().APIClient(base_url=f"unix://{self.path}", version=self._version, timeout=_SECONDS)
            self._clients.client, self._clients.owner = client, os.getpid()
            self._open.append(client)
        return self._clients.client

    def _drop(self) -> None:
        """Have this thread begin anew, on a new connection."""
        if getattr(self._clients, "owner", None) == os.getpid():
            self._clients.owner = None
            with contextlib.suppress(ValueError):
                self._open.remove(self._clients.client)
            self._clients.client.close()

    def close(self) -> None:
        """Close the connections; the next request opens a new one."""
        while self._open:
            self._open.pop().close()

    def call(self, what: str, work: Callable[[Any], R]) -> R:
        """``work`` with a client of the SDK.

        Args:
            what: What it does, as in "could not ... ", for the message.
            work: Called with a ``docker.APIClient``.

        Raises:
            DaemonAway: The daemon does not answer.
            SandboxUnavailable: It refused.
        """
        check_socket(self.path)  # says best why nobody answers
        with _translated(what, self.path):
            try:
                result = work(self._client())
            except Exception:
                self._drop()
                raise
        self._away_since = None
        return result

    def wait(self, work: Callable[[], R], over: Callable[[], bool]) -> R:
        """``work``, again and again while the daemon is away, until patience is at its end or ``over`` says so.

        All callers share the patience: it begins when the first finds the daemon away, and ends for all of them.

        Raises:
            DaemonAway: The daemon did not come back.
        """
        while True:
            try:
                return work()
            except DaemonAway:
                now = time.monotonic()
                self._away_since = self._away_since or now
                if over() or now - self._away_since >= self.patience_seconds:
                    raise
            time.sleep(_PAUSE_SECONDS)


def _sdk() -> Any:
    """The SDK, which is imported when it is needed.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import docker
    except ImportError as error:
        raise MissingExtra("docker", "docker") from error
    return docker


@contextlib.contextmanager
def _translated(what: str, path: str) -> Iterator[None]:
    """Turn what the SDK raises into ours."""
    import docker.errors
    import requests.exceptions
    import urllib3.exceptions

    gone = (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, ConnectionError, TimeoutError)
    try:
        yield
    except docker.errors.APIError as error:
        text = str(error.explanation or error).strip()
        if any(sign in text.lower() for sign in _FULL):
            text += ". The engine's disk is full: make room (`docker system prune` removes what is unused)"
        raise SandboxUnavailable(f"Docker could not {what}: {text}") from error
    except gone as error:
        raise _away(what, path, error) from error
    except docker.errors.DockerException as error:
        raise _away(what, path, error) from error


def _away(what: str, path: str, error: Exception) -> SandboxUnavailable:
    try:
        check_socket(path)
    except DaemonAway as away:
        return away
    return DaemonAway(f"Docker could not {what}: the daemon at {path} broke off ({type(error).__name__}: {error})")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _facts(version: dict[str, Any], info: dict[str, Any]) -> Facts:
    options = " ".join(info.get("SecurityOptions") or ())
    limits = {
        "MemoryLimit": "a limit on memory",
        "PidsLimit": "a limit on processes",
        "CpuCfsQuota": "a limit on processors",
    }
    return Facts(
        version=str(version.get("Version", "?")),
        runtimes=tuple(sorted(info.get("Runtimes") or ())),
        remapped="name=rootless" in options or "name=userns" in options,
        unsupported=tuple(text for key, text in limits.items() if not info.get(key, True)),
    )
