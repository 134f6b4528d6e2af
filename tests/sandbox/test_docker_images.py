"""The image of the Docker sandbox: shown, built offline, refused with what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.group import _assay
from assay.errors import AssayError, SandboxUnavailable
from assay.sandbox import Limits, Program, Status
from assay.sandbox.docker import DockerSandbox, images
from assay.sandbox.docker.conformance import need_engine


@pytest.fixture(scope="module")
def sandbox() -> Iterator[DockerSandbox]:
    need_engine()
    with DockerSandbox(slots=2) as sandbox:
        yield sandbox


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
