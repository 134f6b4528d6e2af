"""Items as bytes, with what is large in them left out and put into Ray's object store once.

A thousand completions may be judged by one suite of megabytes. Pickled with every batch it would cross the network as
often; as an object of the store it reaches each node once, and the batches name it.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from typing import Any

from .package import ray

#: Text and bytes from this length on are shared. Ray itself puts arguments from 100 KB on into its store.
LARGE = 64 << 10


class Packer:
    """Packs the batches of one call. Equal large values of all of them are one object of the store.

    Objects other than text and bytes are shared when ``share`` named them before.
    """

    def __init__(self) -> None:
        self._values: dict[str | bytes, Any] = {}
        self._objects: dict[int, tuple[Any, Any]] = {}  # the object too, so that its id stays its own

    def share(self, value: Any) -> None:
        """Put ``value`` into the store; wherever this very object occurs, it is then named only."""
        if id(value) not in self._objects:
            self._objects[id(value)] = (value, ray().put(value))

    def pack(self, items: Sequence[Any]) -> tuple[bytes, list[Any]]:
        """Items as bytes, and references to what was left out of them."""
        packer, used = self, dict[Any, int]()

        class Pickler(ray().cloudpickle.CloudPickler):  # type: ignore[misc]  # its base is found late
            def persistent_id(self, value: Any) -> int | None:
                reference = packer._reference(value)
                return None if reference is None else used.setdefault(reference, len(used))

        buffer = io.BytesIO()
        Pickler(buffer, protocol=5).dump(list(items))
        return buffer.getvalue(), list(used)

    def _reference(self, value: Any) -> Any:
        if type(value) in (str, bytes) and len(value) >= LARGE:
            if value not in self._values:
                self._values[value] = ray().put(value)
            return self._values[value]
        known = self._objects.get(id(value))
        return None if known is None else known[1]


def size_of(value: Any) -> int:
    """Bytes of one value when pickled."""
    return len(ray().cloudpickle.dumps(value))


def unpack(data: bytes, values: Sequence[Any]) -> list[Any]:
    """What ``Packer.pack`` packed.

    Args:
        data: Its bytes.
        values: What its references stand for.
    """

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, number: Any) -> Any:
            return values[number]

    items: list[Any] = Unpickler(io.BytesIO(data)).load()
    return items
