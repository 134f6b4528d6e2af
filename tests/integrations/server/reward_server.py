"""A reward server in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

TOKEN = "correct-horse-battery-staple"
JUDGES = Path(__file__).parent / "some_judges.py"
_SCRIPT = """
import sys
from assay.integrations.server import ServerSettings, create_app, read_judges, serve
from assay.sandbox import open_sandbox
settings = ServerSettings(port=0, **{settings!r})
app = create_app(read_judges([], {verifiers!r}), settings, sandbox=open_sandbox() if {sandbox!r} else None)
serve(app, settings, announce=lambda address: print(address, flush=True))
print("drained", flush=True)
"""


@dataclass
class Served:
    """A server that runs.

    Attributes:
        process: Its process.
        address: Where it answers.
    """

    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def resident_bytes(self) -> int:
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * 4096

    def ask(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        method = "GET" if body is None and "content" not in options else "POST"
        return httpx.request(method, self.address + path, json=body, timeout=60, trust_env=False, **options)


@contextmanager
def served(*verifiers: str, sandbox: bool = False, **settings: Any) -> Iterator[Served]:
    script = _SCRIPT.format(settings=settings, verifiers=list(verifiers), sandbox=sandbox)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield Served(process, process.stdout.readline().strip())
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def wait_until(condition: Callable[[], bool]) -> None:
    """Fails where it does not come to that within 40 seconds."""
    until = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)
