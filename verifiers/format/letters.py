"""Option letters in a text: which ones stand there, and which ones the words around them deny."""

from __future__ import annotations

import re
import unicodedata

_WRAPPER = re.compile(
    r"\\(?:text|textbf|textrm|textit|mathrm|mathbf|mathsf|mathit|boldsymbol|mbox)\s?\{([^{}]{0,200})\}"
)
_NOISE = re.compile(r"\\[()\[\]]|\*\*|__|[$`]")
_LETTER = re.compile(
    r"(?<![\w'’\\-])(?:\(\s?(?P<round>[A-Za-z])\s?\)|\[(?P<square>[A-Z])\]|(?P<bare>[A-Z])(?![\w'’]|-\w))"
)
_LOWER = re.compile(r"\s{0,9}([a-z])\s?(?:[).:]\s{0,9})?(?:$|(?<=[).:\s])\S)")
_ARTICLE = re.compile(
    r"\s(?!because|since|as\b|is\b|and\b|or\b|but\b|for\b|due\b|given\b|which\b|here\b|not\b|\()[a-z]"
)
_NAMED = re.compile(r"\b(?:option|choice|answer|letter)\W{1,3}$", re.IGNORECASE)
_DENIED_BEFORE = re.compile(
    r"(?:(?<![\w)\]])[¬!~]\s?|\\(?:neg|lnot|overline|bar|not)\s?\{?\s?|(?:不是|不选|排除|非)\s?|\b(?:no|non|nicht|kein|keine"
    r"|pas|не)\s)\(?$"
    r"|(?:\bnot|n['’]t|\bnever|\bneither|\bnor|\bexcept|\bother than|\bapart from|\bruled? out|\beliminated?"
    r"|\bexcluded?"
    r"|\b(?:anything|everything|all|any|none|nothing) (?:but|except|else than|other than))\W{1,3}"
    r"(?:(?:be|the|option|choice|answer|letter)\W{1,3}){0,3}$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"[)\]]?\s?[.):]?\s?[(=:,–—-]?\s?(?:(?:also|clearly)\s)?(?:wrong|incorrect|not (?:correct|right|true|it)"
    r"|eliminated|excluded|excepted|ruled out"
    r"|(?-i:false|no)(?=\W*$))"
    r"|[)\]]?\s?(?:\?|or (?:maybe |perhaps )?not\b|is (?:also )?(?:eliminated|excluded|ruled)|does not hold"
    r"|除外|以外|不对|不正确|错|错误|錯|は間違|は違|가 아니|неверн"
    r"|ist falsch|es falso|est faux|è falso|é falso|\^)"
    r"|[)\]]?\W{0,3}(?:is|was|are|cannot be|can't be|isn['’]t|wasn['’]t)(?: also| clearly| definitely| actually)? ?"
    r"(?:wrong|incorrect|false|not\b|out\b|(?<=n['’]t ))",
    re.IGNORECASE,
)


def unwrap(text: str) -> str:
    """Without LaTeX text commands, bold marks and dollars, in compatibility form."""
    for _ in range(3):
        text, count = _WRAPPER.subn(r"\1", text)
        if not count:
            break
    return unicodedata.normalize("NFKC", _NOISE.sub("", text))


def letters_in(text: str, letters: str) -> list[tuple[str, int, int, bool]]:
    """Every option letter in a text: letter, start, end, and whether the words around it deny it."""
    low = _LOWER.match(text)
    if low and low[1].upper() in letters and (len(text.strip()) <= 3 or text.lstrip()[1:2] in ").:"):
        return [(low[1].upper(), low.start(1), low.end(1), bool(_DENIED_AFTER.match(text[low.end(1) :])))]
    found = []
    for match in _LETTER.finditer(text):
        letter = (match["round"] or match["square"] or match["bare"]).upper()
        if letter not in letters:
            continue
        if is_word(text, match):
            continue
        found.append((letter, match.start(), match.end(), is_denied(text, match)))
    return found


def is_word(text: str, match: re.Match[str]) -> bool:
    """Whether a bare "A" or "I" is the article or the pronoun: words follow, and nothing names it an option."""
    return (
        match["bare"] in ("A", "I")
        and _ARTICLE.match(text, match.end()) is not None
        and not _NAMED.search(text[max(0, match.start() - 12) : match.start()])
    )


def denies(text: str, letter: str) -> tuple[bool, str]:
    """Whether a text denies a letter, and the text up to where it speaks of another letter."""
    for match in _LETTER.finditer(text):
        named = match["round"] or match["square"] or match["bare"]
        if named == letter:
            if is_denied(text, match):
                return True, text
        elif not is_word(text, match):
            return False, text[: match.start()]
    return False, text


def is_denied(text: str, match: re.Match[str]) -> bool:
    """Whether the words before or after a letter deny it: "not B", "B is wrong"."""
    before = text[max(0, match.start() - 40) : match.start()]
    return bool(_DENIED_BEFORE.search(before) or _DENIED_AFTER.match(text[match.end() : match.end() + 40]))


def denied_before(text: str, at: int) -> bool:
    """Whether the words before a place deny what stands there."""
    return bool(_DENIED_BEFORE.search(text[max(0, at - 40) : at]))
