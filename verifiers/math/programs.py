"""Answers as programs print them: calls of SymPy, conditions of Python, dictionaries."""

from __future__ import annotations

import re

_CALL = re.compile(r"\b(Rational|Fraction|S|Eq|FiniteSet|Interval(?:\.(?:open|Lopen|Ropen))?|Union|And|Or|set)\(")
_BRACKETS = {"Interval": "[]", "Interval.open": "()", "Interval.Lopen": "(]", "Interval.Ropen": "[)"}
_APPLIED = re.compile(r"\b([A-Za-z])\s*\{\\left\(([^{}()]*)\\right\)\}")
_NAMED_VALUE = re.compile(r"\s*'?([A-Za-z]\w*)'?\s*:\s*([^:{}<>=]+?)\s*\Z")
MAX_CALLS = 32


def without_calls(text: str) -> str:
    r"""The text in mathematical notation; any other text as it is.

    >>> print(without_calls("Union(Interval.open(-oo, -1), Interval(3, 5))"))
    (-oo, -1) \cup [3, 5]
    >>> without_calls("(x < -1) | (x > 3)"), without_calls("{x: 2, y: 3}")
    ('x < -1 or x > 3', 'x = 2, y = 3')
    """
    if "(" in text and _CALL.search(text):
        text = _spelled(text)
    if "{\\left(" in text:
        text = _APPLIED.sub(r"\1(\2)", text)
    for sign, word in (("|", " or "), ("&", " and ")):
        if sign in text and "\\" not in text and (conditions := _conditions(text, sign)):
            text = word.join(conditions)
    if text[:1] == "{" and ":" in text and text[-1:] == "}":
        pairs = [_NAMED_VALUE.match(part) for part in _split(text[1:-1])]
        if len(pairs) > 1 and all(pairs):
            text = ", ".join(f"{pair[1]} = {pair[2]}" for pair in pairs if pair)
    return text


def _conditions(text: str, sign: str) -> list[str]:
    """The conditions that a sign connects, each in brackets or in none; empty where one of them is no condition."""
    parts = [part.strip() for part in text.replace(sign * 2, sign).split(sign)]
    plain = [part[1:-1] if part[:1] == "(" and part[-1:] == ")" else part for part in parts]
    related = all(any(relation in part for relation in "<>=") for part in plain)
    return plain if related and not any(bracket in part for part in plain for bracket in "()|&") else []


def _spelled(text: str) -> str:
    """The text with its calls written out, the innermost first."""
    for _ in range(MAX_CALLS):
        calls = list(_CALL.finditer(text))
        if not calls:
            break
        call = calls[-1]
        end = _closing(text, call.end() - 1)
        if end < 0:
            break
        written = _written(call[1], _split(text[call.end() : end]))
        if written is None:
            break
        text = f"{text[: call.start()]}{written}{text[end + 1 :]}"
    return text


def _written(name: str, args: list[str]) -> str | None:
    if name in ("Rational", "Fraction") and len(args) == 2:
        return f"(({args[0]})/({args[1]}))"
    if name == "S" and len(args) == 1 and re.fullmatch(r"-?[\d./]+", args[0]):
        return f"({args[0]})"
    if name == "Eq" and len(args) == 2:
        return f"{args[0]} = {args[1]}"
    if name == "FiniteSet":
        return f"\\{{{', '.join(args)}\\}}"
    if name == "set":
        inside = args[0] if len(args) == 1 else ""
        return f"\\{{{inside[1:-1]}\\}}" if inside[:1] == "[" or not args else None
    if name == "Union":
        return " \\cup ".join(args)
    if name in ("And", "Or"):
        return f" {name.lower()} ".join(args)
    if name in _BRACKETS and 2 <= len(args) <= 4 and set(args[2:]) <= {"True", "False"}:
        brackets = _BRACKETS[name]
        left = "(" if args[2:3] == ["True"] else brackets[0]
        right = ")" if args[3:4] == ["True"] else brackets[1]
        return f"{left}{args[0]}, {args[1]}{right}"
    return None


def _closing(text: str, opening: int) -> int:
    depth = 0
    for index in range(opening, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0:
            return index
    return -1


def _split(text: str) -> list[str]:
    """The arguments: what stands between commas outside of brackets."""
    parts: list[str] = []
    depth = start = 0
    for index, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    rest = text[start:].strip()
    return [*parts, rest] if rest or parts else parts
