"""``check`` finds what is wrong with an environment, and nothing where all is well; the built-in ones among them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import Result, Verifier, make
from assay.environments.base import Environment
from assay.environments.checking import check, check_splits
from assay.environments.contamination import contamination
from assay.environments.define import make_env
from assay.environments.findings import Trouble
from assay.environments.registry import ENVIRONMENTS
from assay.errors import InputError
from assay.verifiers import MathVerifier, TextVerifier

ROWS = [{"question": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(12)]
Judge = Callable[[str, Any], Any]


def exact(completion: str, reference: str) -> bool:
    return completion == reference


def environment(judge: Judge | Verifier[Any] = exact, rows: list[dict[str, Any]] = ROWS) -> Environment:
    return make_env(rows, "{question}", verifier=judge)


def troubles(made: Environment, **options: Any) -> dict[Trouble, list[int]]:
    found: dict[Trouble, list[int]] = {}
    for finding in check(made, **options).findings:
        assert finding.row is not None
        rows = found.setdefault(finding.trouble, [])
        if finding.row not in rows:
            rows.append(finding.row)
    return found


def test_an_environment_without_flaws_is_clean() -> None:
    report = check(environment())
    assert report.is_clean
    assert (report.environment, report.split, report.tasks) == ("local/rows-v1", "train", 12)
    assert report.without_reference == 0
    assert report.counts == {}


def test_references_that_fail_are_listed_with_the_reason() -> None:
    report = check(environment(lambda completion, reference: completion == reference and reference != "3"))
    [finding] = report.findings
    assert (finding.trouble, finding.row) == (Trouble.FALSE_FAIL, 2)
    assert finding.detail.startswith("incorrect")
    assert report.counts == {Trouble.FALSE_FAIL: 1}


def test_any_of_the_usual_forms_of_a_reference_will_do() -> None:
    assert check(environment(lambda completion, reference: completion == f"<answer>{reference}</answer>")).is_clean


def test_a_judge_that_pays_for_nothing_is_found_out() -> None:
    assert troubles(environment(lambda completion, reference: reference in completion or not completion)) == {
        Trouble.IDLE: list(range(12))
    }
    echo = troubles(environment(lambda completion, reference: completion == reference or "What" in completion))
    assert echo == {Trouble.IDLE: list(range(12))}
    detail = check(environment(lambda c, r: c == r or c == "I do not know."), limit=1).findings[0].detail
    assert detail == "idle is judged correct"


def test_a_judge_that_breaks_is_told_from_one_that_says_no() -> None:
    def fragile(completion: str, reference: str) -> bool:
        completion.encode()  # fails on a lone surrogate
        return completion == reference

    found = check(environment(fragile))
    assert {finding.trouble for finding in found.findings} == {Trouble.NOT_JUDGED}
    assert "gets no score: error: fragile failed: UnicodeEncodeError" in found.findings[0].detail
    assert {finding.row for finding in found.findings} == {0, 3, 6, 8, 11}
    assert troubles(environment(lambda c, r: 1 / 0), limit=3) == {Trouble.NOT_JUDGED: [0, 1, 2]}


def test_a_judge_that_throws_dice_is_found_out() -> None:
    counter = itertools.count()

    class Dice(Verifier[str]):
        def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
            if completion == reference:
                return Result.correct()
            return Result.incorrect(answer=str(next(counter)))

    found = check(environment(Dice()), limit=4)
    assert {finding.trouble for finding in found.findings} == {Trouble.UNSTEADY}
    assert "judged 10 times: incorrect, with 10 outcomes" in found.findings[0].detail
    assert check(environment(Dice()), limit=4, repeats=1).is_clean


def test_rows_that_should_not_be_there_are_listed() -> None:
    rows = [*ROWS[:2], ROWS[0], {"question": "what is  1 + 1?", "answer": "11"}, {"question": " ", "answer": "1"}]
    assert troubles(environment(rows=rows)) == {Trouble.DUPLICATE: [2], Trouble.CONFLICT: [3], Trouble.EMPTY: [4]}


def test_an_endless_split_is_checked_in_part_and_arguments_are_checked() -> None:
    assert check(make("math/countdown", train_size=None, levels=[3]), "train").tasks == 200
    with pytest.raises(InputError, match="repeats is 0; expected a whole number of at least 1"):
        check(environment(), repeats=0)
    with pytest.raises(InputError, match="probes is 0; expected a whole number of at least 1"):
        check(environment(), probes=0)
    with pytest.raises(InputError, match="local/rows-v1 has no split 'dev'; it has train"):
        check(environment(), "dev")


# What is known about the built-in environments; docs/guide/environment-check.md explains each row.
CLEAN = [
    ("math/arithmetic", "test", None, {}),
    ("math/arithmetic", "validation", None, {}),
    ("math/gsm8k", "test", None, {}),
    ("math/gsm8k", "train", 2000, {}),
    ("math/math500", "test", None, {}),
    ("math/svamp", "test", None, {}),
    ("math/countdown", "test", 200, {}),
    ("math/countdown-600", "train", None, {}),
    ("math/countdown-600", "test", None, {}),
    ("logic/knights-and-knaves", "test", 120, {}),
    ("logic/logic-rl", "train", None, {}),
    ("logic/logic-rl", "test", None, {}),
    ("format/json-schema", "test", 60, {}),
    ("qa/mmlu-stem", "test", None, {}),
    ("games/guess-number", "test", 100, {}),
    ("tools/calculator", "test", 100, {}),
    ("tools/python", "test", 60, {}),
    ("code/humaneval", "test", 12, {}),
    ("code/mbpp", "test", 12, {}),
    ("code/repair", "test", 6, {}),
    ("code/stdio", "test", 2, {"path": "nemo_gym_examples/code_gen.jsonl"}),
    ("bridge/reasoning-gym", "test", 6, {"dataset": "basic_arithmetic"}),
    ("bridge/gymnasium", "test", 5, {"options": {"is_slippery": False}}),
]
# One known answer is enough for tasks of which the data set publishes none.
WITHOUT_REFERENCE = {"format/ifeval", "format/ifbench", "bridge/gymnasium"}


@pytest.mark.parametrize("name", ["math/gsm8k", "math/countdown-600", "logic/logic-rl", "code/mbpp"])
def test_no_split_of_a_built_in_environment_asks_what_another_one_asks(data: Path, name: str) -> None:
    made = make(name)
    tasks = {split: made.tasks(split) for split in made.splits}
    for first, second in itertools.combinations(tasks, 2):
        assert contamination(tasks[first], tasks[second]).exact == 0


@pytest.fixture
def data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_DATA", str(shared / "data"))
    return shared / "data"


def explained(name: str) -> list[tuple[str, str]]:
    """The rows, with what was found, that the document explains for an environment."""
    page = (Path(__file__).parents[2] / "docs/guide/environment-check.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    lines = [line.split("|") for line in section.splitlines() if line.startswith("| ")]
    return [(cells[1].strip(), cells[2].strip()) for cells in lines if cells[1].strip().isdigit()]


@pytest.mark.parametrize(("name", "split", "limit", "options"), CLEAN, ids=[f"{row[0]}-{row[1]}" for row in CLEAN])
def test_a_built_in_environment_is_clean(
    data: Path, name: str, split: str, limit: int | None, options: dict[str, Any]
) -> None:
    if "path" in options:
        options = {"path": data / options["path"]}
    slow = name.startswith(("code/", "bridge/"))
    report = check(make(name, **options), split, limit=limit, probes=1 if slow else 3, repeats=2 if slow else 10)
    assert [(str((finding.row or 0) + 1), finding.detail) for finding in report.findings] == explained(name)
    if name not in WITHOUT_REFERENCE and "path" not in options:
        assert report.without_reference == 0


def test_every_built_in_environment_with_data_at_hand_is_in_the_list() -> None:
    elsewhere = {"math/math-v1", "math/aime24-v1", "math/aime25-v1", "bridge/verifiers-v1"}
    listed = {f"{row[0]}-v1" for row in CLEAN} | {"format/ifeval-v1", "format/ifbench-v1"} | elsewhere
    built_in = {name for name in ENVIRONMENTS if name.split("/")[0] in
                ("bridge", "code", "format", "games", "logic", "math", "qa", "tools")}  # fmt: skip
    assert built_in <= listed


def test_training_arithmetic_repeats_small_questions_and_nothing_else(data: Path) -> None:
    tasks = make("math/arithmetic").tasks("train", limit=1200)
    report = check(make("math/arithmetic"), "train", limit=1200)
    assert set(report.counts) == {Trouble.DUPLICATE}
    assert {tasks[finding.row or 0].metadata["level"] for finding in report.findings} == {1, 2}


@pytest.mark.parametrize("name", ["format/ifeval", "format/ifbench"])
def test_prompts_that_idle_answers_satisfy_are_those_of_the_document(data: Path, name: str) -> None:
    report = check(make(name), "test")
    assert set(report.counts) == {Trouble.IDLE}
    found = [
        (str((finding.row or 0) + 1), finding.detail.removesuffix(" is judged correct")) for finding in report.findings
    ]
    assert found == explained(name)


def test_references_of_another_type_than_the_verifier_declares_are_listed() -> None:
    rows = [{"question": f"{n}?", "answer": [n] if n == 2 else str(n)} for n in range(4)]
    made = make_env(rows, "{question}", verifier=MathVerifier())
    [finding] = check(made).findings
    assert (finding.trouble, finding.row) == (Trouble.OTHER_TYPE, 2)
    assert finding.detail == "the reference [2] is of type list, and that of MathVerifier is str"
    flags = [{"question": f"{n}?", "answer": n == 1} for n in range(2)]
    assert Trouble.OTHER_TYPE in check(make_env(flags, "{question}", verifier=MathVerifier())).counts


def test_numbers_are_references_where_the_verifier_reads_them() -> None:
    rows = [{"question": f"{n}?", "answer": answer} for n, answer in enumerate([1, "2", 0.5, math.nan])]
    [finding] = check(make_env(rows, "{question}", verifier=MathVerifier())).findings
    assert (finding.trouble, finding.row) == (Trouble.NOT_JUDGED, 3)
    assert finding.detail == "bad_reference: the reference is nan; expected text or a number, as '4'"
    refused = check(make_env(rows[:2], "{question}", verifier=TextVerifier())).findings
    assert [finding.row for finding in refused] == [0]


def test_where_a_judge_declares_no_type_the_first_reference_does() -> None:
    rows = [{"question": f"{n}?", "answer": str(n) if n == 2 else n} for n in range(4)]
    found = check(environment(lambda completion, reference: completion == str(reference), rows)).findings
    assert [(f.row, f.detail) for f in found] == [(2, "the reference '2' is of type str, and that of row 1 is int")]


def test_references_that_the_judge_cannot_use_are_found_though_no_right_completion_is_known() -> None:
    rows = [{"question": f"{n}?", "answer": n} for n in range(3)]
    made = make_env(rows, "{question}", verifier=Loud())
    vars(made)["reference_completions"] = lambda task: ()
    found = check(made, probes=1)
    assert [(f.trouble, f.row) for f in found.findings] == [(Trouble.NOT_JUDGED, row) for row in range(3)]
    assert found.findings[2].detail == "error: Loud failed: TypeError: 2 is no text"


class Loud(Verifier[Any]):
    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        raise TypeError(f"{reference!r} is no text")


def test_of_a_row_that_cannot_be_judged_one_finding_tells() -> None:
    answers = ["1", "x = =", None, "\\frac{1}{", "", " ", [4]]
    rows = [{"question": f"{n}?", "answer": answer} for n, answer in enumerate(answers)]
    found = [(f.row, f.trouble) for f in check(make_env(rows, "{question}", verifier=MathVerifier())).findings]
    assert found == [
        (1, Trouble.NOT_JUDGED),
        (2, Trouble.EMPTY),
        (3, Trouble.NOT_JUDGED),
        (4, Trouble.EMPTY),
        (5, Trouble.EMPTY),
        (6, Trouble.OTHER_TYPE),
    ]


def test_a_row_of_one_split_that_another_one_asks_is_found() -> None:
    rows = {"train": ROWS[:6], "dev": [ROWS[8]], "test": [ROWS[7], {"question": "what is 3 + 1 ?", "answer": "4"}]}
    made = make_env(rows, "{question}", verifier=exact)
    train, dev, test = check_splits(made)
    assert train.is_clean
    assert dev.is_clean
    [finding] = test.findings
    assert (finding.trouble, finding.row, finding.detail) == (Trouble.SHARED, 1, "asks what row 4 of train asks")
    assert all(report.is_clean for report in check_splits(made, ["dev", "test"]))
    assert check_splits(made, ["test"], limit=1) == [check(made, "test", limit=1)]


def test_a_reference_that_cannot_be_read_is_found_though_its_own_text_passes() -> None:
    rows = [{"question": f"{n}?", "answer": answer} for n, answer in enumerate(["1", "x = =", "banana"])]
    [finding] = check(make_env(rows, "{question}", verifier=MathVerifier()), probes=1).findings
    assert (finding.trouble, finding.row) == (Trouble.NOT_JUDGED, 1)
    assert finding.detail.startswith("bad_reference: the reference x = = cannot be read: '='")


@pytest.mark.parametrize(("limit", "said"), [(None, "5 tasks declared, 3 loaded"), (4, "5 tasks declared, 3 loaded")])
def test_a_split_that_is_not_as_large_as_declared_is_found(limit: int | None, said: str) -> None:
    made = environment(rows=ROWS[:3])
    vars(made)["splits"] = {"train": 5}
    [finding] = check(made, limit=limit).findings
    assert (finding.trouble, finding.row, finding.detail) == (Trouble.SIZE, None, said)
    assert check(made, limit=3).is_clean
