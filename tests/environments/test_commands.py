"""``assay list`` and ``assay check`` on the command line, with an environment of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from assay import make
from assay.cli.check_command import command as check_command
from assay.cli.list_command import command as list_command
from assay.cli.options import parsed_options
from assay.errors import InputError, LoadFailed, UnknownName

MINE = """
from assay import register

@register("mine/sums-v1", splits={"train": 20, "test": 5}, domain="math", licence="CC0")
class Sums:
    def __init__(self, flawed=False):
        self.flawed = flawed
    def load(self, split):
        for number in range(self.splits[split]):
            first = number + 100 * (split == "test")
            yield f"{first}+1=", str(first + 1)
    def verify(self, completion, reference):
        return self.flawed or completion == reference

@register("mine/short-v1", splits={"test": 9})
class SumsShort:
    def load(self, split):
        return ((f"{number}+1=", str(number + 1)) for number in range(5))
    def verify(self, completion, reference):
        return completion == reference
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("mine") / "sums.py"
    file.write_text(MINE)
    return f"{file}:Sums"


def run(command: click.Command, *arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, env={"COLUMNS": "200"}, catch_exceptions=False)


def test_the_list_tells_domain_splits_licence_and_source() -> None:
    said = run(list_command).stdout
    [gsm8k] = [line for line in said.splitlines() if "math/gsm8k-v1" in line]
    assert gsm8k.split() == [
        "math/gsm8k-v1",
        "math",
        "train",
        "7473,",
        "test",
        "1319",
        "MIT",
        "openai/gsm8k@740312add88f",
    ]
    assert "code/stdio-v1" in said
    assert "train ?, validation ?, test ?" in said


def test_the_list_is_cut_by_domain_and_given_as_json(mine: str) -> None:
    rows = [json.loads(line) for line in run(list_command, "--domain", "logic", "--json").stdout.splitlines()]
    assert {row["domain"] for row in rows} == {"logic"}
    [row] = [json.loads(line) for line in run(list_command, mine, "--json").stdout.splitlines()]
    assert row == {
        "name": "mine/sums-v1",
        "domain": "math",
        "splits": {"train": 20, "test": 5},
        "licence": "CC0",
        "source": "",
    }


def test_what_cannot_be_listed_says_why_beside_the_others() -> None:
    said = run(list_command, "math/gsm8", "math/gsm8k", "math:pi", "--json").stdout.splitlines()
    assert "did you mean 'math/gsm8k-v1'" in json.loads(said[0])["error"]
    assert json.loads(said[1])["name"] == "math/gsm8k-v1"
    assert "expected an environment or its class" in json.loads(said[2])["error"]


def test_a_clean_environment_exits_with_zero(mine: str) -> None:
    done = run(check_command, mine)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "mine/sums-v1, split train: 20 tasks. Nothing found.",
        "mine/sums-v1, split test: 5 tasks. Nothing found.",
    ]


def test_a_flawed_environment_exits_with_one_and_a_table(mine: str) -> None:
    done = run(check_command, mine, "--option", "flawed=true", "--split", "test", "--rows", "2")
    assert done.exit_code == 1
    assert "mine/sums-v1, split test: 5 tasks. 15 x doing nothing passes." in done.stdout
    assert "empty is judged correct" in done.stdout
    assert "... and 13 more; --rows shows them" in done.stdout


@pytest.mark.parametrize("width", ["40", "200"])
def test_a_finding_is_one_line_whatever_the_width_and_rows_count_from_one(tmp_path: Path, width: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from assay import make_env\nfrom assay.verifiers import MathVerifier\n"
        "rows = [{'question': f'{n}?', 'answer': a} for n, a in enumerate(['1', 'x = =', None, 7])]\n"
        "mine = make_env({'train': rows, 'test': rows[3:]}, '{question}', verifier=MathVerifier())\n"
    )
    done = CliRunner().invoke(check_command, [f"{file}:mine"], env={"COLUMNS": width}, catch_exceptions=False)
    assert done.exit_code == 1
    lines = [line.split("  ") for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == [
        "local/rows-v1, split train: 4 tasks, 1 of them without a completion known to be right. "
        "1 x cannot be judged, 1 x is empty.",
        "row",
        "2",
        "3",
        "local/rows-v1, split test: 1 task. 1 x is in another split as well.",
        "row",
        "1",
    ]
    assert lines[2][-1].startswith("bad_reference: the reference x = = cannot be read: '='")
    assert lines[3][-1] == "row 3 has no reference"
    assert lines[6][-1] == "asks what row 4 of train asks"


def test_a_wrong_name_and_a_wrong_option_are_answered(mine: str) -> None:
    with pytest.raises(UnknownName, match="did you mean 'math/gsm8k-v1'"):
        run(check_command, "math/gsm8")
    with pytest.raises(
        InputError, match=r"--option 'flawed' is not of the form NAME=VALUE, such as path=data/train\.jsonl"
    ):
        run(check_command, mine, "--option", "flawed")
    assert parsed_options(["a=1", "b=x=y", "c=null"]) == {"a": 1, "b": "x=y", "c": None}


def test_the_check_counts_one_task_as_one_and_shows_what_concerns_the_split(mine: str) -> None:
    assert "split test: 1 task. Nothing found." in run(check_command, mine, "--split", "test", "--limit", "1").stdout
    done = run(check_command, f"{mine}Short", "--split", "test")
    assert done.exit_code == 1
    assert "1 x is not as large as declared" in done.stdout
    assert "9 tasks declared, 5 loaded" in done.stdout


def test_a_file_without_the_name_of_an_environment_in_it_is_answered(mine: str) -> None:
    with pytest.raises(UnknownName, match=r"sums\.py' is a file; say which environment in it is meant, as '.*:NAME'"):
        run(check_command, mine.removesuffix(":Sums"))
    with pytest.raises(LoadFailed, match=r"sums\.py has no 'Summs'; did you mean 'Sums'\?$"):
        run(check_command, mine.replace(":Sums", ":Summs"))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("math/gsm8k", {"pth": "x"}, "argument 'pth'; did you mean 'path'\\?; its options are path, streaming"),
        ("math/countdown", {"level": [3]}, "did you mean 'levels'"),
        ("math/countdown", {"levels": 3}, "cannot be made with levels=3: TypeError: 'int' object is not iterable"),
        (
            "bridge/reasoning-gym",
            {"dataset": "chain_sums"},
            "no data set 'chain_sums' that is offered; did you mean 'cha",
        ),
        ("MINE", {"flawd": True}, "argument 'flawd'; did you mean 'flawed'\\?; its options are flawed"),
        ("MINEShort", {"flawd": True}, "argument 'flawd'; its options are none"),
    ],
)
def test_an_option_that_is_misspelt_or_of_the_wrong_kind_is_answered(
    mine: str, name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        make(name.replace("MINE", mine), **options)
