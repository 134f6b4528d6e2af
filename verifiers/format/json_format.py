"""``JSONFormat``: is the completion one JSON value, read strictly, that fits a schema?"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import InputError, WorkerFailed, WorkerTimeout
from ..base import Result, Verifier
from .final import final_text
from .pattern import WAIT_FACTOR, CPULimit, cpu_limit

if TYPE_CHECKING:
    from collections.abc import Iterable

_FENCED = re.compile(r"```(?:json|JSON)?[ \t]*\n(?P<inside>.*?)\n?[ \t]*```", re.DOTALL)
_RULES = ("one_value", "parsed", "no_duplicate_keys", "finite", "schema")
_FENCES = ("allow", "require", "forbid")
_CPU_SECONDS = 0.5
_DEADLINE_SECONDS = _CPU_SECONDS * WAIT_FACTOR


class JSONFormat(Verifier[Mapping[str, Any] | str | None]):
    r"""Whether a completion is exactly one JSON value (RFC 8259) that fits a JSON schema.

    What stands before a closing ``</think>`` is reasoning and free. The rules, each with its score in ``parts``:
    ``one_value`` (no text before or after), ``parsed``, ``no_duplicate_keys``, ``finite`` (no ``NaN`` or ``Infinity``,
    which Python's parser would take), ``schema`` (the share of the schema's required and described properties that are
    there and valid; 1 without a schema). All of them hold: correct. Otherwise the score is 0, or with ``partial`` the
    mean of the parts.

    The reference is the schema: a mapping, its JSON text, or None for the one given here. ``$ref`` is followed inside
    the schema only: nothing is fetched.

    Args:
        schema: The schema of rows whose reference is None; None: any JSON value.
        fence: Whether a Markdown code fence around the value is allowed, required or forbidden.
        partial: Whether a completion that keeps some of the rules scores their mean.

    Raises:
        InputError: The schema is not a JSON schema, or ``fence`` is another word.

    >>> JSONFormat({"type": "object", "required": ["a"]}).verify(['{"a": 1}', '{"b": NaN}'], [None, None])[1].reason
    'NaN is not JSON'
    """

    def __init__(self, schema: Mapping[str, Any] | None = None, *, fence: str = "allow", partial: bool = False) -> None:
        if fence not in _FENCES:
            raise InputError(f"fence is {fence!r}; expected one of {', '.join(_FENCES)}")
        if schema is not None and (wrong := schema_error(schema)):
            raise InputError(f"schema is not a JSON schema: {wrong}")
        self.schema = schema
        self.fence = fence
        self.partial = partial
        from ...sandbox.worker import Worker  # here, as in pattern.py: for the sake of the time to import assay

        self._worker = Worker(f"{__name__}:schema_errors_limited")

    def _verify_one(self, completion: str, reference: Mapping[str, Any] | str | None, **columns: Any) -> Result:
        try:
            schema = self.schema if reference is None else _schema(reference)
        except InputError as error:
            return Result.bad_reference(str(error))
        text = final_text(completion)
        if text is None or not text.strip():
            return Result.no_answer("there is no text after the reasoning")
        value, parts, reason = self._read(text)
        if schema is not None and parts["parsed"]:
            try:
                parts["schema"], problem = self._fits(value, schema)
            except WorkerTimeout:
                return Result.error(
                    f"the schema's patterns took {_DEADLINE_SECONDS:g} s of waiting; their process was killed"
                )
            except WorkerFailed as error:
                return Result.error(f"the schema could not be checked: {error}")
            except InputError as error:
                return Result.bad_reference(str(error))
            reason = reason or problem
        answer = text.strip()
        if not reason:
            return Result.correct(answer=answer, parts=parts)
        score = sum(parts.values()) / len(parts)
        if self.partial and 0.0 < score < 1.0:
            return Result.partial(score, answer=answer, reason=reason, parts=parts)
        return Result.incorrect(answer=answer, reason=reason, parts=parts)

    def _read(self, text: str) -> tuple[Any, dict[str, float], str]:
        """The value, the parts before the schema's, and the first rule broken ("" for none)."""
        parts = dict.fromkeys(_RULES, 0.0)
        body = text.strip()
        fenced = _FENCED.fullmatch(body)
        if fenced and self.fence != "forbid":
            body = fenced["inside"].strip()
        reason = ""
        if self.fence == "require" and not fenced:
            reason = "the value is not inside a code fence"
        flaws: list[str] = []
        try:
            value, end = read_json(body, flaws)
        except InputError as error:
            return None, parts, reason or str(error)
        parts |= {"parsed": 1.0, "no_duplicate_keys": 1.0, "finite": 1.0, "schema": 1.0}
        if body[end:].strip():
            reason = reason or f"text after the value: {body[end:].strip()[:60]!r}"
        else:
            parts["one_value"] = 0.0 if reason else 1.0
        for flaw in flaws:
            parts["finite" if flaw.endswith("is not JSON") else "no_duplicate_keys"] = 0.0
            reason = reason or flaw
        return value, parts, reason

    def _fits(self, value: Any, schema: Mapping[str, Any]) -> tuple[float, str]:
        """The share of the schema that holds, and the first problem; patterns run where they can be stopped."""
        if _has_patterns(schema):
            share, problem = self._worker.call(value, schema, deadline_seconds=_DEADLINE_SECONDS)
            return float(share), str(problem)
        return schema_errors(value, schema)


def read_json(text: str, flaws: list[str]) -> tuple[Any, int]:
    """The first JSON value of a text and where it ends; duplicate keys and NaN are appended to ``flaws``.

    Raises:
        InputError: There is no JSON value, it is nested too deeply, or a number has too many digits.
    """

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            keys = [key for key, _ in items]
            twice = next(key for key in keys if keys.count(key) > 1)
            flaws.append(f"the key {twice[:60]!r} is there twice")
        return found

    def constant(name: str) -> float:
        flaws.append(f"{name} is not JSON")
        return float(name.replace("Infinity", "inf"))

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=constant)
    try:
        value, end = decoder.raw_decode(text)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise InputError("not readable: nested too deeply") from error
    except ValueError as error:
        raise InputError(f"not readable: {error}"[:200]) from error
    return value, end


def schema_error(schema: Any) -> str:
    """Why ``schema`` is not a JSON schema; "" when it is one."""
    import jsonschema

    try:
        jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator).check_schema(schema)
    except jsonschema.SchemaError as error:
        return str(error.message)[:300]
    except Exception as error:  # noqa: BLE001 - a schema may be any value whatever
        return f"{type(error).__name__}: {error}"[:300]
    return ""


def schema_errors(value: Any, schema: Mapping[str, Any]) -> tuple[float, str]:
    """The share of a schema that a value keeps, and the first problem ("" for none).

    The units are the schema's required and described top-level properties, and the value as a whole.
    """
    import jsonschema
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    validator = kind(schema, registry=Registry())  # an empty registry: a remote $ref is an error, not a download
    try:
        errors = list(_some(validator.iter_errors(value)))
    except RecursionError:
        return 0.0, "the value is nested too deeply for its schema"
    except Unresolvable as error:
        raise InputError(f"the schema refers to {error.ref!r}, which is not in it; nothing is fetched") from error
    if not errors:
        return 1.0, ""
    where = "/".join(map(str, errors[0].absolute_path)) or "the value"
    broken = {error.absolute_path[0] if error.absolute_path else None for error in errors}
    names = set(schema.get("required", [])) | set(schema.get("properties", {}))
    units = len(names | {name for name in broken if name is not None}) + 1
    missing = sum(name not in value for name in schema.get("required", [])) if isinstance(value, dict) else units
    share = max(0.0, 1.0 - max(len(broken), min(units, missing + len(broken - {None}))) / units)
    return share, f"{where}: {errors[0].message[:200]}"


def schema_errors_limited(value: Any, schema: Mapping[str, Any]) -> tuple[float, str]:
    """``schema_errors`` with a limit on processor time; runs in a process of its own."""
    try:
        with cpu_limit(_CPU_SECONDS):
            return schema_errors(value, schema)
    except CPULimit:
        return 0.0, f"a pattern of the schema needs more than {_CPU_SECONDS:g} s on this value"


def _some(errors: Iterable[Any]) -> Iterable[Any]:
    """The first hundred: a value with a million errors is as wrong as one with a hundred."""
    for _, error in zip(range(100), errors, strict=False):
        yield error


def _schema(reference: Any) -> Mapping[str, Any]:
    if isinstance(reference, str):
        return _schema_of_text(reference)
    if not isinstance(reference, Mapping) and not isinstance(reference, bool):
        raise InputError(f"the reference is {type(reference).__name__}; expected a JSON schema, its text, or None")
    if wrong := schema_error(reference):
        raise InputError(f"the reference is not a JSON schema: {wrong}")
    return reference if isinstance(reference, Mapping) else ({} if reference else {"not": {}})


@functools.lru_cache(maxsize=512)
def _schema_of_text(text: str) -> Mapping[str, Any]:
    """The schema that a text holds, checked once for all rows that share it; it is only read."""
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the reference is not a JSON schema: {error}") from error
    if isinstance(schema, str):
        raise InputError("the reference is the JSON text of a text; expected that of a schema")
    return _schema(schema)


def _has_patterns(schema: Any) -> bool:
    if isinstance(schema, Mapping):
        return any(key in ("pattern", "patternProperties") or _has_patterns(value) for key, value in schema.items())
    return isinstance(schema, list) and any(map(_has_patterns, schema))
