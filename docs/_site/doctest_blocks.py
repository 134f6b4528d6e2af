"""Griffe extension: an example at the end of a docstring is shown as code, without a heading of its own."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^|\n)(>>> .*?)(?=\n\n(?!>>> )|\Z)", re.DOTALL)


class DoctestBlocks(griffe.Extension):
    """Fences every run of ``>>>`` lines with what follows them up to an empty line."""

    def on_instance(self, *, obj: griffe.Object | griffe.Alias, **_: Any) -> None:
        """Called for each documented object."""
        if not obj.is_alias and obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(r"\n```pycon\n\1\n```", obj.docstring.value)
