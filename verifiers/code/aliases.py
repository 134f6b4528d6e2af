"""Which containers are the same object, kept when values cross between the tests and the program.

Whoever first sends a list, dict, set, deque or bytearray gives it a number, and both sides keep it under that number.
Sent again, it is the same object there, with the content that it has by then: as natively, where both sides hold it.

This file is read as text and run inside sandboxes too.
"""

import collections
from typing import Any

from .codec import ARRAY_TYPES, MAX_NODES, Encoder, NotComparable, TooLarge, is_array_type
from .decoding import Decoder

_KINDS = (list, dict, set, collections.deque, bytearray)
_MOST_NODES = 1_000_000  # values held on to: beyond, both sides let go of all and only begin anew


class Registry:
    """The containers that crossed, by number.

    Args:
        first: 0 for the tests' side, 1 for the program's: each numbers what it sends first by twos.

    Attributes:
        open: Numbers whose content the other side may change now; None for all.
    """

    def __init__(self, first: int) -> None:
        self.first = first
        self.next = first
        self.open: set[int] | None = None
        self.nodes = 0
        self.objects: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}

    def full(self) -> bool:
        """Whether it holds so much that it is time to forget."""
        return self.nodes > _MOST_NODES

    def forget(self) -> None:
        """Let go of everything; numbers are not used again."""
        self.objects.clear()
        self.numbers.clear()
        self.nodes = 0

    def number(self, x: Any) -> int:
        """The number of a container, a new one where it has none."""
        found = self.numbers.get(id(x))
        if found is None:
            found = self.next
            self.next += 2
            self._keep(found, x)
        return found

    def _keep(self, number: int, x: Any) -> None:
        self.objects[number] = x
        self.numbers[id(x)] = number

    def place(self, number: int, content: Any) -> Any:
        """The container of a number, with this content; where its content is not the other side's to change, a copy."""
        mine = self.objects.get(number)
        if mine is None and number % 2 != self.first:
            self._keep(number, content)
            return content
        if type(mine) is not type(content):
            return content
        if self.open is not None and number % 2 == self.first and number not in self.open:
            return mine if _equal(mine, content) else content
        _refill(mine, content)
        return mine


def _refill(mine: Any, content: Any) -> None:
    """Give a container new content; what is equal stays, since it may be more than its plain value here."""
    if type(mine) in (list, collections.deque):
        old = [*mine, *[None] * (len(content) - len(mine))]
        items = [_of_two(a, b) for a, b in zip(old, content, strict=False)]
        mine.clear()
        mine.extend(items)
    elif _equal(mine, content):
        return  # left alone: somebody may be iterating over it
    elif type(mine) is dict:
        pairs = [(key, _of_two(mine.get(key), value)) for key, value in content.items()]
        mine.clear()
        mine.update(pairs)
    else:
        mine.clear()
        mine.extend(content) if type(mine) is bytearray else mine.update(content)


def _of_two(mine: Any, theirs: Any) -> Any:
    """An instance of a subclass (a named tuple) came back as a plain value: if it is equal, it was not changed."""
    kind = type(theirs)
    richer = type(mine) is not kind and isinstance(mine, kind) and type(mine) is not bool
    return mine if richer and _equal(mine, theirs) else theirs


def _equal(mine: Any, theirs: Any) -> bool:
    """Whether two values are equal; arrays within them cannot say."""
    try:
        return bool(mine == theirs)
    except Exception:  # noqa: BLE001  (objects of the tests may raise anything)
        return False


class SharingEncoder(Encoder):
    """Encodes one message: each container with its number, and with its content the first time only."""

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self.registry = registry
        self.said: set[int] = set()
        self.within: set[int] = set()

    def encode(self, x: Any, depth: int) -> Any:
        """The form of a value; see ``codec.encode``."""
        if type(x) not in _KINDS:
            return super().encode(x, depth)
        number = self.registry.number(x)
        if number in self.within:
            raise TooLarge("the value contains itself")
        if number in self.said:
            return ["@", number]
        self.said.add(number)
        self.within.add(number)
        form = super().encode(x, depth)
        self.within.discard(number)
        return ["=", number, form]

    def all(self, values: list[Any]) -> list[Any]:
        """The forms of several values."""
        forms = [self.encode(value, 0) for value in values]
        self.registry.nodes += self.nodes
        return forms


def numpy_array(dtype: str, shape: list[int], items: list[Any]) -> Any:
    """A NumPy array of its parts; of the types that can be sent on."""
    if not is_array_type(dtype):
        raise NotComparable("an array of another type")
    if dtype not in ARRAY_TYPES and int(dtype[2:]) * len(items) > MAX_NODES:
        raise TooLarge("an array of texts that takes far more room than they do")
    try:
        import numpy
    except ImportError:
        raise NotComparable("an array, and there is no NumPy here") from None
    return numpy.array(items, dtype=dtype).reshape(shape)


class SharingDecoder(Decoder):
    """Decodes one message, with NumPy arrays as such."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(numpy_array)
        self.registry = registry
        self.said: dict[int, Any] = {}

    def decode(self, form: Any, depth: int) -> Any:
        """The value of a form; see ``decoding.decode``."""
        tag = form[0] if type(form) is list and form else None
        if tag == "@":
            return self.said[form[1]]
        if tag != "=":
            return super().decode(form, depth)
        _, number, inner = form
        content = super().decode(inner, depth)
        if type(number) is not int or number in self.said or type(content) not in _KINDS:
            raise NotComparable("malformed value")
        self.said[number] = self.registry.place(number, content)
        return self.said[number]

    def all(self, forms: list[Any]) -> list[Any]:
        """The values of several forms that came together.

        Raises:
            NotComparable: A form is malformed or too large.
        """
        try:
            values = [self.decode(form, 0) for form in forms]
        except NotComparable:
            raise
        except Exception as error:  # noqa: BLE001  (whatever a hostile form makes of the classes it names)
            raise NotComparable(f"malformed value: {type(error).__name__}") from None
        self.registry.nodes += self.nodes
        return values
