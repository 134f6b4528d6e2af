"""Stored completions are judged again, from files of several origins; interrupted, compared, refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay import Result, Verdict, Verifier, make
from assay.environments.define import make_env
from assay.environments.games.guess_number import GuessNumber
from assay.environments.judged_file import Judged
from assay.environments.rescoring import Rescored, find_verifier, rescore, rows_of
from assay.errors import InputError, LoadFailed, StorageFailed, UnknownName
from assay.verifiers import MathVerifier

ENVIRONMENT = make_env(
    [{"question": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(100)], "{question}", verifier=MathVerifier()
)
TASKS = ENVIRONMENT.tasks("train")


class Length(Verifier[str]):
    """Correct where the completion is short."""

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        return Result.correct(answer="short") if len(completion) < 12 else Result.incorrect(answer="long")


def written(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def boxed(number: int) -> str:
    return f"\\boxed{{{number}}}"


def test_rows_find_their_task_by_id_by_prompt_and_inside_a_chat_template(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"task_id": TASKS[3].id, "completion": boxed(4), "score": 1.0},
        {"task": TASKS[4].id, "completion": boxed(9), "score": 1.0},  # samples of an evaluation
        {"prompt": list(TASKS[5].prompt), "completion": [{"role": "assistant", "content": boxed(6)}]},
        {"prompt": "<|user|>What is 71 + 1?<|assistant|>", "completion": boxed(72), "reward": 0.0},
        {"prompt": "What is 7 + 1?", "completion": None},
    ]
    rescored = rescore(written(tmp_path / "rows.jsonl", rows), ENVIRONMENT)
    assert [row.task for row in rescored.judged] == [TASKS[n].id for n in (3, 4, 5, 71, 7)]
    verdicts = [Verdict.CORRECT, Verdict.INCORRECT, Verdict.CORRECT, Verdict.CORRECT, Verdict.NO_ANSWER]
    assert [row.verdict for row in rescored.judged] == verdicts
    assert [row.row for row in rescored.changed] == [1, 3]
    assert rescored.accuracy == 0.6
    assert rescored.verdicts[Verdict.NO_ANSWER] == 1


def test_a_table_of_completions_from_a_trainer_is_read(tmp_path: Path) -> None:
    rows = [
        {
            "step": 1,
            "prompt": [dict(message) for message in TASKS[n].prompt],  # type: ignore[arg-type]
            "completion": [{"role": "assistant", "content": boxed(n + n % 2)}],
            "math": 1.0,
            "advantage": 0.0,
        }
        for n in range(10)
    ]
    rescored = rescore(written(tmp_path / "completions_00001.parquet", rows), ENVIRONMENT, split="train")
    assert [row.verdict is Verdict.CORRECT for row in rescored.judged] == [bool(n % 2) for n in range(10)]


def test_without_an_environment_a_column_holds_the_references(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"response": boxed(2), "gold": "2"}, {"response": boxed(3), "gold": "2"}])
    rescored = rescore(path, verifier=MathVerifier(), reference="gold")
    assert [row.score for row in rescored.judged] == [1.0, 0.0]
    with pytest.raises(
        InputError, match=r"rows\.jsonl has no column with a reference; it has response, gold\. Name it"
    ):
        rescore(path, verifier=MathVerifier())


def test_two_judges_are_compared_row_by_row(tmp_path: Path) -> None:
    rows = [
        {"task_id": TASKS[n].id, "completion": text} for n, text in enumerate([boxed(1), "x", f"It is {boxed(3)}."])
    ]
    rescored = rescore(written(tmp_path / "rows.jsonl", rows), ENVIRONMENT, against=Length())
    assert [row.row for row in rescored.disagreements] == [1, 2]
    assert list(rows_of(rescored.disagreements))[1][:4] == ("3", "", "correct 1", "incorrect 0")


def test_a_rollout_with_tools_is_replayed(tmp_path: Path) -> None:
    environment = GuessNumber(levels=[1], train_size=3)
    task = environment.tasks("train", limit=1)[0]
    secret = json.loads(task.reference)["secret"]
    call = {"type": "function", "function": {"name": "guess", "arguments": {"number": secret}}}
    messages = [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "assistant", "content": "Found."}]
    path = written(tmp_path / "rows.jsonl", [{"task_id": task.id, "completion": messages}])
    assert rescore(path, environment, split="train").accuracy == 1.0


def test_an_interrupted_run_goes_on_and_judges_nothing_twice(tmp_path: Path) -> None:
    path = written(
        tmp_path / "rows.jsonl", [{"task_id": TASKS[n % 100].id, "completion": boxed(n)} for n in range(150)]
    )
    output = tmp_path / "judged.jsonl"
    batches: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        batches.append((done, total))
        if done == 64:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rescore(path, ENVIRONMENT, output=output, on_batch=stop)
    with output.open("a") as file:
        file.write('{"row": 64, "tas')  # torn by a kill
    whole = rescore(path, ENVIRONMENT, output=output, on_batch=lambda done, total: batches.append((done, total)))
    assert batches == [(64, 150), (128, 150), (150, 150)]
    assert whole == rescore(path, ENVIRONMENT)
    assert len(output.read_text().splitlines()) == 151
    assert rescore(path, ENVIRONMENT, output=output) == whole


def test_an_output_of_other_judgements_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"task_id": TASKS[0].id, "completion": boxed(1)}])
    output = tmp_path / "judged.jsonl"
    rescore(path, ENVIRONMENT, output=output)
    with pytest.raises(
        InputError, match=r"judged\.jsonl holds judgements of other completions or judges; choose another"
    ):
        rescore(path, ENVIRONMENT, against=Length(), output=output)
    output.write_text("{}\n5\n")
    with pytest.raises(
        InputError, match=r"judged\.jsonl is not the output of a rescoring: .*, line 2 is an int, '5'; expect"
    ):
        rescore(path, ENVIRONMENT, output=output)
    output.write_bytes(b"PAR1\xff\n")
    with pytest.raises(InputError, match=r"judged\.jsonl is not the output of a rescoring: 'utf-8' codec can't decode"):
        rescore(path, ENVIRONMENT, output=output)
    with pytest.raises(StorageFailed, match=r"cannot be written: .*Not a directory"):
        rescore(path, ENVIRONMENT, output=path / "below" / "a file")


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([], {}, "rows.jsonl holds no row"),
        (
            [{"task_id": "none", "completion": "x"}],
            {},
            "row 1: no task of local/rows-v1 has the id or the prompt of this",
        ),
        (
            [{"task_id": "none", "said": "x"}],
            {},
            "has no column with a completion; it has task_id, said. Name it with com",
        ),
        (
            [{"completion": "x"}],
            {"environment": None},
            "there is nothing to judge with: give an environment or a verifie",
        ),
        (
            [{"completion": "x", "answer": "1"}, {"completion": "x"}],
            {"environment": None, "verifier": MathVerifier()},
            "row 2: it lacks answer; it has completion",
        ),
    ],
)
def test_a_file_that_does_not_fit_says_where(
    tmp_path: Path, rows: list[dict[str, Any]], options: dict[str, Any], message: str
) -> None:
    path = written(tmp_path / "rows.jsonl", rows)
    with pytest.raises(InputError) as caught:
        rescore(path, options.pop("environment", ENVIRONMENT), **options)
    assert message in str(caught.value)


def test_a_verifier_is_found_in_a_module_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from assay.verifiers import MathVerifier\n"
        "made = MathVerifier()\n"
        "def exact(completion, reference):\n    return completion == reference\n"
    )
    assert isinstance(find_verifier("assay.verifiers:MathVerifier"), MathVerifier)
    assert isinstance(find_verifier(f"{tmp_path / 'mine.py'}:made"), MathVerifier)
    assert find_verifier(f"{tmp_path / 'mine.py'}:exact").verify(["a"], ["a"])[0].is_correct
    with pytest.raises(UnknownName, match="no verifier is called 'exact'"):
        find_verifier("exact")
    with pytest.raises(LoadFailed, match="could not be loaded"):
        find_verifier("assay.verifiers:Nothing")
    with pytest.raises(InputError, match="expected a Verifier or a function"):
        find_verifier("math:pi")


def test_no_rows_have_no_accuracy() -> None:
    assert Rescored(()).accuracy != Rescored(()).accuracy
    row = Judged(0, "", Verdict.ERROR, None, None, "broken", 1.0)
    assert not row.agrees_with_stored
    assert next(rows_of([row]))[:3] == ("1", "1", "error -")


def test_the_command_prints_what_changed_and_every_disagreement(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from assay.cli.score_command import command

    tasks = make("math/arithmetic").tasks("test", limit=3)
    rows = [
        {"task_id": task.id, "completion": f"<think></think><answer>{task.reference}</answer>", "score": float(n)}
        for n, task in enumerate(tasks[:2])
    ]
    rows.append({"task_id": tasks[2].id, "completion": tasks[2].reference, "score": 0.0})
    (tmp_path / "mine.py").write_text("def loose(completion, reference):\n    return reference in completion\n")
    arguments = [str(written(tmp_path / "rows.jsonl", rows)), "--env", "math/arithmetic", "--split", "test"]
    done = CliRunner().invoke(
        command,
        [*arguments, "--against", f"{tmp_path / 'mine.py'}:loose", "--output", str(tmp_path / "judged.jsonl")],
        env={"COLUMNS": "200"},
        catch_exceptions=False,
    )
    assert done.exit_code == 0
    assert "3 completions: 0.6667 correct (2 correct, 1 no_answer)" in done.stdout
    assert "1 stored scores that are others now" in done.stdout
    assert "1 disagreements of the two judges" in done.stdout
    assert len((tmp_path / "judged.jsonl").read_text().splitlines()) == 4
