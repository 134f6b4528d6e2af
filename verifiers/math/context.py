"""What stands around a marked answer: what makes it a part of more, denies it, or puts another beside it."""

from __future__ import annotations

import re
import sys

from .markers import DENIED_AFTER, DENIED_BEFORE, RETRACTION
from .tidy import COMMANDS

REACH = 400  # how far behind an answer it can be taken back, in characters
_VALUE = r"(?:[-−+~≈]?\s*[$\\({]*\s*[-−+]?\d|\$|\\\(|\\boxed|(?-i:(?!I\s+[a-z])\(?[A-J]\)?)(?![\w'’]))"
_FILLER = (
    r"(?:(?:maybe|perhaps|possibly|probably|it|the|correct|right|real|true|actual|answer|that|this|is|are|was|should"
    r"|could|might|may|must"
    r"|would|be|have|been|also|no|wait|hmm+|actually|either|rather|instead|just|even|say|so|i|meant?|think|equal|to|of"
    r"|['’]s|option|choice)\b[\s,:.…]*)"
)
_NO_FOREIGN = (
    r"(?:no|non|nein|não|нет|perd[óo]n|pardon|espera|espere|aspetta|scusa|attende[zs]|attends|moment(?:\s+mal)?|warte"
    r"|стоп|подожди(?:те)?|不对|不對|不是|等等|等一下|いや|違う|待って|아니(?:요)?|잠깐)"
)
_IS_FOREIGN = r"(?:es\s+ist|es|c['’]est|est|ist|é|è|это|应该是|應該是|应为|應為|是|la|die|a|il|답은|答えは|答案是)"
# Another value after the answer: "Or maybe 5", "Actually, it is 5", "Hmm, no: 5".
_CORRECTED = re.compile(
    rf"(?:(?:\A[\s$*)\].,;:…–—-]*|[.!?…\n]\s*)(?:or|ou|oder|или|maybe|perhaps|possibly|alternatively|rather|better"
    rf"|no(?:pe)?)"
    rf"|(?:\A|[\s.!?…,;:()–—-])(?:actually|hmm+|wait|nope|oops|sorry|on\s+second\s+thought|i\s+mean"
    r"|not\s+(?:sure|certain)|unsure|uncertain))"
    rf"\b[\s,:.…!–—-]*{_FILLER}*{_VALUE}"
    rf"|\b(?:it|this|that|the\s+answer)\s+should\s+(?:(?:actually|really|instead|rather)\s+)?(?:be|have\s+been)\s+{_VALUE}"
    rf"|\A[\s$*)\].,;:…–—-]*but\s+{_FILLER}*{_VALUE}"
    rf"|[.!?…\n。！？][\s$*)\].,;:，]*{_NO_FOREIGN}[\s,:.…!–—，、：-]*(?:{_IS_FOREIGN}[\s:：]*)*{_VALUE}",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(
    r"[\s$*)\].,;:!–—-]*(?:(?:\\[)\]])[\s$*)\].,;:!–—-]*)?(?:\?|wrong\b|incorrect\b|not\s+(?:correct|right|true"
    r"|really|quite)\b"
    r"|nope\b|no[.!]|(?:isn|wasn|can|ain)['’]?t\b|(?:is|are|was)\s*n['’]?t\b|(?:can|could)\s*not\s+be\b"
    r"|(?:(?:but|though)\s+)?(?:(?:it|this|that)\s+)?(?:should|could|might|may)\s+(?:also\s+|well\s+|actually\s+"
    r"|rather\s+)*(?:have\s+been|be)\b"
    r"|\\(?:ne|neq)(?![A-Za-z])|≠|(?:→|\\to\b|\\rightarrow\b)\s*[-$\\]*\d"
    r"|hundred\b|thousand\b|million\b|billion\b|dozens?\b|squared\b|cubed\b|doubled\b|tripled\b|halved\b|factorial\b"
    r"|(?:minus|plus|times|divided\s+by|multiplied\s+by)\s+[-$\\\w])",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:(?:\\(?:ne|neq)(?![A-Za-z])|≠)|\d[\s$*)]*,?\s*\b(?:or|oder|ou|или)(?:\s+(?:else|maybe|perhaps|possibly|even))?"
    r"|(?<![\w+*/^-])(?P<name>[A-Za-z])\s*=\s*[-−]?[\d./]+[\s$]*,?\s*or\s+\$?(?P=name)\s*="
    r"|(?:\A|[.:\n]|\b(?:is|are))\s*\$?[-−]?[\d./]+\$?\s*(?:,|,?\s+and\b)"
    r"|\b(?:refuse\s+to\s+say|less\s+than|more\s+than|greater\s+than|smaller\s+than|fewer\s+than|almost|nearly"
    r"|exceeds?|below|above"
    r"|different\s+from|far\s+from|half\s+of|twice|double|(?:square|cube)\s+root\s+of|rul(?:e|es|ed|ing)\s+out"
    r"|(?:square|reciprocal|negative"
    r"|opposite)\s+of"
    r"|nobody\s+says|doubt\s+(?:that\s+)?(?:it\s+is)?))[\s:$*]*(?:\\[(\[])?\s*\Z",
    re.IGNORECASE,
)
OTHERS = re.compile(
    r"\b(?:some(?:\s+(?:people|students))?|many|others|people|students|one)\s+(?:may|might|could|would|will|often)\b"
    r"|\bcommon\s+(?:mistake|error|wrong)\b",
    re.IGNORECASE,
)
_BOUNDED = re.compile(
    r"(?:\bimpossible\s+to|\b(?:can\s?not|can['’]t|never|no\s+way\s+to|not\s+possible\s+to))\s+\w+(?:\s+\w+)?\s+"
    r"(?:more|less|fewer|greater|smaller)\s+than[\s$]*\Z",
    re.IGNORECASE,
)  # "you cannot get more than": the bound is the answer
# What is said of a value that was tried: "fails", "is too small", "is an extraneous root".
_FAILS = re.compile(
    r"[\s$*)\].`]{0,6}(?:fails?(?!\w)(?!\s+(?:to|the|if|for)\b)|(?:is|are|was)\s+(?:\w+\s+)?(?:impossible(?!\s+to)|ruled\s+out|too\s+(?:small"
    r"|large|big|high|low)|extraneous|(?:an\s+)?extraneous|not\s+(?:allowed|possible|valid|a\s+(?:valid\s+)?solution)|invalid|rejected)\b"
    r"|(?:does|do)\s*(?:not|n['’]t)\s+(?:satisfy|work|fit)\b)",
    re.IGNORECASE,
)
# What a box stands in: struck or hidden text, a comment, the argument of a function, of which it is a part only.
_INSIDE = re.compile(
    r"\\(?:[bx]?cancel|sout|st|[hv]?phantom|sqrt(?:\[[^\]]*\])?|[dt]?frac(?:\{[^{}]*\})?)\s*\{[^{}]*\Z"
    r"|\\verb\W[^\n]*\Z|\\begin\{comment\}[^\\]*\Z|\\iffalse(?![A-Za-z])[^\\]*\Z|(?:\A|\n)[ \t]*%[^\n]*\Z",
    re.IGNORECASE | re.DOTALL,
)
_GLUED = re.compile(r"\d+(?![\d.)])|\{[^{}]*\w")  # a box that is followed at once by more of its number
_SIGNS = re.compile(r"[^\w-]")
_FACTOR = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?\Z")
_TAIL = re.compile(
    r"\s*(?:\^\s*(?!\{?\s*\\circ)(?:\{[^{}]{1,20}\}|\\?\w)|!(?=\$|\\[)\]])|/\s*\{?\d+|\\(?:pm|mp|times"
    r"|cdot|div)(?![A-Za-z])[^$\n.]{1,40}"
    r"|(?:\$\s*)?[-+*±×÷/]\s*(?=[\d\\({]|[a-z]\b|C\b)[^$\n.,;]{1,40})+"
)


def whole(text: str, start: int, end: int, content: str, sign: str = "") -> str:
    r"""The content of a box with the sign before it and the operations after it, which belong to it: ``-\boxed{4}``.

    Args:
        text: The completion.
        start: Where the box starts.
        end: Where it ends.
        content: What it holds.
        sign: The sign before it; a number right before it is a factor.
    """
    factor = _FACTOR.search(text, max(0, start - 20), start)
    sign = factor[0] if factor else sign
    tail = _TAIL.match(text, end, min(len(text), end + 120))
    if not sign and tail is None:
        return content
    if tail is None and content.isalnum():
        return f"{sign}{content}"
    return f"{sign}({content}){tail[0].replace('$', '') if tail else ''}"


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether the words right before or right after a box deny or change what it holds."""
    before = text[max(0, start - 60) : max(0, start)]
    if _BOUNDED.search(before):
        before = ""
    if DENIED_BEFORE.search(before) or _BEFORE.search(before) or _INSIDE.search(before):
        return True
    if _GLUED.match(text, end):
        return True
    return DENIED_AFTER.match(text, end) is not None or _AT_ONCE.match(text, end) is not None


def is_taken_back(text: str, end: int, answer: str) -> bool:
    """Whether what follows an answer takes it back or names another value beside it."""
    behind = text[end : end + REACH]
    if is_retracted(behind) or _AT_ONCE.match(behind) or _FAILS.match(behind):
        return True
    found = _CORRECTED.search(behind)
    if found is None:
        return False
    start = found.end() - 1
    while start and behind[start - 1] in "-−":
        start -= 1
    return not _repeats(behind[start:], answer)


def is_retracted(text: str, start: int = 0, end: int = sys.maxsize) -> bool:
    """Whether a text takes back what was said before; what it says of an answer of others takes nothing back."""
    for found in RETRACTION.finditer(text, start, end):
        sentence = re.split(r"[.!?\n]", text[max(start, found.start() - 120) : found.start()])[-1]
        if not OTHERS.search(sentence):
            return True
    return False


def _repeats(behind: str, answer: str) -> bool:
    """Whether the value there is the answer once more: "4, or $4$ in words"."""
    bare = _SIGNS.sub("", COMMANDS.sub("", answer))
    return bool(bare) and _SIGNS.sub("", COMMANDS.sub("", behind[: 2 * len(answer) + 10])).startswith(bare)
