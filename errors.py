"""Every exception that assay raises on purpose, in one tree.

::

    AssayError
    ├── InputError            (ValueError)    an argument, a file or a row is not what was asked for
    │   └── ColumnError                       a data set column is missing, reserved or of the wrong length
    ├── RegistryError         (LookupError)   something about a name
    │   ├── UnknownName                       nobody registered it
    │   ├── DuplicateName                     two things want the same name
    │   └── LoadFailed                        the name is known, its target cannot be imported
    ├── MissingExtra          (ImportError)   an optional package is not installed
    ├── DataUnavailable       (RuntimeError)  a data set is neither on disk nor reachable
    ├── StorageFailed         (OSError)       a file of ours cannot be written: disk full, no permission
    ├── SandboxUnavailable    (RuntimeError)  this machine cannot isolate a program as asked
    ├── VerifierFailed        (RuntimeError)  a judge failed where the caller asked for an exception
    ├── NoSignal              (RuntimeError)  no group that teaches was found within the rounds allowed
    ├── Unsupported           (RuntimeError)  an installed package is not what assay builds on
    └── WorkerFailed          (RuntimeError)  a killable process of ours failed
        └── WorkerTimeout                     it passed its deadline and was killed

A message says what was given, what was expected and what to do. What a policy wrote never ends in an exception: it
ends in a ``Result``.
"""

from __future__ import annotations


class AssayError(Exception):
    """The root: catch it to catch everything that assay raises on purpose."""


class InputError(AssayError, ValueError):
    """An argument, a file or a row is not what was asked for."""


class ColumnError(InputError):
    """A data set column is missing, reserved, or not as long as the batch."""


class RegistryError(AssayError, LookupError):
    """Something is wrong about a registered name."""


class UnknownName(RegistryError):
    """Nobody registered this name; the message lists the nearest ones."""


class DuplicateName(RegistryError):
    """Two different targets want the same name."""


class LoadFailed(RegistryError):
    """The name is known but its target cannot be imported; the cause is chained."""


class MissingExtra(AssayError, ImportError):
    """An optional package is not installed; the message carries the pip line."""

    def __init__(self, package: str, extra: str | None = None) -> None:
        """Say that ``package`` is missing, and that the extra ``extra`` brings it, or it is installed by itself."""
        wanted = package if extra is None else f"'assay[{extra}]'"
        super().__init__(f"{package!r} is not installed. Install it with: pip install {wanted}")
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str | None]]:
        return type(self), (self.package, self.extra)


class DataUnavailable(AssayError, RuntimeError):
    """A data set is neither on disk nor reachable; the message names the path to set."""


class StorageFailed(AssayError, OSError):
    """A file of ours cannot be written: the disk is full, or permission is missing."""


class SandboxUnavailable(AssayError, RuntimeError):
    """This machine cannot isolate a program as asked; the message says what is missing and how to get it."""


class VerifierFailed(AssayError, RuntimeError):
    """A judge, not the policy, failed, and the caller asked for an exception instead of a missing score."""


class NoSignal(AssayError, RuntimeError):
    """No group of completions that teaches was found within the rounds allowed."""


class Unsupported(AssayError, RuntimeError):
    """An installed package, or a class made from it, does not have what assay builds on; the version is named."""


class WorkerFailed(AssayError, RuntimeError):
    """A killable process of ours failed: it could not start, died, or raised."""


class WorkerTimeout(WorkerFailed):
    """A killable process of ours passed its deadline and was killed."""
