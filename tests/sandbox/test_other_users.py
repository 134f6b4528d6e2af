"""The contract of a sandbox as an unprivileged user and without namespaces, each in a pytest of its own."""

import functools
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

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


def conformance_as(user: int, selection: str, tmp_path: Path) -> str:
    """Run the chosen class of other_users.py as a user; what pytest printed. Fails where a test failed."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user; as an unprivileged user the modes are tested directly")
    python = interpreter_for_everyone()
    if python is None:
        pytest.skip(f"no Python {sys.version_info[:2]} that every user can run; install one in /usr or /usr/local")
    packages = sysconfig.get_path("purelib")
    boot = f"import sys, site; site.addsitedir({packages!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={ROOT}", f"--basetemp={tmp_path / 'base'}"]
    tmp_path.chmod(0o777)
    done = subprocess.run(
        [python, "-B", "-c", boot, *options, "-k", selection, str(HERE / "other_users.py")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": "/", "ASSAY_TEST_USER": str(user), "TMPDIR": "/tmp"},
        user=user,
        group=user,
        extra_groups=[],
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("mode", ["B", "D"])
def test_an_unprivileged_user_has_the_whole_contract(mode: str, tmp_path: Path) -> None:
    said = conformance_as(
        NOBODY, f"TestMode{mode} or the_user" + (" or (folder and D)" if mode == "D" else ""), tmp_path
    )
    assert int(re.search(r"(\d+) passed", said)[1]) > 90, said  # type: ignore[index]
    assert " skipped" not in said, said


def test_root_without_namespaces_has_the_whole_contract(tmp_path: Path) -> None:
    said = conformance_as(0, "TestModeC or the_user or (folder and C)", tmp_path)
    assert int(re.search(r"(\d+) passed", said)[1]) > 90, said  # type: ignore[index]
    assert " skipped" not in said, said
