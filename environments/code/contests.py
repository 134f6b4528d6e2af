"""Problems of programming contests, out of the forms in which data sets give them."""

from __future__ import annotations

import base64
import io
import json
import pickle
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from ..datasets import Row

_PYTHON3 = 3  # of CodeContests' numbers for languages: 0 unknown, 1 Python 2, 2 C++, 3 Python 3, 4 Java
_DIFFICULTY = {"introductory": 1.0, "interview": 2.0, "competition": 3.0, "easy": 1.0, "medium": 2.0, "hard": 3.0}
# Text that a compressed row may grow to: the largest of LiveCodeBench are some hundred megabytes.
_MOST_BYTES = 1 << 30
Test = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with its tests.

    Attributes:
        statement: What is asked.
        public: The tests that the statement shows: (standard input, expected output), or JSON texts of arguments and
            of the expected value where ``function`` is named.
        hidden: All others.
        function: The function to write; empty for a whole program.
        starter: Code to begin with.
        solution: A Python solution, where one is given.
        difficulty: Larger is harder.
        source: Where the problem comes from.
        compare: How outputs are compared, as in ``TestSuite.from_stdio``.
        complete: Whether the statement says all about the form of the answer.
    """

    statement: str
    public: tuple[Test, ...]
    hidden: tuple[Test, ...]
    function: str = ""
    starter: str = ""
    solution: str = ""
    difficulty: float | None = None
    source: str = ""
    compare: str = "tokens"
    complete: bool = False

    def call(self, test: Test) -> tuple[Sequence[Any], Mapping[str, Any], Any]:
        """A test of a function: arguments, no keywords, the value."""
        return json.loads(test[0]), {}, json.loads(test[1])


def format_of(row: Row) -> str:
    """Which of ``FORMATS`` a row has.

    Raises:
        InputError: None of them; the message lists the columns that tell them apart.
    """
    for column, name in _MARKS.items():
        if column in row:
            return name
    raise InputError(f"its columns are {', '.join(map(str, row))}; expected one of {', '.join(_MARKS)} among them")


def apps(row: Row) -> Problem:
    """APPS: ``input_output`` is JSON with ``inputs``, ``outputs`` and, for functions, ``fn_name``.

    A function's expected value is wrapped in a list of one; the wrapping is taken off. APPS shows its examples in the
    statement only, so no test is public.
    """
    tests = json.loads(row["input_output"] or "{}")
    function = tests.get("fn_name") or ""
    pairs = zip(tests.get("inputs", []), tests.get("outputs", []), strict=True)
    if function:
        hidden = tuple((json.dumps(given), json.dumps(_unwrapped(wanted))) for given, wanted in pairs)
    else:
        hidden = tuple((_lines(given), _lines(wanted)) for given, wanted in pairs)
    solutions = json.loads(row.get("solutions") or "[]")
    return Problem(
        row["question"],
        (),
        hidden,
        function,
        row.get("starter_code") or "",
        solutions[0] if solutions else "",
        _DIFFICULTY.get(str(row.get("difficulty"))),
        str(row.get("url") or ""),
    )


def code_contests(row: Row) -> Problem:
    """CodeContests: columns of tests with ``input`` and ``output``; private and generated ones are hidden."""
    public, private, made = (
        tuple(zip(row[kind]["input"], row[kind]["output"], strict=True)) if row.get(kind) else ()
        for kind in ("public_tests", "private_tests", "generated_tests")
    )
    given = row.get("solutions") or {"language": [], "solution": []}
    python = [text for kind, text in zip(given["language"], given["solution"], strict=True) if kind == _PYTHON3]
    rating = row.get("cf_rating") or None
    solution = python[0] if python else ""
    return Problem(
        row["description"],
        public,
        (*private, *made),
        solution=solution,
        difficulty=None if rating is None else float(rating),
        source=str(row.get("name", "")),
    )


def livecodebench(row: Row) -> Problem:
    """LiveCodeBench: JSON lists of tests; the private ones may be packed: base64 of zlib of a pickled JSON text."""
    public, private = _tests(row["public_test_cases"]), _tests(row["private_test_cases"])
    kinds = {test.get("testtype", "stdin") for test in (*public, *private)}
    if len(kinds) > 1:
        raise InputError(f"its tests are of several kinds: {', '.join(sorted(kinds))}")
    function = ""
    if kinds == {"functional"}:
        function = json.loads(row.get("metadata") or "{}").get("func_name") or ""
        if not function:
            raise InputError("its tests call a function, but metadata has no func_name")
    shown, hidden = (
        tuple((_arguments(test["input"]) if function else test["input"], test["output"]) for test in tests)
        for tests in (public, private)
    )
    return Problem(
        row["question_content"],
        shown,
        hidden,
        function=function,
        starter=row.get("starter_code") or "",
        difficulty=_DIFFICULTY.get(str(row.get("difficulty"))),
        source=f"{row.get('platform', '')}/{row.get('question_id', '')}",
    )


def nemo_gym(row: Row) -> Problem:
    """NeMo-Gym: the statement is the request's messages, the tests lie in ``verifier_metadata``."""
    statement = "\n\n".join(_content(message) for message in row["responses_create_params"]["input"])
    tests = row["verifier_metadata"]["unit_tests"]
    hidden = tuple(
        (_lines(given), _lines(wanted)) for given, wanted in zip(tests["inputs"], tests["outputs"], strict=True)
    )
    return Problem(statement, (), hidden, source=str(row.get("source", "")), complete=True)


FORMATS: Mapping[str, Callable[[Row], Problem]] = {
    "apps": apps,
    "code_contests": code_contests,
    "livecodebench": livecodebench,
    "nemo_gym": nemo_gym,
}
# A column that only rows of this form have.
_MARKS = {
    "input_output": "apps",
    "public_tests": "code_contests",
    "public_test_cases": "livecodebench",
    "verifier_metadata": "nemo_gym",
}


def _content(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def _lines(value: Any) -> str:
    """Text as it is; a list is its lines."""
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _unwrapped(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _arguments(text: str) -> str:
    """One JSON value a line, as a JSON list."""
    return f"[{', '.join(line for line in text.splitlines() if line.strip())}]"


def _tests(text: str) -> list[dict[str, Any]]:
    try:
        tests = json.loads(text)
    except ValueError:
        tests = json.loads(_unpacked(text))
    if not isinstance(tests, list):
        raise InputError(f"its tests are a {type(tests).__name__}; expected a list")
    return tests


class _TextOnly(pickle.Unpickler):
    """Reads a pickle of one text and nothing else: a pickle that names anything to import is refused."""

    def find_class(self, module: str, name: str) -> Any:
        raise InputError(f"its packed tests ask to import {module}.{name}; only text is unpacked")


def _unpacked(text: str) -> str:
    try:
        inflate = zlib.decompressobj()
        data = inflate.decompress(base64.b64decode(text), _MOST_BYTES)
        found = None if inflate.unconsumed_tail else _TextOnly(io.BytesIO(data)).load()
    except InputError:
        raise
    except Exception as error:  # a damaged pickle may raise anything
        raise InputError(f"its tests are neither JSON nor packed JSON: {error!r:.200}") from error
    if not isinstance(found, str):
        raise InputError(f"its packed tests are no text of at most {_MOST_BYTES >> 20} MiB")
    return found
