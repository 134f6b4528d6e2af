"""Verifiers by rule. Importing this package loads neither torch nor transformers nor SymPy."""

from .base import Result, Verdict, Verifier
from .compose import AllOf, Gate, Route, Threshold, Weighted
from .format import TagFormat
from .math.verifier import MathVerifier

__all__ = [
    "AllOf",
    "Gate",
    "MathVerifier",
    "Result",
    "Route",
    "TagFormat",
    "Threshold",
    "Verdict",
    "Verifier",
    "Weighted",
]
