"""``assay score``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from ..environments.datasets import Row
from ..errors import InputError
from ..verifiers import MathVerifier, Result
from .options import environment_options, parsed_options
from .rescoring import judge_again
from .rows import STDIN, rows_in


@click.command("score")
@click.argument("text", required=False, metavar="[COMPLETION | FILE]")
@click.option("--reference", "-r", help="The gold answer.")
@click.option(
    "--file", "path", type=click.Path(path_type=Path), help="Rows with `completion` and `reference`; - is stdin."
)
@click.option("--answer", "is_answer", is_flag=True, help="The text is the answer itself, not a whole completion.")
@click.option("--explain", is_flag=True, help="Say what was extracted, how it was read, and what differed.")
@click.option("--env", "environment", help="Judge the stored completions in FILE again, as tasks of this environment.")
@click.option("--split", help="The split with these tasks  [default: all finite ones]")
@environment_options
@click.option("--verifier", help="Judge those in FILE with this: package.module:attribute or file.py:attribute.")
@click.option("--against", help="A second verifier, named alike; every disagreement is listed.")
@click.option("--completion-column", help="The column of FILE with the completions.")
@click.option("--reference-column", help="Without --env, the column of FILE with the references.")
@click.option("--output", type=click.Path(path_type=Path), help="A JSONL file for the judgements; makes it resumable.")
def command(
    text: str | None,
    reference: str | None,
    path: Path | None,
    is_answer: bool,
    explain: bool,
    environment: str | None,
    split: str | None,
    pairs: tuple[str, ...],
    verifier: str | None,
    against: str | None,
    completion_column: str | None,
    reference_column: str | None,
    output: Path | None,
) -> None:
    """Judge a mathematical COMPLETION (- for standard input) against --reference, by value; or a FILE again.

    Exit status 1 where the completion is not correct. With --file, one JSON line for each row.

    With --env or --verifier, FILE holds stored completions: JSONL, Parquet or CSV, samples of an evaluation, or a table
    that TRL wrote. Stored scores that are others now are listed, and with --against the rows that two judges differ on.
    """
    if environment is not None or verifier is not None:
        arguments = {"split": split, "completion": completion_column, "reference": reference_column, "output": output}
        judge_again(_stored(text), environment, parsed_options(pairs), verifier, against, **arguments)
    elif path is not None:
        _score_file(path, is_answer)
    else:
        _score_text(text, reference, is_answer, explain=explain)


def _stored(text: str | None) -> Path:
    """The file whose completions are judged again."""
    if text is None:
        raise InputError("give the file with the completions to judge again")
    if text == STDIN:
        raise InputError("completions to judge again are read from a file, not from standard input: give its name")
    if Path(text).is_dir():
        raise InputError(f"{text!r} is a folder; give a file in it, such as {Path(text) / 'samples.jsonl'}")
    return Path(text)


def _score_text(text: str | None, reference: str | None, is_answer: bool, *, explain: bool) -> None:
    """Print the verdict of one completion; the exit status tells whether it is correct."""
    if text is not None and _is_file(text):
        raise InputError(
            f"{text!r} is a file: judge the completions in it as tasks of an environment with --env NAME, or by a "
            "judge of your own with --verifier file.py:NAME; JSON lines with completion and reference with --file; the "
            f"text in it as one completion with: assay score - --reference ANSWER < {text}"
        )
    if text is None or reference is None:
        raise InputError("give a completion and --reference, or --file with JSON lines that hold both, or --env")
    completion = _standard_input() if text == STDIN else text
    [result] = _judge([completion], [reference], is_answer)
    click.echo(
        f"{result.verdict}  {'no score' if result.score is None else f'{result.score:g}'}  {result.reason}".rstrip()
    )
    if explain:
        _explain(completion, reference, is_answer)
    sys.exit(result.score != 1.0)


def _standard_input() -> str:
    """All of it as text, whatever the locale says; bytes that are no UTF-8 are what a policy wrote, too."""
    text: bytes = sys.stdin.buffer.read()
    return text.decode("utf-8-sig", "replace")


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # too long for a name
        return False


def _judge(texts: list[str], references: list[str], is_answer: bool) -> list[Result]:
    verifier = MathVerifier()
    return (verifier.verify_answers if is_answer else verifier.verify)(texts, references)


def _score_file(path: Path, is_answer: bool) -> None:
    """Print a JSON line for each row of the file, in its order."""
    rows = [_checked(*placed) for placed in rows_in(path)]
    results = _judge([row["completion"] for row in rows], [row["reference"] for row in rows], is_answer)
    for result in results:
        shown = {"verdict": result.verdict, "score": result.score, "answer": result.answer, "reason": result.reason}
        click.echo(json.dumps(shown, ensure_ascii=False))


def _checked(where: str, row: Row) -> Row:
    for key in ("completion", "reference"):
        if not isinstance(row.get(key), str):
            found = f"{key} is {row[key]!r:.60}" if key in row else f"it has {', '.join(row) or 'nothing'}"
            raise InputError(f"{where}: {found}; expected an object with the texts `completion` and `reference`")
    return row


def _explain(text: str, reference: str, is_answer: bool) -> None:
    """How both sides were read."""
    from ..verifiers.math.explain import explain_answer, explain_extraction, extracted

    if not is_answer:
        click.echo(f"extracted: {explain_extraction(text, reference)}")
    answer = text if is_answer else extracted(text, reference)
    if answer is not None:
        click.echo(f"answer:    {explain_answer(answer)}")
    click.echo(f"reference: {explain_answer(reference)}")
