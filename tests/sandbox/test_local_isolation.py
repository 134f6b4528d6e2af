"""What the local sandbox says and does where isolation is missing or broken; and its self-test."""

import os
import re
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.group import _assay
from assay.errors import SandboxUnavailable
from assay.sandbox import Limits, Program, Status
from assay.sandbox.base import PROFILES
from assay.sandbox.canaries import Canaries
from assay.sandbox.conformance import SandboxConformance, _judge
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.machine import Machine, machine
from assay.sandbox.local.sandbox import UnisolatedWarning
from assay.sandbox.local.selftest import sweep
from assay.sandbox.local.unisolated import run as run_unisolated

ATTACKS = Path(__file__).parents[1] / "data" / "sandbox" / "attacks"
isolating = pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all")


def test_without_isolation_nothing_runs_unless_asked_and_then_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Machine({"root": False, "system": "this is not Linux"}, None)
    monkeypatch.setattr("assay.sandbox.local.machine.machine", lambda: bare)
    monkeypatch.setattr("assay.sandbox.local.sandbox.machine", lambda: bare)
    with pytest.raises(SandboxUnavailable, match="this is not Linux"):
        LocalSandbox()
    for _ in range(2):
        with pytest.warns(UnisolatedWarning, match="programs run without isolation"):
            sandbox = LocalSandbox(slots=2, unsafe_allow_unisolated=True)
        with sandbox:
            assert sandbox.mode == "E"
            programs = [
                Program("print(input())", stdin=b"in\n"),
                Program("import os; os.write(3, b'private')", channel=True),
                Program("import time; time.sleep(60)"),
                Program(
                    "import sys; print(open('a/b').read()); open('out', 'w').write('o'); sys.exit(2)",
                    files={"a/b": b"f"},
                    collect=("out",),
                ),
                Program("print('x' * 10**6)"),
            ]
            limits = Limits(cpu_seconds=5, wall_seconds=2, stdout_bytes=1000)
            good, private, slow, failing, loud = sandbox.run(programs, limits)
        assert (good.status, good.stdout, good.enforced, good.missing) == (Status.OK, b"in\n", (), ("everything",))
        assert private.result == b"private"
        assert slow.status is Status.TIME_LIMIT
        assert (failing.status, failing.exit_code, failing.files) == (Status.NONZERO_EXIT, 2, {"out": b"o"})
        assert (loud.status, len(loud.stdout)) == (Status.OUTPUT_LIMIT, 1000)


def test_isolation_does_not_warn() -> None:
    if "E" in machine().modes:
        pytest.skip("this machine cannot isolate programs at all")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LocalSandbox(slots=1, unsafe_allow_unisolated=True).close()


@isolating
def test_a_self_test_that_lets_an_attack_out_refuses_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sandbox.local.selftest._ATTACKS", "print('OUT read a file of the host')\nprint('END')")
    with pytest.raises(SandboxUnavailable, match=r"\(mode .\) failed its self-test.*read a file of the host"):
        LocalSandbox(slots=1)
    monkeypatch.setattr("assay.sandbox.local.selftest._ATTACKS", "raise SystemExit(3)")
    with pytest.raises(SandboxUnavailable, match="did not run to their end"):
        LocalSandbox(slots=1)


@isolating
@pytest.mark.parametrize("profile", PROFILES)
def test_no_signal_has_a_handler_in_the_first_process_of_a_slot(profile: str) -> None:
    """The first process of a namespace ignores what comes from within, but for signals that it handles."""
    with LocalSandbox(slots=1) as sandbox:
        sandbox.run([Program("print(42)", profile=profile)])
        keepers = [slot.keeper for slot in sandbox._pool.idle() if slot.profile.name == profile]
        zygotes = [Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split() for keeper in keepers]
        statuses = [Path(f"/proc/{pid}/status").read_text() for pids in zygotes for pid in pids]
    assert len(statuses) == 1
    assert re.search(r"^SigCgt:\s*0+$", statuses[0], re.MULTILINE), statuses[0]


def test_what_a_killed_self_test_left_is_swept_after_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen(["true"])
    ended.wait()
    hours_ago = time.time() - 7200
    for name, when in (
        (f"assay-{ended.pid}-self-test-old", hours_ago),
        (f"assay-{ended.pid}-self-test-new", time.time()),
        (f"assay-{os.getpid()}-self-test-alive", hours_ago),
        ("assay-x-self-test-odd", hours_ago),
        (f"assay-{ended.pid}-other", hours_ago),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "canary").write_text("canary")
        os.utime(tmp_path / name, (when, when))
    (tmp_path / f"assay-{ended.pid}-self-test-link").symlink_to(tmp_path / f"assay-{ended.pid}-other")
    sweep()
    left = {path.name.rpartition("-")[2] for path in tmp_path.iterdir()}
    assert left == {"new", "alive", "odd", "other", "link"}
    assert all((path / "canary").exists() for path in tmp_path.iterdir())


def test_the_judge_of_attacks_is_not_blind() -> None:
    """A harmless attack that runs without isolation is seen to get out."""
    from assay.sandbox.local.job import Command
    from assay.sandbox.local.slot import protocol

    port = 20000 + os.getpid() % 10000  # on the attacks' own, other tests that run meanwhile would see it, and fail
    source = (ATTACKS / "n01_tcp_loopback.py").read_text().replace("18765", str(port))
    with Canaries(port) as canaries:
        [execution] = run_unisolated([Program(source)], [Command(protocol.PYTHON, ())], Limits(), 10)
        with pytest.raises(AssertionError):
            _judge(source, execution, canaries)
        for _ in range(60):  # its thread looks ten times in a second
            if canaries.touched:
                break
            time.sleep(0.2)
        assert canaries.touched
        honest = "# JUDGE: status=timeout"
        with pytest.raises(AssertionError):
            _judge(honest, execution, canaries)


def test_every_attack_of_the_corpus_is_run_by_the_contract(shared: Path) -> None:
    handed = {path.name: path.read_bytes() for path in (shared / "cases" / "sandbox" / "attacks").glob("*.py")}
    assert handed == {path.name: path.read_bytes() for path in ATTACKS.glob("*.py")}
    assert len(handed) >= 40
    assert hasattr(SandboxConformance, "test_no_attack_gets_through")


def test_the_doctor_tells_mode_layers_gaps_toolchains_and_docker() -> None:
    result = CliRunner().invoke(_assay, ["doctor"])
    words = result.output
    mode = machine().modes[0]
    for title in ("system", "mode", "tried", "enforced", "not covered", "toolchains", "docker"):
        assert re.search(rf"^{title}\s", words, re.MULTILINE) or (mode == "E" and title == "enforced"), title
    assert f"{mode}: " in words
    assert result.exit_code == (1 if mode == "E" else 0)


def test_the_doctors_exit_status_follows_the_mode_that_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = Machine(
        {"root": False, "seccomp": True, "landlock": 7, "root_namespaces": "no", "user_namespaces": "no"}, None
    )
    for module in ("cli.doctor_command", "sandbox.local.machine", "sandbox.local.sandbox"):
        monkeypatch.setattr(f"assay.{module}.machine", lambda: weak)
    strict = CliRunner().invoke(_assay, ["doctor", "--require", "B"])
    assert strict.exit_code == 1
    assert "D: Landlock and seccomp" in strict.output
    assert "user_namespaces: no" in strict.output
    none = Machine({"root": os.getuid() == 0, "seccomp": "no seccomp"}, None)
    for module in ("cli.doctor_command", "sandbox.local.machine", "sandbox.local.sandbox"):
        monkeypatch.setattr(f"assay.{module}.machine", lambda: none)
    refused = CliRunner().invoke(_assay, ["doctor"])
    assert refused.exit_code == 1
    assert "E: nothing" in refused.output
