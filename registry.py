"""Names to lazy targets: the one mechanism behind environments, verifiers, sandboxes and adapters."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar, cast

from .errors import DuplicateName, InputError, LoadFailed, MissingExtra, UnknownName

T = TypeVar("T")
_FILE = "assay_file_"
_MISSING = object()
_AS_NEAR = 0.1
_MOST_LISTED, _SHOWN_OF_MORE = 20, 5
_PATH = re.compile(r"(?P<module>[\w.]+|.+\.py):(?P<attribute>\w+)\Z")


class Registry(Generic[T]):
    """Names of one kind of thing, each with a target that is imported when it is asked for.

    A target is the object itself or ``"package.module:attribute"``. Beside registered names, ``get`` takes such a
    string and ``"path/to/file.py:attribute"`` directly. Registries are filled while modules load and only read after.

    Args:
        kind: What the names stand for, in the singular, for messages ("environment").
        builtin: Names and targets known from the start.
        group: An entry-point group whose names other distributions add; read once, when first needed.
    """

    def __init__(self, kind: str, builtin: Mapping[str, T | str] | None = None, *, group: str | None = None) -> None:
        self.kind = kind
        self.group = group
        self._targets: dict[str, T | str] = dict(builtin or {})
        self._plugins_read = group is None

    def add(self, name: str, target: T | str) -> None:
        """Register ``name``; another target for a known name raises ``DuplicateName``.

        The same one twice is fine, be it by its path, or defined anew by a reloaded module or a notebook's cell.
        """
        known = self._targets.get(name, target)
        if known is not target and known != target and _path_of(known) != _path_of(target):
            raise DuplicateName(f"{self.kind} {name!r} is already registered as {known!r}; choose another name")
        self._targets[name] = target

    def names(self) -> list[str]:
        """All registered names, sorted, those of installed plug-ins among them."""
        self._read_plugins()
        return sorted(self._targets)

    def __contains__(self, name: str) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def get(self, name: str) -> T:
        """The target of ``name``, imported if need be.

        Raises:
            UnknownName: Nobody registered it and it is not a path to an attribute.
            LoadFailed: It is known but cannot be imported.
            MissingExtra: It needs a package that is not installed.
        """
        self._read_plugins()
        target = self._targets.get(name, name)
        if target is name and name not in self._targets and not _PATH.match(name):
            raise UnknownName(self._unknown(name))
        return cast(T, self._load(name, target)) if isinstance(target, str) else target

    def _unknown(self, name: str) -> str:
        if name.endswith(".py"):
            return f"{name!r} is a file; say which {self.kind} in it is meant, as {name + ':NAME'!r}"
        paths = "'package.module:attribute' or 'file.py:attribute'"
        hint = near_names(name, self.names())
        return f"no {self.kind} is called {name!r}; {hint}; one of your own is named by {paths}"

    def _load(self, name: str, target: str) -> Any:
        found = _PATH.match(target)
        if not found:
            raise LoadFailed(f"{self.kind} {name!r} points to {target!r}; expected 'package.module:attribute'")
        try:
            module = _import(found["module"])
            attribute = getattr(module, found["attribute"], _MISSING)
        except MissingExtra:
            raise
        except Exception as error:  # whatever a module's import may raise
            cause = f"{type(error).__name__}: {error}"
            place = "" if target == name else f" from {target!r}"
            raise LoadFailed(f"{self.kind} {name!r} could not be loaded{place}: {cause}") from error
        if attribute is _MISSING:
            cause = _lacks(module, **found.groupdict())
            raise LoadFailed(f"{self.kind} {name!r} could not be loaded: {cause}")
        return attribute

    def _read_plugins(self) -> None:
        if not self._plugins_read:
            from importlib.metadata import entry_points  # here: it takes a third of the time to import assay

            for point in entry_points(group=cast(str, self.group)):
                self._targets.setdefault(point.name, point.value)
            self._plugins_read = True


def near_names(name: str, known: Sequence[str]) -> str:
    """The known names that look like ``name``, the nearest and those about as near, as a question; else all, if few."""
    import difflib  # here, as above: it is for messages alone

    found = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    likeness = {other: difflib.SequenceMatcher(a=other, b=name).ratio() for other in found}
    near = [other for other in found if likeness[other] > likeness[found[0]] - _AS_NEAR]
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    listed = known
    if len(known) > _MOST_LISTED:
        listed = [*known[:_SHOWN_OF_MORE], f"... and {len(known) - _SHOWN_OF_MORE} more"]
    return f"known: {', '.join(listed) or 'none'}"


def _lacks(found: ModuleType, *, module: str, attribute: str) -> str:
    """That a module has no such attribute; a file is called by its name, not by what its module is called here."""
    import difflib

    near = difflib.get_close_matches(attribute, [name for name in vars(found) if not name.startswith("_")], n=3)
    return f"{module} has no {attribute!r}" + (f"; did you mean {' or '.join(map(repr, near))}?" if near else "")


def _path_of(target: object) -> object:
    """``module:name`` of a class or function, a string as it is, and of anything else only itself."""
    name = getattr(target, "__qualname__", None)
    return target if name is None else f"{getattr(target, '__module__', '')}:{name}"


def _import(module: str) -> ModuleType:
    """Import a dotted module, or a file under a name made from its absolute path."""
    if not module.endswith(".py"):
        return importlib.import_module(module)
    path = Path(module).resolve()
    if not path.is_file():
        raise InputError(f"no file {str(path)!r}")
    return importlib.import_module(f"{_FILE}{re.sub(r'[^a-zA-Z0-9]', '_', path.stem)}_{str(path).encode().hex()}")


class _FileFinder:
    """Finds what ``_import`` named after a file, so that a spawned process can unpickle its classes."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not fullname.startswith(_FILE):
            return None
        return importlib.util.spec_from_file_location(fullname, bytes.fromhex(fullname.rpartition("_")[2]).decode())


if not any(type(finder).__name__ == _FileFinder.__name__ for finder in sys.meta_path):
    sys.meta_path.append(_FileFinder())  # all that is asked of a finder is find_spec
