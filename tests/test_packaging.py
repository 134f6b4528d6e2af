"""What the wheel ships, what importing costs, and what the faces of the packages promise."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import assay

ROOT = Path(__file__).resolve().parents[1]
NOT_PACKAGES = {"tests", "docs", "benchmarks", "examples"}
ROOT_MODULES = {"__init__.py", "__main__.py", "bounds.py", "errors.py", "registry.py"}


def configuration() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def test_every_folder_with_an_init_is_listed_for_the_wheel() -> None:
    listed = set(configuration()["tool"]["setuptools"]["packages"])  # type: ignore[index]
    folders = {
        path.parent.relative_to(ROOT)
        for path in ROOT.glob("[!.]*/**/__init__.py")
        if path.relative_to(ROOT).parts[0] not in NOT_PACKAGES | {"build", "dist"}
    }
    assert listed == {"assay"} | {".".join(("assay", *folder.parts)) for folder in folders}


def test_no_stray_module_lies_in_the_root() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == ROOT_MODULES


@pytest.mark.parametrize("name", ["assay", "assay.verifiers", "assay.sandbox", "assay.cli.group"])
def test_importing_it_loads_nothing_heavy(name: str) -> None:
    heavy = {"torch", "transformers", "sympy", "trl", "datasets", "flint", "numpy", "scipy", "matplotlib", "pandas"}
    code = f"import sys, {name}; print(*sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_faces_export_what_they_promise() -> None:
    faces = [assay, *map(importlib.import_module, ["assay.verifiers", "assay.sandbox", "assay.evaluation"])]
    for face in faces:
        exported = face.__all__
        assert sorted(exported) == list(exported), f"{face.__name__}.__all__ is not sorted"
        assert [name for name in exported if not hasattr(face, name)] == []


def test_every_module_of_the_package_has_a_docstring() -> None:
    undocumented = [
        module.name
        for module in pkgutil.walk_packages(assay.__path__, "assay.")
        if module.name.split(".")[1] not in NOT_PACKAGES and not _docstring(module.name)
    ]
    assert undocumented == []


def _docstring(name: str) -> str | None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    return ast.get_docstring(ast.parse(Path(str(spec.origin)).read_text(encoding="utf-8")))


def test_the_versions_agree() -> None:
    project = configuration()["project"]
    assert project["version"] == assay.__version__  # type: ignore[index]


def test_python_dash_m_and_the_script_are_the_same_program() -> None:
    environment = os.environ | {"COLUMNS": "200"}
    module = subprocess.run([sys.executable, "-m", "assay", "--help"], capture_output=True, text=True, env=environment)
    script = subprocess.run(
        [str(Path(sys.executable).parent / "assay"), "--help"], capture_output=True, text=True, env=environment
    )
    assert module.returncode == script.returncode == 0
    assert module.stdout == script.stdout
    assert "evaluate" in module.stdout
