"""The Docker sandbox's own promises, beyond the contract: flags, filter, images, labels, messages."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from assay.errors import SandboxUnavailable
from assay.sandbox import Limits, Program, Status, open_sandbox
from assay.sandbox.docker import DockerSandbox, owners
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
