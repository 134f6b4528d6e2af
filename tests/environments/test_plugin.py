"""A plug-in is built, installed and used; a broken one beside it keeps nobody from the others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "{name}"
version = "1.0"
[project.entry-points."assay.environments"]
{points}
[tool.setuptools]
py-modules = ["{module}"]
"""
PARITY = '''
"""Is a number even?"""
from assay import register

@register("plug/parity-v2", splits={"train": 50})
class Parity:
    def load(self, split):
        for number in range(50):
            yield f"Is {number} even or odd?", "odd" if number % 2 else "even"
    def verify(self, completion, reference):
        return completion.strip().lower() == reference
'''


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with installed distributions: one that works, one that cannot be imported, one with wrong names."""
    folder = tmp_path_factory.mktemp("plugin")
    sources = {
        "assay-parity": ("parity_env", PARITY, '"plug/parity-v2" = "parity_env:Parity"'),
        "assay-misnamed": (
            "misnamed_env",
            PARITY.replace("parity-v2", "digits-v1"),
            '"Digits" = "misnamed_env:Parity"\n"plug/numerals-v1" = "misnamed_env:Parity"',
        ),
        "assay-broken": ("broken_env", "import no_such_thing\n", '"plug/broken-v1" = "broken_env:Broken"'),
    }
    for name, (module, source, points) in sources.items():
        project = folder / name
        project.mkdir()
        (project / "pyproject.toml").write_text(PROJECT.format(name=name, module=module, points=points))
        (project / f"{module}.py").write_text(source)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), str(project))
    wheels = sorted(str(wheel) for wheel in (folder / "dist").glob("*.whl"))
    assert len(wheels) == 3
    target = folder / "site"
    run(sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", str(target), *wheels)
    return target


def run(*command: str, path: Path | None = None, cwd: Path | None = None) -> str:
    environment = os.environ | {"COLUMNS": "200"} | ({"PYTHONPATH": str(path)} if path else {})
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_plugin_is_made_by_name_and_judges_in_a_spawned_worker(installed: Path, tmp_path: Path) -> None:
    script = tmp_path / "use.py"
    script.write_text(
        "from concurrent.futures import ProcessPoolExecutor\n"
        "from multiprocessing import get_context\n"
        "from assay import make\n"
        "def judge(name):\n"
        "    env = make(name)\n"
        "    return [r.score for r in env.verify(['even', 'Odd', 'odd'], env.tasks('train', limit=3))]\n"
        "if __name__ == '__main__':\n"
        "    print(make('plug/parity').name, judge('plug/parity'))\n"
        "    with ProcessPoolExecutor(1, mp_context=get_context('spawn')) as pool:\n"
        "        print(pool.submit(judge, 'plug/parity-v2').result())\n"
    )
    said = run(sys.executable, str(script), path=installed).splitlines()
    assert said == ["plug/parity-v2 [1.0, 1.0, 0.0]", "[1.0, 1.0, 0.0]"]


def test_a_broken_plugin_is_named_and_the_others_are_listed(installed: Path) -> None:
    listed = run(sys.executable, "-m", "assay", "list", path=installed)
    [broken] = [line for line in listed.splitlines() if "plug/broken-v1" in line]
    assert "cannot be loaded" in broken
    assert "no_such_thing" in listed
    [parity] = [line for line in listed.splitlines() if "plug/parity-v2" in line]
    assert "train 50" in parity
    assert "math/gsm8k-v1" in listed


def test_making_the_broken_plugin_says_why_it_fails(installed: Path) -> None:
    code = (
        "from assay import make\n"
        "try:\n    make('plug/broken')\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    said = run(sys.executable, "-c", code, path=installed)
    assert said.startswith("LoadFailed environment 'plug/broken-v1' could not be loaded from 'broken_env:Broken': ")
    assert "No module named 'no_such_thing'" in said


def test_a_plugin_under_a_wrong_name_is_no_second_environment(installed: Path) -> None:
    lines = run(sys.executable, "-m", "assay", "list", path=installed).splitlines()
    assert [line for line in lines if line.startswith("plug/digits")] == []
    assert [line for line in lines if "Digits" in line] == [
        "Digits  cannot be loaded: a plug-in registers an environment as 'Digits', which is no name: expected "
        "'namespace/name-vN', like 'math/sums-v1', in its entry points"
    ]
    [other] = [line for line in lines if line.startswith("plug/numerals-v1")]
    assert "as 'plug/numerals-v1', but it calls itself 'plug/digits-v1'; its entry point and its attribute" in other
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-m", "assay", "check", "Digits"], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 2
    assert done.stderr.startswith("assay: a plug-in registers an environment as 'Digits', which is no name")
