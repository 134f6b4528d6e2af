"""The contract of a sandbox as an unprivileged user and without namespaces, each in a pytest of its own."""

import functools
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from assay.sandbox.local.machine import SLOT_FOLDER

NOBODY = 65534
HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@functools.cache
def interpreter_for_everyone() -> str | None:
    """A Python like this one that any user can run; one in root's home folder is not."""
    ask = "import sys, ctypes, json; print(sys.version_info[:2])"
    for candidate in (getattr(sys, "_base_executable", sys.executable), "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            answer = subprocess.run(
                [candidate, "-c", ask], capture_output=True, text=True, user=NOBODY, group=NOBODY, extra_groups=[]
            )
        except OSError:
            continue
        if answer.stdout.strip() == str(sys.version_info[:2]):
            return candidate
    return None


def conformance_as(user: int, mode: str, tmp_path: Path, *launch: str, python: str | None = None) -> str:
    """Run the tests of other_users.py for a mode as a user; what pytest printed. Fails where a test failed."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user; as an unprivileged user the modes are tested directly")
    closed = [folder for folder in (ROOT, *ROOT.parents) if not folder.stat().st_mode & 0o001]
    if closed:
        pytest.skip(f"other users cannot enter {closed[0]}, in which this checkout lies")
    python = python or interpreter_for_everyone()
    if python is None:
        pytest.skip(f"no Python {sys.version_info[:2]} that every user can run; install one in /usr or /usr/local")
    packages = sysconfig.get_path("purelib")
    boot = f"import sys, site; site.addsitedir({packages!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={ROOT}", f"--basetemp={tmp_path / 'base'}"]
    tests = [f"TestMode{mode}", "test_the_user_is_the_one_that_was_asked_for", f"test_the_mode_found_is[{mode}]"]
    if mode == "B":
        tests.append(f"test_slot_outlives_every_signal_where_landlock_keeps_none_in[{mode}]")
    if mode in "CD":
        tests.append(f"test_mode_with_a_folder_gives_every_run_a_clean_one[{mode}]")
        tests.append(f"test_what_writes_files_runs_in_a_folder[{mode}]")
    if mode == "D":
        tests.append(f"test_files_of_the_own_user_keep_their_metadata[{mode}]")
    if mode in "CD":  # there are to be no namespaces, as in an ordinary container: a launcher takes them away
        launch = (python, str(HERE / "like_a_container.py"), SLOT_FOLDER, str(user))
    start_as = 0 if launch else user
    tmp_path.chmod(0o777)
    done = subprocess.run(
        [*launch, python, "-B", "-c", boot, *options, *(f"{HERE}/other_users.py::{test}" for test in tests)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": "/", "ASSAY_TEST_USER": str(user), "TMPDIR": "/tmp"},
        user=start_as,
        group=start_as,
        extra_groups=[],
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.timeout(1200)  # on a busy machine; a quiet one takes 30 s
@pytest.mark.parametrize("mode", ["B", "D"])
def test_an_unprivileged_user_has_the_whole_contract(mode: str, tmp_path: Path) -> None:
    said = conformance_as(NOBODY, mode, tmp_path)
    assert int(re.search(r"(\d+) passed", said)[1]) > 90, said  # type: ignore[index]
    assert " skipped" not in said, said


@pytest.mark.timeout(1200)
def test_root_without_namespaces_has_the_whole_contract(tmp_path: Path) -> None:
    said = conformance_as(0, "C", tmp_path)
    assert int(re.search(r"(\d+) passed", said)[1]) > 90, said  # type: ignore[index]
    assert " skipped" not in said, said


@pytest.mark.timeout(1200)
def test_root_without_namespaces_may_have_its_interpreter_where_only_root_can_enter(tmp_path: Path) -> None:
    if not any(folder.stat().st_mode & 0o001 == 0 for folder in Path(sys.base_prefix).resolve().parents):
        pytest.skip(f"every user can enter {sys.base_prefix}; the contract is tested with such an interpreter anyway")
    said = conformance_as(0, "C", tmp_path, python=sys.executable)
    assert int(re.search(r"(\d+) passed", said)[1]) > 90, said  # type: ignore[index]


@pytest.mark.parametrize("kept", ["setuid,+setgid", "setuid,+setgid,+chown"])
def test_root_that_cannot_own_folders_for_slots_is_told_so(kept: str) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can have some of root's capabilities")
    script = "from assay.sandbox import open_sandbox; open_sandbox()"
    bounded = ["setpriv", f"--bounding-set=-all,+{kept}", "--inh-caps=-all"]
    done = subprocess.run([*bounded, sys.executable, "-c", script], capture_output=True, text=True)
    assert "change_identity: root cannot own and enter folders of others, which takes CAP_CHOWN and" in done.stderr


@pytest.mark.timeout(1200)
def test_root_with_few_capabilities_has_the_whole_contract(tmp_path: Path) -> None:
    kept = ["setuid", "setgid", "setfcap", "setpcap", "chown", "dac_override", "fowner", "kill", "sys_chroot"]
    bounded = ",".join(["-all", *(f"+{name}" for name in kept)])  # as systemd's CapabilityBoundingSet=
    said = conformance_as(0, "B", tmp_path, "setpriv", f"--bounding-set={bounded}", "--inh-caps=-all")
    assert int(re.search(r"(\d+) passed", said)[1]) > 90, said  # type: ignore[index]
    assert " skipped" not in said, said
