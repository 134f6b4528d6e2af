"""The program in a completion: fenced blocks, ``<answer>`` tags, raw code, or the continuation of a prompt."""

from __future__ import annotations

import re
from typing import NamedTuple

from .suite import TestSuite

_FENCE = re.compile(r"^[ \t]{0,3}(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<tag>[^\n`]*+)$", re.MULTILINE)
_INDENT = r"[ \t]*+(?:>[ \t>]*+)?"  # of lists, however deep, and of quotations
_OPENING = re.compile(
    rf"^(?P<indent>{_INDENT}(?:(?:[-*+]|\d{{1,3}}[.)])[ \t]++)?)(?P<fence>`{{3,}}+|~{{3,}}+)[ \t]*+(?P<tag>[^\n`]*+)$",
    re.MULTILINE,
)
_CLOSING = re.compile(rf"^(?P<indent>{_INDENT})(?P<fence>`{{3,}}+|~{{3,}}+)[ \t]*+$", re.MULTILINE)
_QUOTES = re.compile(r"\"{3}|'{3}")
_LONGEST_ALONE = 200
_THOUGHT_END = re.compile(r"""(?<!['"])(?<![^`]`)</think>(?!['"`])""")
_ANSWER = re.compile(r"""(?<!['"])<answer>""")  # after a quote it is a program's text
TAGS: dict[str, frozenset[str]] = {
    "python": frozenset({"", "python", "py", "python3", "py3", "python2", "ipython", "pycon", "sage"}),
    "c": frozenset({"", "c"}),
    "c++": frozenset({"", "c++", "cpp", "cc", "cxx"}),
    "javascript": frozenset({"", "javascript", "js", "node", "mjs"}),
    "java": frozenset({"", "java"}),
}


class Extracted(NamedTuple):
    """A program, as texts to execute one after another in one namespace.

    Attributes:
        sources: What comes before it (a prompt's imports and helpers), if anything, and the program.
        program: What the completion itself contributed.
    """

    sources: tuple[str, ...]
    program: str


def extract(completion: str, suite: TestSuite, language: str = "python") -> Extracted | None:
    """The program in a completion, None where there is none.

    1. What a reasoning model thinks (up to the last ``</think>`` that is not part of a program) is left out.
    2. Where there are ``<answer>`` tags, the last answer is the completion.
    3. Of fenced blocks in the language, or without a tag, the last one that defines the entry point counts, else the
       last one; where there is no entry point, one with the language's tag comes before one without. A block that is
       never closed reaches to the end; blocks in other languages do not count.
    4. Without a block, the text itself is the program.
    5. Where the suite has a prompt and the program does not define the entry point itself, it continues the prompt.
       Where it does, the prompt's imports and helpers come before it.

    Args:
        completion: What the policy wrote.
        suite: Its entry points and its prompt are looked at.
        language: The language of the program.
    """
    text = _answer(completion)
    if text is None:
        return None
    entry = suite.entry_points[0] if suite.entry_points else ""
    blocks = fenced_blocks(text, language)
    if blocks is None:
        return None
    if not entry:
        blocks = fenced_blocks(text, language, untagged=False) or blocks  # one without a tag is often sample output
    program = _choose(blocks, entry) if blocks else _raw(text)
    if not program.strip():
        return None
    if not suite.prompt:
        named = not entry or re.search(rf"\b{re.escape(entry)}\b", program)
        return Extracted((program,), program) if named else None
    if _defines(program, entry):
        return Extracted((preamble(suite.prompt, entry), program), program)
    prompt = f"{suite.prompt.rstrip()}\n" if blocks else suite.prompt
    return Extracted((f"{prompt}{program}\n",), program)


def fenced_blocks(text: str, language: str = "python", *, untagged: bool = True) -> list[str] | None:
    """The contents of fenced blocks in the language; None where there are blocks, but all in other languages.

    Args:
        text: Where to look.
        language: Whose tags count.
        untagged: Whether blocks without a tag count too.
    """
    blocks: list[str] = []
    position, seen, quotes = 0, False, 0
    while opening := _OPENING.search(text, position):
        quotes += len(_QUOTES.findall(text, position, opening.start()))
        if len(opening["indent"]) > 3 and quotes % 2:  # an example in the documentation of a program without a fence
            position = opening.end()
            continue
        end = _end_of(text, opening)
        tag = (opening["tag"].split() or [""])[0].strip("{}.").lower()
        if not seen and not end and not tag and _closes_raw_code(text, opening):
            break
        seen = True
        if tag in TAGS[language] and (tag or untagged):
            block = text[opening.end() + 1 : end.start() if end else len(text)]
            blocks.append(_outdented(block, opening["indent"]).removeprefix("\ufeff"))
        if not end:
            break
        position, quotes = end.end(), 0
    return blocks if blocks or not seen else None


def _end_of(text: str, opening: re.Match[str]) -> re.Match[str] | None:
    """The fence that closes a block: no shorter, as quoted, and indented by three more at most."""
    indent, fence = opening["indent"], opening["fence"]
    most = len(indent) + 3 if len(indent) > 3 or ">" in indent else 3
    for end in _CLOSING.finditer(text, opening.end()):
        near = len(end["indent"]) <= most and (">" in end["indent"]) == (">" in indent)
        if near and end["fence"][0] == fence[0] and len(end["fence"]) >= len(fence):
            return end
    return None


def _outdented(block: str, indent: str) -> str:
    """A block's lines without the indentation of its fence, in a list for instance, where all of them have it."""
    lines = block.split("\n")
    if ">" not in indent and indent.strip():
        indent = " " * len(indent)  # the width of "1. " or "- "
    bare = indent.rstrip(" \t") if ">" in indent else indent
    if not indent or not all(line.startswith((indent, bare)) for line in lines if line.strip()):
        return block
    return "\n".join(line.removeprefix(indent if line.startswith(indent) else bare) for line in lines)


def preamble(prompt: str, entry: str) -> str:
    r"""What stands in a prompt before the definition of its entry point: imports and helpers.

    >>> preamble("import math\n\ndef area(r):\n    ...", "area")
    'import math\n\n'
    """
    found = re.search(rf"^(?:async[ \t]+def|def|class)[ \t]+{re.escape(entry)}\b", prompt, re.MULTILINE)
    return prompt[: found.start()] if found else prompt


def _answer(completion: str) -> str | None:
    text = completion.removeprefix("\ufeff")
    end = _thought_end(text)
    if end is None and text.lstrip().startswith("<think>"):
        return None  # it never came to an answer
    text = text[end:]
    answers = _ANSWER.split(text)
    if len(answers) > 1:
        text = answers[-1].partition("</answer>")[0].strip("\r\n")
    return text.replace("\r\n", "\n")


def _thought_end(text: str) -> int | None:
    """Where the answer begins after what a reasoning model thinks; None where there is no end of a thought.

    That is after the last ``</think>`` that is no part of a program: not in quotes, and not in a fenced block, unless
    it is the first one and the thought broke off in the middle of the block.
    """
    opened = text.lstrip().startswith("<think>")
    end = None
    fences = seen = 0
    for tag in _THOUGHT_END.finditer(text):
        fences += len(_FENCE.findall(text, seen, tag.start()))
        seen = tag.end()
        if fences % 2 == 0 or (end is None and (opened or _stands_alone(text, tag))):
            end, fences = seen, 0
    return end


def _stands_alone(text: str, tag: re.Match[str]) -> bool:
    """Whether there is nothing else on the tag's line but the end of a block."""
    before = text.rfind("\n", max(0, tag.start() - _LONGEST_ALONE), tag.start())
    after = text.find("\n", tag.end(), tag.end() + _LONGEST_ALONE)
    if (before < 0 and tag.start() > _LONGEST_ALONE) or (after < 0 and tag.end() + _LONGEST_ALONE < len(text)):
        return False  # a long line: looked at for each of its tags, it would take the square of their number
    return text[before + 1 : len(text) if after < 0 else after].strip("`~ \t\r") == "</think>"


def _choose(blocks: list[str], entry: str) -> str:
    defining = [block for block in blocks if entry and _defines(block, entry, indent=r"[ \t]*")]
    return (defining or [block for block in blocks if block.strip()] or [""])[-1]


def _defines(program: str, entry: str, indent: str = "") -> bool:
    """Whether a program defines a name: as a function or class, or by assignment."""
    name = re.escape(entry)
    forms = rf"^{indent}(?:(?:async[ \t]+)?def[ \t]+{name}\b|class[ \t]+{name}\b|{name}[ \t]*[:=][^=])"
    return re.search(forms, program, re.MULTILINE) is not None


def _raw(text: str) -> str:
    """Text without a block: it ends where a lone fence stands."""
    fence = _FENCE.search(text)
    return text[: fence.start()].rstrip() if fence else text.rstrip()


def _closes_raw_code(text: str, fence: re.Match[str]) -> bool:
    """Whether a fence that is never closed itself closes code that was never opened."""
    before, after = text[: fence.start()], text[fence.end() :]
    return bool(before.strip()) and (not after.strip() or before.lstrip("\n")[:1] in (" ", "\t"))
