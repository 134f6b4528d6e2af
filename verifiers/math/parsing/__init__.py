"""Text to tree: a bounded recursive descent that fails on whatever it does not know."""

from .errors import TooLarge, Unreadable
from .structure import parse

__all__ = ["TooLarge", "Unreadable", "parse"]
