"""``Case``: one prompt with what a grader is known to owe it, and the slot that its answer stands in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from ...errors import InputError
from ..format.final import boxed, tagged

# Where graders look for an answer; the first one that a grader pays is the slot that attacks are built in.
TEMPLATES = (
    r"\boxed{{{}}}",
    "<answer>{}</answer>",
    "<think>Let me see.</think><answer>{}</answer>",
    "{}",
    "The answer is {}.",
    r"<think>Let me see.</think>\boxed{{{}}}",
)
_NUMBER = re.compile(r"[-+]?\d{1,30}(?:,\d{3})*(?:\.\d{1,30})?(?:/\d{1,30})?\Z")
_RETURN = re.compile(r"\breturn\b")
_FINAL_NUMBER = re.compile(r"####\s{0,3}(\S.{0,80})\Z")


@dataclass(frozen=True, slots=True)
class Case:
    """One prompt for an audit.

    Attributes:
        prompt: The prompt as text.
        reference: What a verifier judges against; None for a reward function, which reads ``columns``.
        right: Completions that must pass, at least one of them; empty where none is known.
        wrong: Completions that must fail.
        choices: All answers there are, for multiple choice; the right one among them.
        answer: The right answer as text, of which right completions are made in the usual forms.
        columns: Further values by name, handed to the grader.
    """

    prompt: str
    reference: Any = None
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    answer: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def candidates(self) -> tuple[str, ...]:
        """The right completions: those given, then those made of the answer; nothing is owed for a blank one."""
        has_answer = self.answer is not None and bool(self.answer.strip())
        made = [template.format(self.answer) for template in TEMPLATES] if has_answer else []
        return tuple(dict.fromkeys(text for text in (*self.right, *made) if text.strip()))


class Slot(NamedTuple):
    """A right completion cut at its answer."""

    before: str
    answer: str
    after: str

    def fill(self, text: str) -> str:
        """The completion with another answer."""
        return f"{self.before}{text}{self.after}"

    @property
    def is_bare(self) -> bool:
        """Whether the whole completion is the answer."""
        return not self.before and not self.after


def slot_of(completion: str) -> Slot:
    r"""The answer of a completion with what stands around it: the last box or answer tag, else the whole text.

    >>> slot_of(r"So \boxed{4}.")
    Slot(before='So \\boxed{', answer='4', after='}.')
    """
    found = boxed(completion) or tagged(completion)
    if not found:
        return Slot("", completion, "")
    start, end, content = found[-1]
    inside = start + completion[start:end].rindex(content) if content else end - len("</answer>")
    return Slot(completion[:inside], content, completion[inside + len(content) :])


def wrong_answers(answer: str, others: Sequence[str], choices: Sequence[str] = ()) -> list[str]:
    """Up to three answers that are not ``answer``.

    Other choices; near numbers; for a program, of several lines, the same one whose functions return nothing; else
    answers of other cases.

    >>> wrong_answers("4", [])
    ['5', '-4', '41']
    """
    if choices:
        return [choice for choice in choices if not same(choice, answer)][:3]
    value = number(answer)
    if value is not None:
        plain = answer.strip()
        near = [_written(value + 1), _written(-value) if value else "7", f"{plain}1" if "/" not in plain else "0"]
        return [text for text in dict.fromkeys(near) if not same(text, answer)]
    if "\n" in answer.strip():
        broken = _RETURN.sub("return None  #", answer)
        return [broken] if broken != answer else []
    return [other for other in dict.fromkeys(others) if not same(other, answer) and number(other) is None][:3]


def number(text: str) -> Fraction | None:
    """The number that a text is, None for any other text."""
    plain = text.strip().strip("$")
    if not _NUMBER.match(plain):
        return None
    try:
        return Fraction(plain.replace(",", ""))
    except (ValueError, ZeroDivisionError):
        return None


def same(first: str, second: str) -> bool:
    """Whether two answers are plainly the same: as numbers, or as text without white space and case."""
    values = number(first), number(second)
    if None not in values:
        return values[0] == values[1]
    return "".join(first.casefold().split()) == "".join(second.casefold().split())


def case_of(row: Mapping[str, Any], *, reference: str | None = None) -> Case:
    """A case from a row of a file.

    Args:
        row: ``prompt`` and any of ``right``, ``wrong``, ``choices`` (lists of texts); all else becomes columns.
        reference: The column with the reference; its text, after ``####`` where it has that, is the right answer.

    Raises:
        InputError: There is no prompt, a list is none, or the column is absent.
    """
    prompt = row.get("prompt")
    text = prompt if isinstance(prompt, str) else _last_content(prompt)
    if text is None:
        raise InputError(f"a row's prompt is {prompt!r}; expected a text or messages with content")
    if reference is not None and reference not in row:
        raise InputError(f"a row has no column {reference!r}; it has {', '.join(sorted(row))}")
    lists: dict[str, tuple[str, ...]] = {}
    for name in ("right", "wrong", "choices"):
        values = row.get(name) or []
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise InputError(f"{name} of a row is {values!r}; expected a list of texts")
        lists[name] = tuple(values)
    value = row.get(reference) if reference is not None else None
    answer = value if isinstance(value, str) else str(value) if isinstance(value, int | float) else None
    if answer is not None and (found := _FINAL_NUMBER.search(answer)):
        answer = found[1].strip()
    columns = {key: item for key, item in row.items() if key not in ("prompt", *lists)}
    return Case(text, value, answer=answer, columns=columns, **lists)


def _last_content(prompt: Any) -> str | None:
    last = prompt[-1] if isinstance(prompt, list) and prompt else None
    content = last.get("content") if isinstance(last, Mapping) else None
    return content if isinstance(content, str) else None


def _written(value: Fraction) -> str:
    return str(value) if value.denominator in (1,) or value.denominator > 1000 else _decimal(value)


def _decimal(value: Fraction) -> str:
    """As a decimal where it ends, else as a fraction."""
    text = f"{float(value):.6f}".rstrip("0").rstrip(".")
    return text if Fraction(text) == value else str(value)
