"""Classic BPF as seccomp takes it: an assembler, and the filter that it makes.

Source: the kernel's ``include/uapi/linux/bpf_common.h`` and ``include/uapi/linux/seccomp.h``.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable

from . import kernel
from .numbers import NUMBERS

_ALLOW, _ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
LOAD, EQUAL, AT_LEAST, GREATER, ANY_BIT, MASK, RETURN = 0x20, 0x15, 0x35, 0x25, 0x45, 0x54, 0x06


class Assembler:
    """Collects instructions in ``code``. A block that begins with a test must end in a return on every path."""

    def __init__(self) -> None:
        self.code: list[bytes] = []

    def add(self, operation: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        """One instruction; the last two tell how many to skip."""
        self.code.append(struct.pack("HBBI", operation, if_true, if_false, value & 0xFFFFFFFF))

    def refuse(self, number: int = errno.EPERM) -> None:
        """The call fails with an error number."""
        self.add(RETURN, _ERRNO | number)

    def allow(self) -> None:
        """The call is made."""
        self.add(RETURN, _ALLOW)

    def load_argument(self, index: int) -> None:
        """Look at an argument's low half: every checked one is an int or fits in 32 bits."""
        self.add(LOAD, 16 + 8 * index)

    def allow_if_argument_in(self, name: str, index: int, values: Iterable[int], number: int = errno.EPERM) -> None:
        """Make a call with these values of an argument only."""
        if self._look_for(name, index, tuple(values)):
            self.refuse(number)
            self.allow()

    def refuse_if_argument_in(self, name: str, index: int, values: Iterable[int], number: int = errno.EPERM) -> None:
        """Make a call with all but these values of an argument."""
        if self._look_for(name, index, tuple(values)):
            self.allow()
            self.refuse(number)

    def _look_for(self, name: str, index: int, wanted: tuple[int, ...]) -> bool:
        """Begin a block on a call: of its two last instructions the first is for other values than those wanted.

        Returns:
            Whether this machine has the call.
        """
        if name not in NUMBERS:
            return False
        self.add(EQUAL, NUMBERS[name], 0, 3 + len(wanted))
        self.load_argument(index)
        for left, value in zip(range(len(wanted), 0, -1), wanted, strict=True):
            self.add(EQUAL, value, left, 0)
        return True


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class Filter:
    """A filter ready to load; prepare it before the fork, load it after."""

    def __init__(self, code: bytes) -> None:
        self._buffer = ctypes.create_string_buffer(code, len(code))
        self._program = _Program(len(code) // 8, ctypes.addressof(self._buffer))

    def load(self) -> None:
        """Apply it to this thread and whatever it starts, for ever; needs no_new_privs."""
        kernel.call("seccomp", 1, 0, ctypes.byref(self._program))
