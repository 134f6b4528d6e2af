"""A service with SandboxFusion's interface, written after its source: real HTTP, real subprocesses, no isolation.

What it does with a Python program is what ``sandbox/runners/base.py`` and ``major.py`` of bytedance/SandboxFusion do:
a file in a temporary folder, ``python FILE`` in a session of its own with pipes, the first MiB of each output, text
decoded or replaced by a ``[DecodeError]``. Faults can be put before it, one for each request.
"""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from assay.sandbox import Execution, Limits, Program
from assay.sandbox.remote import RemoteSandbox

LIMITS = Limits(cpu_seconds=5, wall_seconds=30)  # what the tests of the remote sandbox run under
Fault = Callable[["Handler"], bool]  # whether it answered


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    double: Double

    def setup(self) -> None:
        super().setup()
        self.double.connections += 1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        double = self.double
        with double.lock:
            double.requests.append((self.path, body, dict(self.headers)))
            double.running += 1
            double.most = max(double.most, double.running)
            fault = double.faults.pop(0) if double.faults else None
        try:
            if fault is None or not fault(self):
                self.reply(200, double.answer(body))
        finally:
            with double.lock:
                double.running -= 1

    def reply(self, status: int, body: Any, **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that went away are part of the tests."""


class Double:
    """The service. ``answer`` may be replaced by anything that makes a reply from a request."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.faults: list[Fault] = []
        self.connections = self.running = self.most = 0
        self.lock = threading.Lock()
        self.answer: Callable[[dict[str, Any]], Any] = run_code
        handler = type("Bound", (Handler,), {"double": self})
        self.http = Server(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


def run_code(body: dict[str, Any]) -> dict[str, Any]:
    """Run a Python program."""
    assert body["language"] == "python"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name, content in body["files"].items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(content))
        program = Path(folder, "tmp_program.py")
        program.write_text(body["code"])
        result = _command([sys.executable, str(program)], folder, (body["stdin"] or "").encode(), body["run_timeout"])
        files = {}
        for name in body["fetch_files"]:
            path = Path(folder, name)
            if path.is_file():
                files[name] = base64.b64encode(path.read_bytes()).decode()
    status = "Success" if result["status"] == "Finished" and result["return_code"] == 0 else "Failed"
    return {"status": status, "message": "", "compile_result": None, "run_result": result, "files": files}


def _command(command: list[str], folder: str, stdin: bytes, seconds: float) -> dict[str, Any]:
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    late = False
    try:
        stdout, stderr = process.communicate(stdin, timeout=seconds)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
    return {
        "status": "TimeLimitExceeded" if late else "Finished",
        "execution_time": time.monotonic() - started,
        "return_code": None if late else process.returncode,
        "stdout": _text(stdout),
        "stderr": _text(stderr),
    }


def _text(content: bytes) -> str:
    try:
        return content[: 1 << 20].decode()
    except UnicodeDecodeError as error:
        return f"[DecodeError] {error}"


def reply(run_result: Any, compile_result: Any = None, status: str = "Failed", message: str = "") -> dict[str, Any]:
    whole = {"status": status, "message": message, "compile_result": compile_result, "run_result": run_result}
    return whole | {"executor_pod_name": None, "files": {}}


def result(status: str = "Finished", code: int | None = 0, out: Any = "", error: str = "") -> dict[str, Any]:
    return {"status": status, "execution_time": 0.25, "return_code": code, "stdout": out, "stderr": error}


OK_REPORT = (
    b'{"exit": 0, "signal": null, "killed": "", "cpu": 0, "wall": 0, "peak": 0, "files": {},'
    b' "outputs": [["", false], ["", false], ["", false]]}'
)


def forging(body: dict[str, Any], report: bytes) -> dict[str, Any]:
    """What comes back where a program could write in its watcher's name."""
    token = re.search(r'\{"token": "(\w+)"', body["stdin"])
    assert token is not None
    text = f"{token[1]} ready\n{token[1]} ".encode() + report + b"\n"
    result = {"status": "Finished", "execution_time": 0.1, "return_code": 0, "stdout": text.decode(), "stderr": ""}
    return {"status": "Success", "message": "", "run_result": result, "files": {}}


def fail_once(status: int, **headers: str) -> Any:
    def fault(handler: Handler) -> bool:
        handler.reply(status, {"error": "not now"}, **headers)
        return True

    return fault


def hang_up(handler: Handler) -> bool:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)
    return True


def run(sandbox: RemoteSandbox, source: str, limits: Limits = LIMITS, **parts: Any) -> Execution:
    """One program through the remote sandbox."""
    [execution] = sandbox.run([Program(source, **parts)], limits)
    return execution
