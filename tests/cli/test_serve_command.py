"""``assay serve``: what it refuses before it listens, and that it serves until it is told to stop."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from assay.cli.serve_command import command
from assay.errors import AssayError, MissingExtra

JUDGES = Path(__file__).parent / "some_judges.py"
TOKEN = "correct-horse-battery-staple"
BATCH = {"judge": "math", "completions": ["4"], "references": ["4"]}
App = Callable[..., Any]


def test_the_command_refuses_what_is_unsafe_or_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_TOKEN", raising=False)
    empty = tmp_path / "token"
    empty.write_text("\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, message in (
            (("--verifier", "math", "--host", "0.0.0.0"), "refusing to listen on '0.0.0.0' without a token"),
            (("--verifier", "math", "--token-file", str(empty)), "is empty; put a token of at least 16 characters"),
            (("--verifier", "math", "--token-file", str(tmp_path / "no")), "the token cannot be read from"),
            (("--verifier", "math", "--port", port), f"cannot listen on 127.0.0.1:{port}: Address already in use"),
            ((), "there is nothing to serve"),
        ):
            done = CliRunner().invoke(command, arguments)
            assert isinstance(done.exception, AssayError), done
            assert message in str(done.exception)


def test_the_command_names_the_extra_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli.serve_command.find_spec", lambda package: None)
    done = CliRunner().invoke(command, ["--verifier", "math"])
    assert isinstance(done.exception, MissingExtra)
    assert str(done.exception) == "'fastapi' is not installed. Install it with: pip install 'assay[server]'"


def test_the_command_serves_with_the_token_of_the_environment_and_ends_on_sigterm() -> None:
    started = subprocess.Popen(
        [sys.executable, "-m", "assay", "serve", "--verifier", "math", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"ASSAY_TOKEN": TOKEN},
    )
    assert started.stdout is not None
    line = started.stdout.readline()
    try:
        assert line.startswith("assay serves math on http://127.0.0.1:")
        assert "(the token is asked for)" in line
        address = line.split(" on ")[1].split()[0]
        assert httpx.post(f"{address}/verify", json=BATCH, trust_env=False).status_code == 401
        reply = httpx.post(
            f"{address}/verify", json=BATCH, headers={"Authorization": f"Bearer {TOKEN}"}, trust_env=False
        )
        assert reply.json()["results"][0]["score"] == 1.0
    finally:
        started.terminate()
        assert started.wait(timeout=20) == 0
        started.stdout.close()
