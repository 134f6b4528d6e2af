"""What a notation could also mean: other numbers, families of values, vectors, units that look like names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .answers.arrays import components, in_plain_letters
from .answers.assignment import Assignment
from .answers.base import Answer
from .answers.clock import Date
from .answers.collection import Collection
from .answers.family import Family, families
from .answers.inequality import Inequality
from .answers.interpret import interpret
from .answers.matrix import Matrix
from .answers.quadratic import solved
from .answers.scalar import Scalar
from .answers.sequence import Sequence
from .answers.text import Text, normal
from .parsing import Unreadable, parse
from .parsing.numerals import plain
from .tree import I_UNIT, ZERO, Node, product, substitute, symbols, walk
from .units import read_unit

_COMMA = re.compile(r"(?<![\d,])(-?\d+),(\d+)(?![\d,])")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(?![\d,;])[^,;()\[\]]*\Z")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+\Z")
_LAKHS = re.compile(r"-?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?\Z")
_GROUPS = re.compile(r"-?[1-9]\d{0,2}(?:_\d{3})+\Z")
_MIXED = re.compile(
    r"(-?)(\d+)(?:\s|\\text\s*\{\s*)and[\s}]*(?:(\d+)\s*/\s*(\d+)|\\[dt]?frac\s*\{?(\d+)\}?\s*\{?(\d+)\}?)\Z"
)
_POINT = re.compile(r"([A-Z](?:_\{?\w\}?)?'?)\s*(\([^()]*,[^()]*\))\Z")
_SHORT = re.compile(r"(-?)(?:\\?\$)?\s?(\d{2,3}(?:,\d{3})*|\d{2,}|\d(?=[.MB]))(\.\d+)?\s?([kKMB])\Z")
_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
_MEASURE = re.compile(
    r"(-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:[.,]\d+)?(?:\s*\\times\s*10\s*\^\s*\{?-?\d+\}?)?)"
    r"((?:\s|\\[,;:]|~|\\ )*)([^\d\s=].*)\Z",
    re.DOTALL,
)
_UNIT_LETTERS = frozenset("mgshLJNWVAKCFTB")
_MICRO = re.compile(r"\\mu\s*(?:\\(?:text|mathrm)\s*\{)?\s*([A-Za-z]{1,2})\}?\Z")
_PARAMETER = re.compile(r"(?<![A-Za-z\\_{])[knml](?![A-Za-z_])")
_REALS = frozenset(["R", "\\mathbf{R}", "\\mathrm{R}", "\\textbf{R}", "\\text{R}", "\\bf{R}"])
_UNIT_VECTOR = re.compile(r"j|\\(?:hat|widehat|vec|overrightarrow|mathbf|bm|boldsymbol|pmb|textbf)(?![a-z])")
_WORDY = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3}|\\(?:text|mbox|mathrm)(?![a-z])")
_LED = re.compile(
    r"(yes|no|true|false)\s*[,.;:!-]\s*((?:it|they|this|that|these|there|the|he|she|we|because|since|every|all)\b.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_HEDGES = r"but|or|unless|if|except|however|although|though|only|maybe|perhaps|sometimes|wrong|incorrect|when|yes|true"
_DENYING = re.compile(rf"\b(?:{_HEDGES}|not?|never|false)\b|n['’]t\b", re.IGNORECASE)
_HEDGING = re.compile(rf"\b(?:{_HEDGES})\b", re.IGNORECASE)
_TAKEN_BACK = {"yes": _DENYING, "true": _DENYING, "no": _HEDGING, "false": _HEDGING}
MAX_SPELLED = 400


def alternatives(
    bare: str, first: Answer | None, read: Callable[[str], Answer], *, reference: bool
) -> Iterator[Answer]:
    """Other readings of a text.

    Args:
        bare: The text, tidied.
        first: What it most plainly stands for; None where that could not be read.
        read: Reads another spelling.
        reference: Whether it is a reference, of which "1,2" is a list, though "0,5" is a decimal.
    """
    if bare[-1:].isalpha() or bare[-1:] in "}2345":
        yield from _measures(bare, first, reference)
    for spelling in _spellings(bare, reference):
        yield from _readable(read, spelling)
    if len(bare) > MAX_SPELLED:
        return
    if _UNIT_VECTOR.search(bare):
        yield from _vectors(first)
    if _PARAMETER.search(bare) and not isinstance(first, Family) and (found := _families(bare, first)) is not None:
        yield found
    if bare in _REALS:
        yield read("\\mathbb{R}")
    if isinstance(first, Scalar) and "j" in bare and (engineers := _with_j(first)) is not None:
        yield engineers
    if not reference and (led := _LED.match(bare)) is not None and not _TAKEN_BACK[led[1].lower()].search(led[2]):
        yield Text(normal(led[1]))
    if bare[:2] == "{{":
        yield from _readable(read, bare.replace("{", "[").replace("}", "]"))
    if reference and isinstance(first, Inequality) and len(first.pairs) == 1 and (found := solved(*first.pairs[0])):
        yield found
    if bare.count("/") == 2 and bare[:1].isdigit() and (date := Date.from_text(bare)):
        yield date
    if bare[:1] == "[" and ";" in bare and (matrix := _matrix(bare, read)) is not None:
        yield matrix


def _spellings(bare: str, reference: bool) -> Iterator[str]:
    """The text in notations that it may have been meant in."""
    if "," in bare:
        if _THOUSANDS.match(bare):
            yield bare.replace(",", ", ")
        elif _LAKHS.match(bare):
            yield bare.replace(",", "")
        elif ";" in bare:
            yield _COMMA.sub(r"\1.\2", bare)
        elif _DECIMAL_COMMA.match(bare) and not (reference and bare[:2] != "0,"):
            yield _COMMA.sub(r"\1.\2", bare, count=1)
        if found := _POINT.match(bare):
            yield f"{found[1]} = {found[2]}"
    elif "_" in bare and _GROUPS.match(bare):
        yield bare.replace("_", "")
    elif "and" in bare and (found := _MIXED.match(bare)):
        sign, whole, *parts = found.groups()
        top, bottom = (part for part in parts if part)
        if int(top) < int(bottom):
            yield f"{sign}({whole}+{top}/{bottom})"
    if bare[-1:] in _SCALES and (found := _SHORT.match(bare)) and not (reference and len(bare) < 3):
        yield f"{found[1]}{found[2].replace(',', '')}{found[3] or ''}\\cdot {_SCALES[found[4]]}"


def _measures(bare: str, first: Answer | None, reference: bool) -> Iterator[Answer]:
    """A number and a unit that would otherwise be a product with names: ``5 kWh``, ``9.8 m s^{-2}``, ``12,5 m``."""
    if isinstance(first, Scalar) and first.unit is not None and not first.unit.noun:
        return
    found = _MEASURE.match(bare)
    if found is None:
        return
    written, blank, phrase = found.groups()
    if micro := _MICRO.match(phrase):
        phrase = f"u{micro[1]}"
    single = len(phrase) == 1
    if any(sign in phrase for sign in "+(=|<>&!") or phrase.startswith(
        ("\\frac", "\\sqrt", "\\pi", "/", "^", "-", "*")
    ):
        return
    if single and (reference or not blank or phrase not in _UNIT_LETTERS):
        return
    unit = read_unit(phrase)
    if unit is None or unit.noun or not unit.dimensions:
        return
    head, times, power = written.partition("\\times")
    try:
        for value in _decimals(head.strip()):
            node = plain(value.lstrip("-"))
            node = Node("neg", (node,)) if value.startswith("-") else node
            yield Scalar(product(node, parse(power)) if times else node, unit)
    except Unreadable:
        return


def _decimals(text: str) -> Iterator[str]:
    """A numeral with its comma as a decimal sign or as a mark of thousands, as it can be."""
    if "," not in text:
        yield text
    elif _THOUSANDS.match(text.lstrip("-").partition(".")[0]):
        yield text.replace(",", "")
    if text.count(",") == 1 and "." not in text:
        yield text.replace(",", ".")


def _vectors(first: Answer | None) -> Iterator[Answer]:
    r"""``2\hat i + 3\hat j`` and ``2i + 3j`` as tuples, in the plane and in space."""
    if isinstance(first, Assignment):
        first = first.value
    if not isinstance(first, Scalar) or first.unit is not None or first.percent:
        return
    node = first.node
    names = symbols(node)
    if not any(name.startswith("vec ") for name in names):
        if "j" not in names or not names <= {"j", "k"}:
            return
        node = in_plain_letters(node)
    found = components(node)
    if found is not None:
        yield Sequence(tuple(map(interpret, found)), "()")
        if len(found) == 2:
            yield Sequence(tuple(map(interpret, (*found, ZERO))), "()")


def _with_j(first: Scalar) -> Answer | None:
    """``1 + 2j`` as a complex number."""
    if symbols(first.node) != {"j"} or any(node == I_UNIT for node in walk(first.node)):
        return None
    return Scalar(substitute(first.node, {"j": I_UNIT}), first.unit, first.percent)


def _readable(read: Callable[[str], Answer], spelling: str) -> Iterator[Answer]:
    try:
        yield read(spelling)
    except Unreadable:
        return


def _families(bare: str, first: Answer | None) -> Answer | None:
    """Values for every integer k, where a letter that usually stands for one occurs."""
    if isinstance(first, Collection) and any(isinstance(item, Family) for item in first.items):
        return None
    if isinstance(first, Scalar) and not _WORDY.search(bare):
        return families(first.node) if first.unit is None and not first.percent else None
    try:
        return families(parse(bare))
    except Unreadable:
        return None


def _matrix(bare: str, read: Callable[[str], Answer]) -> Answer | None:
    """``[2, 0; 0, 3]`` and ``[2 0; 0 3]``, as programs write matrices."""
    inside = bare[1:-1]
    if bare[-1:] != "]" or "[" in inside:
        return None
    rows = [row.split(",") if "," in row else row.split() for row in inside.split(";")]
    if len({len(row) for row in rows}) != 1 or len(rows) < 2:
        return None
    try:
        return Matrix.of([[read(entry) for entry in row] for row in rows])
    except Unreadable:
        return None
