"""Forms of Markdown and LaTeX: ``CodeFence``, ``BoxedFormat``, ``MarkdownFormat``."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...errors import InputError
from ..base import Result, Verifier
from .final import boxed, final_text

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)\Z")
_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})(?:[ \t]+(?P<title>\S.*)|[ \t]*)\Z")
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+\S")
_NUMBERED = re.compile(r"[ \t]*\d{1,9}[.)][ \t]+\S")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*\Z")


class Fence(NamedTuple):
    """A code block between fences, as CommonMark 0.31 section 4.5 reads them."""

    language: str
    code: str
    closed: bool


def fences(text: str) -> list[Fence]:
    """The fenced code blocks of a text in order; one that is never closed runs to the end."""
    return [part for part in _blocks(text) if isinstance(part, Fence)]


class CodeFence(Verifier[str | None]):
    r"""Whether the text after the reasoning has exactly ``count`` closed code fences of a language. Score 1 or 0.

    The reference is a language name, or None for the one given here. The answer is the last block's code.

    Args:
        language: What must stand after the opening fence, case ignored; None: anything.
        count: How many blocks there must be, all of that language; None: one or more.
        alone: Whether nothing may stand outside the fences.

    Raises:
        InputError: ``count`` is not positive.

    >>> CodeFence("python").verify(["```python\nprint(1)\n```"], [None])[0].answer
    'print(1)'
    """

    def __init__(self, language: str | None = None, *, count: int | None = 1, alone: bool = False) -> None:
        if count is not None and count < 1:
            raise InputError(f"count is {count!r}; expected a positive number, or None for one or more")
        self.language = language
        self.count = count
        self.alone = alone

    def _verify_one(self, completion: str, reference: str | None, **columns: Any) -> Result:
        if reference is not None and not isinstance(reference, str):
            return Result.bad_reference(f"the reference is {reference!r}; expected a language name or None")
        text = final_text(completion)
        if text is None:
            return Result.no_answer("the reasoning never ends")
        found = fences(text)
        if not found:
            return Result.no_answer("there is no code fence")
        answer = found[-1].code
        if not found[-1].closed:
            return Result.incorrect(answer=answer, reason="the last code fence is not closed")
        if self.count is not None and len(found) != self.count:
            return Result.incorrect(answer=answer, reason=f"{len(found)} code fences, expected {self.count}")
        language = self.language if reference is None else reference
        for fence in found if language is not None else []:
            if fence.language.casefold() != str(language).casefold():
                return Result.incorrect(answer=answer, reason=f"a fence says {fence.language!r}, expected {language!r}")
        if self.alone and any(isinstance(part, str) and part.strip() for part in _blocks(text)):
            return Result.incorrect(answer=answer, reason="text outside the code fences")
        return Result.correct(answer=answer)


class BoxedFormat(Verifier[Any]):
    r"""Whether the text after the reasoning has exactly one non-empty ``\boxed{…}``, not taken for right or wrong.

    The reference is not looked at. Score 1 or 0; the answer is the content of the last box.

    Args:
        several: Whether more than one box is allowed.

    >>> BoxedFormat().verify([r"So \boxed{4}", r"\boxed{4"], [None, None])[1].reason
    'there is no closed \\boxed{…}'
    """

    def __init__(self, *, several: bool = False) -> None:
        self.several = several

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        text = final_text(completion)
        found = boxed(text) if text is not None else []
        if not found:
            return Result.no_answer("the reasoning never ends" if text is None else r"there is no closed \boxed{…}")
        answer = found[-1][2].strip()
        if not answer:
            return Result.no_answer("the last box is empty")
        if len(found) > 1 and not self.several:
            return Result.incorrect(answer=answer, reason=f"{len(found)} boxes, expected one")
        return Result.correct(answer=answer)


class MarkdownFormat(Verifier[Any]):
    r"""Whether a text has the Markdown structure asked for; what stands in code fences does not count.

    Each requirement is a part with score 1 or 0. All hold: correct; some: partial, their mean. The reference is not
    looked at.

    Args:
        headings: How many headings (``#`` to ``######`` with a title) there are at least.
        sections: Titles of headings that must be there in this order, case ignored.
        bullets: How many bullet items there are at least.
        numbered: How many numbered items there are at least.
        tables: How many tables there are at least.
        levels_in_order: Whether a heading may be at most one level deeper than the one before it.

    Raises:
        InputError: Nothing is required, or a number is negative.

    >>> MarkdownFormat(headings=1, bullets=2).verify(["# Pets\n- cat"], [None])[0].score
    0.5
    """

    def __init__(
        self,
        *,
        headings: int = 0,
        sections: tuple[str, ...] = (),
        bullets: int = 0,
        numbered: int = 0,
        tables: int = 0,
        levels_in_order: bool = False,
    ) -> None:
        self.least = {"headings": headings, "bullets": bullets, "numbered": numbered, "tables": tables}
        if min(self.least.values()) < 0:
            raise InputError(f"a count in {self.least} is negative; expected 0 or more")
        self.sections = tuple(sections)
        self.levels_in_order = levels_in_order
        if not any(self.least.values()) and not sections and not levels_in_order:
            raise InputError("nothing is required; expected a count, sections or levels_in_order=True")

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        text = final_text(completion)
        if text is None or not text.strip():
            return Result.no_answer("there is no text after the reasoning")
        lines = [line for part in _blocks(text) if isinstance(part, str) for line in part.splitlines()]
        titles = [
            (len(found["level"]), (found["title"] or "").strip(" #")) for found in map(_HEADING.match, lines) if found
        ]
        counts = {
            "headings": sum(bool(title) for _, title in titles),
            "bullets": sum(bool(_BULLET.match(line)) for line in lines),
            "numbered": sum(bool(_NUMBERED.match(line)) for line in lines),
            "tables": sum("|" in above and bool(_TABLE_RULE.match(line)) for above, line in itertools.pairwise(lines)),
        }
        parts = {name: float(counts[name] >= least) for name, least in self.least.items() if least}
        if self.sections:
            parts["sections"] = float(_in_order(self.sections, [title for _, title in titles]))
        if self.levels_in_order:
            levels = [level for level, _ in titles]
            steps = zip([0, *levels], levels, strict=False)
            parts["levels_in_order"] = float(bool(levels) and all(now <= before + 1 for before, now in steps))
        score = sum(parts.values()) / len(parts)
        if score == 1.0:
            return Result.correct(parts=parts)
        reason = f"not met: {', '.join(name for name, part in parts.items() if not part)}"
        return (
            Result.partial(score, reason=reason, parts=parts) if score else Result.incorrect(reason=reason, parts=parts)
        )


def _blocks(text: str) -> Iterator[str | Fence]:
    """A text cut into what lies outside fences (str) and the fences."""
    outside: list[str] = []
    inside: list[str] = []
    opened: re.Match[str] | None = None
    for line in text.splitlines():
        found = _FENCE.match(line)
        if opened is None and found and not (found["mark"][0] == "`" and "`" in found["info"]):
            yield "\n".join(outside)
            outside, inside, opened = [], [], found
        elif opened is not None and found and not found["info"].strip() and found["mark"].startswith(opened["mark"]):
            yield Fence((opened["info"].split() or [""])[0], "\n".join(inside), True)
            opened = None
        else:
            (outside if opened is None else inside).append(line)
    if opened is None:
        yield "\n".join(outside)
    else:
        yield Fence((opened["info"].split() or [""])[0], "\n".join(inside), False)


def _in_order(wanted: tuple[str, ...], titles: list[str]) -> bool:
    rest = iter(title.casefold() for title in titles)
    return all(any(title == name.casefold() for title in rest) for name in wanted)
