"""``TestSuite``: what a program must do, as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ...errors import InputError
from .codec import NotComparable, encode
from .compare import has_nan, output_comparison

Call = tuple[Sequence[Any], Mapping[str, Any], Any]


@dataclass(frozen=True, slots=True)
class TestSuite:
    """Tests for a program. Make one with ``from_asserts``, ``from_stdio``, ``from_calls`` or ``from_code``.

    A suite is plain data: it can be hashed, compared, pickled, and written as JSON (``to_json``), so that a data set's
    column can carry it. A suite without a test can be made; ``CodeVerifier`` answers it with BAD_REFERENCE.

    Attributes:
        kind: "asserts", "stdio", "calls" or "code".
        entry_points: The functions or classes that the tests call; the first is the main one. Empty for "stdio".
        source: The text of the tests, for "asserts" and "code".
        cases: For "stdio" (input, expected output); for "calls" (arguments, keywords, expected), each as JSON text.
        prompt: The beginning of the program that the completion continues, where there is one (HumanEval).
        compare: How outputs are compared: "lines", "exact", "tokens", "numbers", "unordered".
        tolerance: Largest difference of two floats, absolute or relative.
        checker: Python source of a special checker; see ``docs/guide/code.md``.
    """

    __test__: ClassVar[bool] = False  # tells pytest that this is none of its classes

    kind: str
    entry_points: tuple[str, ...] = ()
    source: str = ""
    cases: tuple[tuple[str, ...], ...] = ()
    prompt: str = ""
    compare: str = "lines"
    tolerance: float = 0.0
    checker: str = ""

    @classmethod
    def from_asserts(
        cls,
        text: str | Sequence[str],
        *,
        entry_point: str | Sequence[str] | None = None,
        setup: str = "",
        prompt: str = "",
    ) -> TestSuite:
        r"""Tests that are ``assert`` statements, as in MBPP.

        Args:
            text: The statements, as one text or a list of them.
            entry_point: What they call; where None, the functions that the asserts call first.
            setup: Statements before them.
            prompt: The beginning of the program, where completions continue one.

        >>> TestSuite.from_asserts("assert f(2) == 4\nassert f(3) == 9", entry_point="f").entry_points
        ('f',)
        """
        lines = [text] if isinstance(text, str) else list(text)
        source = "\n".join(_text(part, "an assert").replace("\r\n", "\n") for part in [setup, *lines] if part)
        names = _names(entry_point) or _called(source)
        return cls("asserts", names, source, prompt=_text(prompt, "prompt"))

    @classmethod
    def from_code(cls, source: str, *, entry_point: str | Sequence[str], prompt: str = "") -> TestSuite:
        r"""Any test code: asserts, ``check(candidate)`` as in HumanEval, ``test_*`` functions, ``unittest`` cases.

        Args:
            source: The test code. It may call the entry points, and whatever ``prompt`` defines.
            entry_point: What it calls of the program; of several the first is handed to ``check``.
            prompt: The beginning of the program, where completions continue one. It is trusted code.

        >>> TestSuite.from_code("def check(candidate):\n    assert candidate(2) == 4", entry_point="square").kind
        'code'
        """
        names = _names(entry_point)
        if not names:
            raise InputError("from_code needs the name of at least one function or class as entry_point")
        return cls("code", names, _text(source, "source"), prompt=_text(prompt, "prompt"))

    @classmethod
    def from_stdio(
        cls, cases: Iterable[tuple[str, str]], *, compare: str = "lines", tolerance: float = 0.0, checker: str = ""
    ) -> TestSuite:
        r"""Inputs for a whole program, with the outputs expected.

        Args:
            cases: (standard input, expected standard output).
            compare: "lines" (white space at line ends and blank lines at the end apart), "exact", "tokens" (white
                space apart), "numbers" (tokens, with integers compared as integers and other numbers within
                ``tolerance``), or "unordered" (lines in any order).
            tolerance: Largest absolute or relative difference of two numbers, for "numbers".
            checker: Python source that defines ``check(stdin, stdout, expected) -> bool`` in place of ``compare``.

        Raises:
            InputError: A case is no pair of texts, there is no such comparison, or the tolerance is no number >= 0.

        >>> len(TestSuite.from_stdio([("3\n", "9\n")]).cases)
        1
        """
        output_comparison(compare, tolerance)
        pairs = []
        for number, case in enumerate(cases):
            if isinstance(case, str) or len(case) != 2 or not all(isinstance(part, str) for part in case):
                raise InputError(f"stdio case {number} is {case!r:.200}; expected (stdin, stdout), both str")
            pairs.append((case[0], case[1]))
        return cls(
            "stdio",
            cases=tuple(pairs),
            compare=compare,
            tolerance=_tolerance(tolerance),
            checker=_text(checker, "checker"),
        )

    @classmethod
    def from_calls(
        cls, name: str, cases: Iterable[Call], *, tolerance: float = 0.0, checker: str = "", prompt: str = ""
    ) -> TestSuite:
        """Calls of one function, with the values expected. Types matter: True is not 1, and a list is no tuple.

        Args:
            name: The function, or a method of a class ``Solution``.
            cases: (arguments, keyword arguments, expected value), of plain values.
            tolerance: Largest absolute or relative difference of two floats; 0 is exact.
            checker: Python source that defines ``check(arguments, keywords, result, expected) -> bool``; it replaces
                equality.
            prompt: The beginning of the program, where completions continue one.

        Raises:
            InputError: A case is no such triple, holds a value that is not plain, or expects NaN, which nothing equals.

        >>> TestSuite.from_calls("f", [((2,), {}, 4)]).kind
        'calls'
        """
        forms = tuple(_form_of(case, number, checked=bool(checker)) for number, case in enumerate(cases))
        return cls(
            "calls", _names(name), cases=forms, prompt=_text(prompt, "prompt"), tolerance=_tolerance(tolerance),
            checker=_text(checker, "checker"),
        )  # fmt: skip

    def to_json(self) -> str:
        """The suite as JSON text, the same for equal suites.

        >>> suite = TestSuite.from_stdio([("1", "2")])
        >>> TestSuite.from_json(suite.to_json()) == suite
        True
        """
        defaults = TestSuite(self.kind)
        fields = {key: value for key, value in asdict(self).items() if key == "kind" or value != getattr(defaults, key)}
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> TestSuite:
        """The suite that ``to_json`` wrote.

        Raises:
            InputError: The text is something else.
        """
        try:
            fields = json.loads(text)
            fields["entry_points"] = tuple(map(str, fields.get("entry_points", ())))
            fields["cases"] = tuple(tuple(map(str, case)) for case in fields.get("cases", ()))
            suite = cls(**fields)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f"{str(text)[:200]!r} is no test suite; expected what TestSuite.to_json() wrote: {error}"
            ) from error
        if suite.kind not in ("asserts", "stdio", "calls", "code"):
            raise InputError(
                f"a test suite has the kind {suite.kind!r}; expected 'asserts', 'stdio', 'calls' or 'code'"
            )
        return suite


def _form_of(case: Call, number: int, *, checked: bool) -> tuple[str, ...]:
    """Arguments, keyword arguments and expected value of one call, each as JSON text of its encoded form."""
    if isinstance(case, str) or len(case) != 3 or not isinstance(case[1], Mapping):
        raise InputError(f"call case {number} is {case!r:.200}; expected (arguments, keywords, expected)")
    if isinstance(case[0], (str, bytes)) or not isinstance(case[0], Sequence):
        raise InputError(f"call case {number} has the arguments {case[0]!r:.200}; expected a sequence of them")
    arguments, keywords, expected = case
    if has_nan(expected) and not checked:
        raise InputError(f"call case {number} expects NaN, which equals nothing; give a checker instead")
    try:
        parts = ([encode(a) for a in arguments], {str(k): encode(v) for k, v in keywords.items()}, encode(expected))
    except NotComparable as error:
        raise InputError(f"call case {number} holds a value that is not plain: {error}") from error
    return tuple(json.dumps(part, separators=(",", ":")) for part in parts)


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} is {value!r:.200}; expected a str")
    return value


def _names(value: str | Sequence[str] | None) -> tuple[str, ...]:
    names = () if value is None else (value,) if isinstance(value, str) else tuple(value)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"entry_point {name!r:.200} is no name of a function or class")
    return names


def _called(source: str) -> tuple[str, ...]:
    """What the asserts of a text call; nothing where it cannot be read, which the verifier reports."""
    from .planning import entry_points  # it brings the parser of tests, which importing this module need not

    try:
        return entry_points(source)
    except SyntaxError:
        return ()


def _tolerance(value: float) -> float:
    if not isinstance(value, (int, float)) or not 0.0 <= value < 1e300:
        raise InputError(f"tolerance is {value!r}; expected a number >= 0")
    return float(value)
