"""Unicode to the LaTeX and ASCII that the lexer knows; letters of other alphabets stay what they are."""

from __future__ import annotations

import re
import unicodedata

_GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "varsigma",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
]
_VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
_SIGNS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "×": r"\times ", "⋅": r"\cdot ", "·": r"\cdot ",
    "∙": r"\cdot ", "•": r"\cdot ", "∗": "*", "÷": r"\div ", "∕": "/", "⁄": "/", "±": r"\pm ", "∓": r"\mp ",
    "≤": r"\le ", "⩽": r"\le ", "≦": r"\le ", "≥": r"\ge ", "⩾": r"\ge ", "≧": r"\ge ", "≠": r"\ne ", "≈": r"\approx ",
    "≃": r"\approx ", "≅": r"\cong ", "≡": r"\equiv ", "∼": r"\sim ", "∈": r"\in ", "∉": r"\notin ", "∪": r"\cup ",
    "∩": r"\cap ", "∖": r"\setminus ", "⊂": r"\subset ", "⊆": r"\subseteq ", "∅": r"\emptyset ", "⌀": r"\emptyset ",
    "∞": r"\infty ", "√": r"\sqrt ", "∛": r"\sqrt[3]", "∜": r"\sqrt[4]", "∑": r"\sum ", "∏": r"\prod ", "∫": r"\int ",
    "∂": r"\partial ", "∇": r"\nabla ", "∠": r"\angle ", "△": r"\triangle ", "°": r"^\circ ", "′": "'", "″": "''",
    "’": "'", "‘": "'", "“": '"', "”": '"', "→": r"\to ", "⇒": r"\Rightarrow ", "⇔": r"\iff ", "∘": r"\circ ",
    "⊥": r"\perp ", "∥": r"\parallel ", "∣": r"\mid ", "∤": r"\nmid ", "¬": r"\neg ", "∧": r"\land ", "∨": r"\lor ",
    "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ", "⟨": r"\langle ", "⟩": r"\rangle ",
    "…": r"\ldots ", "⋯": r"\ldots ", "ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℚ": r"\mathbb{Q}", "ℕ": r"\mathbb{N}",
    "ℂ": r"\mathbb{C}", "ℓ": r"\ell ", "ℏ": r"\hbar ", "ϵ": r"\epsilon ", "ϕ": r"\phi ", "ϑ": r"\vartheta ",
    "、": ", ", "。": ". ", "，": ", ", "；": "; ", "：": ": ", "【": "[", "】": "]", "｡": ". ", "℃": r"^\circ C",
    "℉": r"^\circ F", "µ": r"\mu ", "‰": r"\permil ", "º": r"^\circ ", "∆": r"\Delta ", "∶": ":", "Ω": r"\Omega ",
}  # fmt: skip
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣʸᵏᵐᵃᵇᵗ", "0123456789+-=()nixykmabt", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₗₘₙₒₚₛₜₓ", "0123456789+-=()aeijklmnopstx", strict=True))
_RAISED = re.compile(f"[{''.join(_SUPERSCRIPTS)}]+")
_LOWERED = re.compile(f"[{''.join(_SUBSCRIPTS)}]+")
_COMBINING = {"\u0304": "bar", "\u0305": "bar", "\u0302": "hat", "\u20d7": "vec"}
_ACCENTED = re.compile(f"(\\w)([{''.join(_COMBINING)}])")
_INVISIBLE = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2061\u2062\u2063\u2066\u2069"
)
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


def _table() -> dict[int, str]:
    table = {ord(sign): latex for sign, latex in _SIGNS.items()}
    for offset, name in enumerate(_GREEK):
        if name != "omicron":
            table[0x3B1 + offset] = f"\\{name} "
            if name != "varsigma":
                table[0x391 + offset] = f"\\{name.capitalize()} "
    table |= dict.fromkeys(map(ord, _INVISIBLE), "")
    table |= dict.fromkeys(map(ord, _SPACES), " ")
    for code in [*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800)]:
        plain = unicodedata.normalize("NFKC", chr(code))
        if plain.isascii() or len(plain) == 1:
            table.setdefault(code, table.get(ord(plain), plain))
    for code in [*range(0x24B6, 0x24EA), *range(0x1F130, 0x1F14A)]:  # letters in circles and in squares
        table[code] = unicodedata.normalize("NFKC", chr(code))[-1:]
    for zero in (0x660, 0x6F0, 0x966, 0x9E6):  # Arabic, Persian, Devanagari and Bengali digits
        table |= {zero + digit: str(digit) for digit in range(10)}
    for sign, fraction in _VULGAR.items():
        top, _, bottom = fraction.partition("/")
        table[ord(sign)] = f"\\frac{{{top}}}{{{bottom}}}"
    return table


_TABLE = _table()


def to_latex(text: str) -> str:
    r"""``text`` with Unicode mathematics spelled in LaTeX; ASCII text is returned as it is.

    Superscripts become exponents and subscripts indices, so that a raised 7 on its own is not the number 7. Letters
    that merely look Latin are left alone.

    >>> to_latex("2 × 3⁴ ≤ π²")
    '2 \\times  3^{4} \\le  \\pi ^{2}'
    """
    if text.isascii():
        return text
    text = _ACCENTED.sub(lambda found: f"\\{_COMBINING[found[2]]}{{{found[1]}}}", text)
    text = _RAISED.sub(lambda found: f"^{{{''.join(map(_SUPERSCRIPTS.get, found[0]))}}}", text)  # type: ignore[arg-type]
    text = _LOWERED.sub(lambda found: f"_{{{''.join(map(_SUBSCRIPTS.get, found[0]))}}}", text)  # type: ignore[arg-type]
    return text.translate(_TABLE)
