"""Names, their lazy targets, and every way a name can be wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import assay
from assay.environments.base import Environment
from assay.environments.registry import ENVIRONMENTS, newest
from assay.errors import DuplicateName, InputError, LoadFailed, MissingExtra, RegistryError, UnknownName
from assay.registry import Registry, near_names


def codecs() -> Registry[Any]:
    return Registry(
        "codec", {"json": "json:loads", "path": "os:sep", "broken": "no_such_module:x", "odd": "not a path"}
    )


def test_a_target_is_imported_when_asked_for() -> None:
    assert codecs().get("json")("[1]") == [1]
    assert codecs().get("math:pi") == pytest.approx(3.14159265)


def test_an_unknown_name_lists_the_nearest() -> None:
    with pytest.raises(UnknownName, match="no codec is called 'jsn'; did you mean 'json'"):
        codecs().get("jsn")
    with pytest.raises(
        UnknownName, match="known: broken, json, odd, path; one of your own is named by 'package.module"
    ):
        codecs().get("zzzzzz")


def test_a_target_that_cannot_be_imported_says_why() -> None:
    with pytest.raises(LoadFailed, match="codec 'broken' could not be loaded from 'no_such_module:x': ModuleNotFoundE"):
        codecs().get("broken")
    with pytest.raises(LoadFailed, match="'json:nothing' could not be loaded: json has no 'nothing'"):
        codecs().get("json:nothing")
    with pytest.raises(LoadFailed, match="codec 'odd' points to 'not a path'; expected 'package.module:attribute'"):
        codecs().get("odd")


def test_two_targets_for_one_name_are_refused_and_one_twice_is_fine() -> None:
    registry = codecs()
    registry.add("json", "json:loads")
    with pytest.raises(DuplicateName, match="codec 'json' is already registered as 'json:loads'"):
        registry.add("json", "json:dumps")


def test_a_file_is_loaded_once_and_a_missing_one_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("made = []\nmade.append(1)\n")
    assert codecs().get(f"{file}:made") is codecs().get(f"{file}:made")
    with pytest.raises(LoadFailed, match="InputError: no file '.*other.py'"):
        codecs().get(f"{tmp_path / 'other.py'}:made")


def test_a_file_that_fails_once_can_be_mended(tmp_path: Path) -> None:
    file = tmp_path / "flawed.py"
    file.write_text("1 / 0\n")
    with pytest.raises(LoadFailed, match="ZeroDivisionError: division by zero"):
        codecs().get(f"{file}:made")
    file.write_text("made = 2  # mended\n")
    assert codecs().get(f"{file}:made") == 2


def test_a_missing_extra_keeps_its_pip_line(tmp_path: Path) -> None:
    file = tmp_path / "needs.py"
    file.write_text("from assay.errors import MissingExtra\nraise MissingExtra('torch', 'trl')\n")
    with pytest.raises(MissingExtra, match=r"'torch' is not installed. Install it with: pip install 'assay\[trl\]'"):
        codecs().get(f"{file}:x")


class Sums(Environment):
    """Two versions of nothing."""

    name = "test/sums-v2"
    splits = {"test": None}

    def load(self, split: str) -> list[Any]:
        return []


def test_an_environment_registers_under_its_versioned_name() -> None:
    assert assay.register(Sums) is Sums
    assert isinstance(assay.make("test/sums-v2"), Sums)
    assert isinstance(assay.make("test/sums"), Sums)
    assert newest("test/sums") == "test/sums-v2"


def test_no_version_means_the_highest_number() -> None:
    class Later(Sums):
        name = "test/sums-v10"

    assay.register(Later)
    try:
        assert newest("test/sums") == "test/sums-v10"
    finally:
        ENVIRONMENTS._targets.pop("test/sums-v10")


@pytest.mark.parametrize("name", ["sums", "test/sums", "test/sums-v0", "Test/Sums-v1", None])
def test_an_environment_without_a_versioned_name_is_refused(name: str | None) -> None:
    unnamed = type("Unnamed", (Sums,), {"name": name})
    with pytest.raises(RegistryError, match="expected 'namespace/name-vN'"):
        assay.register(unnamed)


def test_an_unknown_environment_lists_the_nearest() -> None:
    with pytest.raises(UnknownName, match="no environment is called 'math/gsm8'; did you mean 'math/gsm8k-v1'"):
        assay.make("math/gsm8")


def test_a_split_that_is_not_there_and_an_empty_one_are_named() -> None:
    with pytest.raises(InputError, match="test/sums-v2 has no split 'train'; it has test"):
        Sums().tasks("train")
    with pytest.raises(InputError, match="split 'test' of test/sums-v2 is empty"):
        Sums().tasks("test")


def test_a_file_without_a_name_in_it_is_told_how_to_be_named() -> None:
    expected = r"'sums\.py' is a file; say which codec in it is meant, as 'sums\.py:NAME'"
    with pytest.raises(UnknownName, match=expected):
        Registry("codec").get("sums.py")


def test_an_attribute_that_a_file_lacks_is_named_without_the_module_that_it_was_made(tmp_path: Path) -> None:
    file = tmp_path / "codecs.py"
    file.write_text("def fancy(): ...\n")
    with pytest.raises(LoadFailed) as caught:
        Registry("codec").get(f"{file}:fanci")
    said = str(caught.value)
    assert said.endswith(f"could not be loaded: {file} has no 'fanci'; did you mean 'fancy'?")
    assert "assay_file_" not in said


def test_the_nearest_name_is_offered_alone_and_others_with_it_only_where_they_are_as_near() -> None:
    known = ["math/gsm8k-v1", "math/math-v1", "math/math500-v1", "code/mbpp-v1"]
    assert near_names("math/gsm8k-v2", known) == "did you mean 'math/gsm8k-v1'?"
    assert near_names("math/math50", known) == "did you mean 'math/math500-v1' or 'math/math-v1'?"
    assert near_names("zzz", known[:2]) == "known: math/gsm8k-v1, math/math-v1"


def test_of_very_many_names_the_first_are_shown_and_the_others_counted() -> None:
    many = [f"name{number:02}" for number in range(25)]
    assert near_names("zzz", many) == "known: name00, name01, name02, name03, name04, ... and 20 more"
    assert near_names("zzz", many[:20]).endswith("name18, name19")
    assert near_names("name07x", many).startswith("did you mean 'name07'")
