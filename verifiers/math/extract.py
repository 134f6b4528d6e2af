"""Where in a completion its final answer stands.

The search goes from the end, costs time linear in the length, and never joins what the text kept apart. In this order:
a box, an answer tag or ``####``, whichever comes last; an announcement after that ("the answer is", in a dozen
languages); a concluding sentence; the only value that the text contains. The last of several values is a guess and is
taken under a switch only.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from .answers.choice import Choice
from .around import framed, is_multiplied, sign_of
from .beside import fuller, scale_after, unit_after
from .boxes import Box, last_box
from .completed import is_text
from .context import OTHERS, is_denied, is_retracted, is_taken_back, whole
from .markers import MARKER, VERB
from .only import last_value, only_value
from .parts import in_formula, is_part
from .said import said
from .statement import conclusion, stated_value

MAX_NESTED = 3  # marks within marks that are followed
MAX_TAIL = 6000  # how far from the end announcements are looked for, in characters
_TAG_START = re.compile("<answer>", re.IGNORECASE)
_TAG_END = re.compile("</answer>", re.IGNORECASE)
_ALTERNATIVE = re.compile(
    r"\s*(?:,|/|\||,?\s*(?:or|and|oder|ou|o|или|或))(?:\s+(?:maybe|perhaps))?\s*\Z", re.IGNORECASE
)
_HASH = re.compile(r"####[ \t]*([^\n]*)")
_JSON = re.compile(r"[\"'](?:final_|predicted_)?answer[\"']\s*:\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^,}\n]+))", re.IGNORECASE)
_CHOICE = re.compile(r"\s*\(?([A-J])\)?(?:[.):](?:\s|\Z)|\s+is\s+(?:the\s+)?(?:correct|right|best|answer)\b)")
_OTHER_OPTION = re.compile(
    r"\(?[A-J]\)?\s+(?:is|are|was)\s+(?:wrong|incorrect|false|not|ruled|excluded|eliminated|impossible)\b", re.I
)
_OPTIONS = re.compile(
    r"[\s.):]*[^A-Za-z\n]{0,20}\n?\s*\(?[A-J](?:[.):](?:\s|\Z)|\s*(?:\n|\Z))"
)  # another option after the one chosen
_CHECKING = re.compile(
    r"(?:check|verif(?:y|ying)|confirm)(?:ing)?\s+(?:\w+\s+)?\Z", re.IGNORECASE
)  # "check our answer: ..."
_DOUBTED = re.compile(
    r"(?:\b(?:wrong|incorrect|false(?:\s+that)?|doubt(?:\s+that)?|(?:do|does)\s*n['’]t\s+(?:think|believe|say)"
    r"|not(?:\s+true)?(?:\s+that)?|suppos(?:e|ing)(?:\s+that)?|assum(?:e|ing)(?:\s+that)?|if|least\s+likely"
    r"|never|(?:might|may|could|would|some|people|you|they)\s+(?:\w+\s+)?(?:think|say|guess|believe|claim"
    r"|argue)s?(?:\s+that)?|nobody\s+\w+"
    r"|if\s+i\s+were\s+\w+,?|falsche|неверный|неправильный|mauvaise|fausse|sbagliata)|错误的?|錯誤的?|不正确的?)"
    r"\s*(?:the\s*|a\s*|an\s*|that\s*)?\Z",
    re.IGNORECASE,
)
_NO_SPACES = re.compile(r"[\u0600-\uffff]")  # scripts in which an announcement needs no verb or sign after it
_SIGNED = re.compile(
    r"\A\s*(\*\*|\$(?=[^$\n]*\$)|\\\(|`|)\s*(?=(?:\\?[$€£¥])?[\d.(]|\\[dt]?frac|\\sqrt|\\pi|[a-z](?:\s*[-+*^$.]|\s*\Z))"
)
_NUMBERED = re.compile(r"(?:the\s+)?(?:option|choice)\s+\d", re.IGNORECASE)
_MATH_START = re.compile(r"[\s*_]*(?:\$|\\\(|\\\[|\\boxed|\d|-\d|\*\*|[(（]?[A-J][)）.\s])")


_BASE = re.compile(r"_\s*\{?(\d{1,2})(?!\d)\}?")
_BOXES = re.compile(r"(?:\s*,?\s*\\boxed\s*\{[^{},]*\}){2,}\Z")  # coordinates, each in a box of its own


class Extraction(NamedTuple):
    """The answer as it was written, or why there is none.

    Attributes:
        answer: None where the completion gives no answer.
        source: Which rule found it: "box", "tag", "hash", "announcement", "conclusion", "only value", "last value".
        problem: Why there is no answer.
        unit: The unit right behind a box.
        fuller: The answer with the percent sign, modulus, base or relation beside its box.
    """

    answer: str | None
    source: str = ""
    problem: str = ""
    unit: str = ""
    fuller: str = ""


class _Found(NamedTuple):
    end: int
    source: str
    content: str


def extract(completion: str, *, choice: bool = False, last: bool = False, depth: int = 0) -> Extraction:
    """The final answer of a completion.

    Args:
        completion: What the policy wrote.
        choice: Whether the reference is a letter of multiple choice, so that "D. because ..." is an answer.
        last: Whether the last bold text, formula or number is taken where nothing announces an answer.
        depth: How many marks the text was found in, ``{"answer": "{'answer': 5}"}``.
    """
    text = said(completion)
    if text is None:
        return Extraction(None, problem="the thinking never ended")
    if not text.strip():
        return Extraction(None, problem="nothing was written")
    box = last_box(text)
    if box is not None and box.content is None:
        return Extraction(None, problem="the last box was never closed")
    found = _last_marked(text, _Found(box.end, "box", box.content or "") if box else None)
    announced = _announced(text, found.end if found else 0, choice=choice)
    if announced is not None:
        return announced
    if found is not None:
        return _marked(text, found, box if found.source == "box" else None, depth)
    if choice and (letter := _CHOICE.match(text)) and Choice.from_answer(text[:MAX_TAIL]) is not None:
        return Extraction(letter[1], "announcement")
    for source, value in (("conclusion", conclusion(text)), ("only value", only_value(text))):
        if value:
            return Extraction(value, source)
    if last and (value := last_value(text)):
        return Extraction(value, "last value")
    return Extraction(None, problem="no answer was marked as final")


def _marked(text: str, found: _Found, box: Box | None, depth: int) -> Extraction:
    """The answer of the last mark with what stands around it."""
    if box and (scaled := scale_after(text, box.end, found.content)):
        found = found._replace(content=scaled[0], end=scaled[1])
        box = box._replace(end=scaled[1])
    if is_taken_back(text, found.end, found.content) or (box and is_denied(text, box.start, box.end)):
        return Extraction(None, problem="the answer was taken back and no other was given")
    if box and found.content.strip():
        return _boxed(text, box, found.content)
    return _inside(found, depth)


def _boxed(text: str, box: Box, content: str) -> Extraction:
    """The answer of a box with the sign and the operations beside it; none where it holds a part of a formula."""
    frame = framed(text, box.start, box.end, in_formula=in_formula(text, box.start))
    sign = sign_of(frame)
    based = _BASE.match(text, box.end) if content.isalnum() and not sign else None
    if based is not None:
        return Extraction(f"{content}_{{{based[1]}}}", "box")
    if frame.bracket in ("(", "\\left(") and not sign and _BOXES.match(text, box.start, box.end):
        return Extraction(f"({content})", "box")
    if sign is None or is_part(text, box.start, box.end, content) or is_multiplied(frame, content):
        return Extraction(None, problem="the box holds only a part of a formula")
    answer = whole(text, box.start, box.end, content, sign)
    beside = fuller(text, box.start, box.end, answer) if content in answer else ""
    return Extraction(answer, "box", unit=unit_after(text, box.end), fuller=beside)


def _last_marked(text: str, box: _Found | None) -> _Found | None:
    """The last of a box, an answer tag, ``####`` and a JSON field."""
    found = box
    tail = max(0, len(text) - MAX_TAIL)
    closing = _last(_TAG_END, text, tail)
    opening = _last(_TAG_START, text, tail, closing.start()) if closing else None
    if closing and opening and (found is None or closing.end() > found.end):
        found = _Found(closing.end(), "tag", _with_alternative(text, tail, opening.start(), closing.start()))
    start = text.rfind("####")
    hashed = _HASH.match(text, start) if start >= 0 and (found is None or start > found.end) else None
    if hashed and hashed[1].strip():
        found = _Found(hashed.end(), "hash", hashed[1].strip())
    if '"' in text[tail:] or "'" in text[tail:]:
        for match in _JSON.finditer(text, tail):
            if found is None or match.end() > found.end:
                found = _Found(match.end(), "tag", (match[1] if match[1] is not None else match[2]).strip())
    return found


def _with_alternative(text: str, tail: int, start: int, end: int) -> str:
    """What an answer tag holds, after what the tag before it holds where an "or" joins the two."""
    content = text[start + len("<answer>") : end].strip()
    earlier = _last(_TAG_END, text, tail, start)
    opening = _last(_TAG_START, text, tail, earlier.start()) if earlier else None
    if earlier and opening and _ALTERNATIVE.match(text[earlier.end() : start]):
        return f"{text[opening.end() : earlier.start()].strip()} or {content}"
    return content


def _last(pattern: re.Pattern[str], text: str, start: int, end: int = sys.maxsize) -> re.Match[str] | None:
    return next(reversed(list(pattern.finditer(text, start, end))), None)


def _inside(found: _Found, depth: int) -> Extraction:
    """The content of a mark; a tag may hold a box or an announcement again."""
    if found.source == "tag":
        nested = depth < MAX_NESTED and len(found.content) < MAX_TAIL and _is_wordy(found.content)
        inner = extract(found.content, depth=depth + 1) if nested else None
        if inner is not None and inner.answer is not None and inner.source in ("box", "announcement", "conclusion"):
            return Extraction(inner.answer, "tag")
    if not found.content.strip():
        return Extraction(None, problem=f"the {found.source} is empty")
    return Extraction(found.content, found.source)


def _is_wordy(text: str) -> bool:
    return "\\boxed" in text or "answer" in text.lower() or len(text.split()) > 3


def _announced(text: str, after: int, *, choice: bool) -> Extraction | None:
    """The last announcement behind ``after`` that is followed by a value."""
    start = max(after, len(text) - MAX_TAIL)
    matches = list(MARKER.finditer(text, start))
    for match in reversed(matches[-8:]):
        if _CHECKING.search(text, max(0, match.start() - 30), match.start()):
            continue
        if _NUMBERED.match(text, match.start()):
            continue  # "option 5" names no value
        if (
            match["sign"]
            or match[0].rstrip()[-1:] in (":", "：")
            or VERB.search(match[0])
            or _NO_SPACES.search(match[0])
            or _MATH_START.match(text, match.end())
        ):
            if choice and _OTHER_OPTION.match(text[match.end() : match.end() + 60].lstrip(" *:")):
                continue  # "Option A is wrong" announces nothing
            following = text[match.end() : match.end() + 1000]
            if match["sign"] in ("-", "–") and VERB.search(text[match.start() : match.start("sign")]):
                following = _SIGNED.sub(r"\1-", following, count=1)  # "the answer is - 7"
            value = stated_value(following)
            if value and not (after and is_text(value)):  # "so our answer is correct" does not replace a box
                before = text[max(0, match.start() - 60) : match.start()].rpartition(".")[2]
                if after and OTHERS.search(before):
                    continue  # "some may answer 41" takes nothing back
                written = value.lstrip("-−")
                at = text.find(written[:8], match.end(), match.end() + 60)
                end = at + len(written) if at >= 0 else match.end()
                if (
                    is_taken_back(text, end, value)
                    or _DOUBTED.search(before)
                    or is_retracted(text, match.end(), match.end() + 400)
                ):
                    return Extraction(None, problem="the answer was denied or taken back")
                if choice and _OPTIONS.match(text, end):
                    return Extraction(None, problem="several options were named")
                return Extraction(value, "announcement")
    return None
