"""The Docker sandbox's own promises, beyond the contract: flags, filter, images, labels, messages."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.group import _assay
from assay.errors import AssayError, InputError, MissingExtra, SandboxUnavailable
from assay.sandbox import Limits, Program, Status, open_sandbox
from assay.sandbox.docker import DockerSandbox, engine, images, owners
from assay.sandbox.docker.conformance import need_engine
from assay.sandbox.docker.hardening import Kind
from assay.sandbox.docker.seccomp import profile
from assay.sandbox.local.slot import seccomp


@pytest.fixture(scope="module")
def sandbox() -> Iterator[DockerSandbox]:
    need_engine()
    with DockerSandbox(slots=2) as sandbox:
        yield sandbox


def test_it_is_a_backend_by_name() -> None:
    need_engine()
    with open_sandbox("docker", slots=1) as sandbox:
        [execution] = sandbox.run([Program("print(6*7)")])
    assert (execution.status, execution.stdout, execution.backend) == (Status.OK, b"42\n", "docker")
    assert {"container", "namespaces", "read-only root", "seccomp"} <= set(execution.enforced)


def test_every_container_has_the_flags_of_the_guide(sandbox: DockerSandbox) -> None:
    sandbox.run([Program("1")])
    slot = sandbox._pool.idle()[0]
    found = sandbox._engine.call("look", lambda client: client.inspect_container(slot.container))
    host, config = found["HostConfig"], found["Config"]
    expected = {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "IpcMode": "private",
        "CgroupnsMode": "private",
        "Privileged": False,
        "NanoCpus": 10**9,
        "PidsLimit": 64 + 8,
        "ShmSize": 64 << 20,
        "Init": False,
    }
    assert {name: host[name] for name in expected} == expected
    assert {name.removeprefix("CAP_") for name in host["CapAdd"]} == {"SETUID", "SETGID", "KILL"}
    assert host["MemorySwap"] == host["Memory"] > 512 << 20
    assert host["LogConfig"]["Type"] == "none"
    assert "no-new-privileges" in host["SecurityOpt"]
    [policy] = [option.removeprefix("seccomp=") for option in host["SecurityOpt"] if option.startswith("seccomp=")]
    assert json.loads(policy) == json.loads(profile())
    assert {limit["Name"]: limit["Hard"] for limit in host["Ulimits"]} == {"core": 1, "nofile": 256}
    assert set(host["Tmpfs"]) == {"/tmp", "/dev/shm"}
    assert all("nosuid,nodev" in options and "size=67108864" in options for options in host["Tmpfs"].values())
    assert [mount["RW"] for mount in found["Mounts"]] == [False, False]
    assert not any("docker.sock" in mount["Source"] for mount in found["Mounts"])
    assert config["Labels"][owners.LABEL] == owners.owner()
    assert {"/proc/cmdline", "/proc/kcore", "/sys/firmware"} <= set(host["MaskedPaths"])


def test_the_engines_filter_is_made_from_the_slots_own_list() -> None:
    policy = json.loads(profile())
    assert policy["defaultAction"] == "SCMP_ACT_ERRNO"
    plain = {name for rule in policy["syscalls"] if "args" not in rule for name in rule["names"]}
    assert plain - {"setsockopt", "clone3"} == set(seccomp.allowed_names()) - {"mount", "umount2"}
    judged = {rule["names"][0] for rule in policy["syscalls"] if "args" in rule}
    rules = seccomp.argument_rules(sockets=True)
    assert judged == {rule.name for rule in rules if rule.values and not rule.refused} | {"setpriority", "clone"}
    [families] = [rule["args"] for rule in policy["syscalls"] if rule["names"] == ["socket"]]
    assert families == [{"index": 0, "value": socket.AF_UNIX, "op": "SCMP_CMP_EQ"}]
    for never in ("ptrace", "bpf", "unshare", "io_uring_setup", "userfaultfd", "mount", "keyctl", "perf_event_open"):
        assert never not in plain | judged


def test_limits_of_many_values_need_few_kinds_of_containers() -> None:
    plain = Kind.of("light", Limits())
    assert Kind.of("light", Limits(processes=24, open_files=16, memory_bytes=64 << 20, cpu_seconds=1)) == plain
    assert Kind.of("light", Limits(processes=65)).processes == 128
    assert Kind.of("light", Limits(scratch_bytes=1 << 20)) != plain


def test_a_limit_on_memory_is_set_anew_on_the_same_container(sandbox: DockerSandbox) -> None:
    source = """
import os
for _ in range(4):
    if os.fork() == 0: x = bytearray(120 << 20); os._exit(0)
for _ in range(4): print(os.wait()[1])
"""
    grow = Program(source)
    wide = Limits(cpu_seconds=20, wall_seconds=60, memory_bytes=1 << 30)
    narrow = Limits(cpu_seconds=20, wall_seconds=60, memory_bytes=64 << 20)
    assert sandbox.run([grow], wide)[0].stdout == b"0\n" * 4
    known = {slot.container for slot in sandbox._pool.idle()}
    [execution] = sandbox.run([Program("x = bytearray(200 << 20)")], narrow)
    assert execution.status is Status.MEMORY_LIMIT, execution
    assert {slot.container for slot in sandbox._pool.idle()} == known


def test_memory_is_limited_for_all_processes_together_and_the_fork_server_lives_on(sandbox: DockerSandbox) -> None:
    source = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        x = b'x' * (100 << 20); time.sleep(3); os._exit(0)
print(sum(os.wait()[1] == 9 for _ in range(6)))
"""
    limits = Limits(cpu_seconds=20, wall_seconds=60, memory_bytes=160 << 20)
    sandbox.run([Program("1")] * 2, limits)
    known = {slot.container for slot in sandbox._pool.idle()}
    [together] = sandbox.run([Program(source)], limits)
    assert 1 <= int(together.stdout) <= 5, together
    [alone] = sandbox.run([Program("import os; x = os.fork() or b'x' * (400 << 20); os.wait()")], limits)
    assert alone.status is not Status.SANDBOX_ERROR
    assert {slot.container for slot in sandbox._pool.idle()} == known


def test_a_run_finds_nothing_of_an_earlier_one(sandbox: DockerSandbox) -> None:
    litter = """
import os
for folder in (".", "/tmp", "/dev/shm"):
    os.makedirs(folder + "/a/b/c"); open(folder + "/a/b/c/file", "w").write("x"); os.symlink("/", folder + "/link")
    os.mkdir(folder + "/shut"); open(folder + "/shut/x", "w").close(); os.chmod(folder + "/shut", 0)
    os.chmod(folder + "/a", 0o500)
open(b"\\xff\\n", "w").close()
here = os.getcwd()
for _ in range(1500): os.mkdir("d"); os.chdir("d")
"""
    look = Program(
        "import os\nfor f in ('.', '/tmp', '/dev/shm'): print(sorted(os.listdir(f)), os.stat(f).st_mtime > 9)"
    )
    clean = sandbox.run([look] * 2)[0].stdout
    for _ in range(3):
        [execution] = sandbox.run([Program(litter)], Limits(cpu_seconds=20))
        assert execution.status is Status.OK, execution.stderr
    assert {execution.stdout for execution in sandbox.run([look] * 4)} == {clean}


def test_a_language_that_the_image_lacks_is_refused_with_what_to_do(sandbox: DockerSandbox) -> None:
    if "node" in sandbox._contents.tools:
        pytest.skip("this image holds Node.js")
    wanted = "javascript programs need node, which programs in the sandbox cannot see in the image 'assay-sandbox'"
    with pytest.raises(SandboxUnavailable, match=f"{wanted}; install"):
        sandbox.run([Program("console.log(1)", language="javascript")])


def test_c_programs_are_compiled_in_the_container_where_the_image_has_a_compiler(sandbox: DockerSandbox) -> None:
    if "gcc" not in sandbox._contents.tools:
        pytest.skip("this image holds no C compiler: `assay image build --language c`")
    good = '#include <stdio.h>\nint main(void) { int n; scanf("%d", &n); printf("%d\\n", n * n); return 0; }'
    [execution, wrong] = sandbox.run([Program(good, stdin=b"7", language="c"), Program("int main(", language="c")])
    assert (execution.status, execution.stdout) == (Status.OK, b"49\n"), execution
    assert wrong.status is Status.COMPILE_ERROR


def test_many_threads_may_call_at_once(sandbox: DockerSandbox) -> None:
    outputs: dict[int, list[bytes]] = {}

    def call(number: int) -> None:
        executions = sandbox.run([Program(f"print({number} * 10 + {step})") for step in range(3)])
        outputs[number] = [execution.stdout for execution in executions]

    threads = [threading.Thread(target=call, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {n: [b"%d\n" % (n * 10 + step) for step in range(3)] for n in range(16)}


def test_a_missing_image_or_runtime_is_refused_with_what_to_do() -> None:
    need_engine()
    with pytest.raises(SandboxUnavailable, match=r"has no image 'assay-no-such': docker pull assay-no-such fetches it"):
        DockerSandbox(image="assay-no-such")
    with pytest.raises(
        SandboxUnavailable, match=r"has no runtime 'kata'; it has .*runc.*daemon\.json, or leave runtime"
    ):
        DockerSandbox(runtime="kata")
    with pytest.raises(InputError, match="slots is 0; expected at least 1"):
        DockerSandbox(0)


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("unix:///no/such.sock", r"no Docker daemon answers at /no/such\.sock \(No such file.*systemctl start docker"),
        ("tcp://10.0.0.1:2375", r"DOCKER_HOST is 'tcp://10\.0\.0\.1:2375', but descriptors.*expected unix:///path"),
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


def test_only_containers_of_processes_that_ended_are_orphans() -> None:
    ours = owners.owner()
    boot, namespace, pid, started = ours.split(":")
    assert not owners.is_gone(ours)
    assert owners.is_gone(f"{boot}:{namespace}:{pid}:1")  # the number was used again
    assert owners.is_gone(f"another:{namespace}:{pid}:{started}")
    assert not owners.is_gone(f"{boot}:1:{pid}:1")  # another process namespace: not for us to say
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert owners.is_gone(f"{boot}:{namespace}:{ended.pid}:5")


def test_the_image_is_shown_with_digest_and_contents() -> None:
    need_engine()
    result = CliRunner().invoke(_assay, ["image", "show"])
    assert result.exit_code == 0, result.output
    for line in (
        "image         assay-sandbox",
        r"digest        sha256:\w{64}",
        r"python        3\.\d+",
        "languages     python",
    ):
        assert re.search(f"^{line}", result.output, re.MULTILINE), result.output
    missing = CliRunner().invoke(_assay, ["image", "show", "assay-no-such"])
    assert (missing.exit_code, missing.output) == (1, "image         assay-no-such: not here\n")


def test_an_image_is_built_offline_from_one_that_is_here_and_holds_no_set_user_id_files(
    tmp_path: Path, sandbox: DockerSandbox
) -> None:
    lines: list[str] = []
    recipe = images.Recipe(base="assay-sandbox", offline=True, tag="assay-sandbox-test")
    try:
        images.build(sandbox._engine, recipe, lines.append)
        assert any("Successfully built" in line for line in lines)
        found = images.describe(sandbox._engine, "assay-sandbox-test")
        assert (found.base, found.contents) == ("assay-sandbox", sandbox._contents)
        with DockerSandbox(slots=1, image="assay-sandbox-test") as other:
            search = """
import os
for top, _, names in os.walk("/usr"):
    for path in (os.path.join(top, name) for name in names):
        if not os.path.islink(path) and os.stat(path).st_mode & 0o6000: print(path)
"""
            [execution] = other.run([Program(search)], Limits(cpu_seconds=30, wall_seconds=120))
        assert (execution.status, execution.stdout) == (Status.OK, b"")
    finally:
        sandbox._engine.call("remove", lambda client: client.remove_image("assay-sandbox-test", force=True))


def test_a_recipe_that_cannot_be_is_refused(tmp_path: Path, sandbox: DockerSandbox) -> None:
    def refused(recipe: images.Recipe) -> str:
        with pytest.raises(AssayError) as caught:
            images.build(sandbox._engine, recipe, lambda line: None)
        return str(caught.value)

    (tmp_path / "usr/bin").mkdir(parents=True)
    assert "holds no root file system with Python: expected usr/bin/python3 in it" in refused(
        images.Recipe(rootfs=tmp_path)
    )
    assert "expected one of them" in refused(images.Recipe(base="x", rootfs=tmp_path))
    assert "has no image 'assay-no-such' and may not fetch it" in refused(images.Recipe("assay-no-such", offline=True))
    words = refused(
        images.Recipe("assay-sandbox", packages=("no_such_package",), offline=True, tag="assay-sandbox-test")
    )
    assert "could not be built from 'assay-sandbox' (offline, so the base must hold no_such_package)" in words
    assert "The engine's last words:" in words


def test_an_image_without_python_is_told(sandbox: DockerSandbox) -> None:
    sandbox._engine.call(
        "tag", lambda client: client.import_image_from_data(b"", repository="assay-sandbox-empty", tag="latest")
    )
    try:
        with pytest.raises(SandboxUnavailable, match="python3"):
            DockerSandbox(image="assay-sandbox-empty")
    finally:
        sandbox._engine.call("remove", lambda client: client.remove_image("assay-sandbox-empty", force=True))
