"""Verifiers by rule. Importing this package loads neither torch nor transformers nor SymPy."""

from .base import Result, Verdict, Verifier
from .choice import ChoiceVerifier
from .code import CodeVerifier, TestSuite
from .compose import AllOf, Gate, Route, Threshold, Weighted
from .format import InstructionVerifier, JSONFormat, TagFormat
from .math.verifier import MathVerifier
from .model import RewardModel
from .text import TextVerifier

__all__ = [
    "AllOf",
    "ChoiceVerifier",
    "CodeVerifier",
    "Gate",
    "InstructionVerifier",
    "JSONFormat",
    "MathVerifier",
    "Result",
    "RewardModel",
    "Route",
    "TagFormat",
    "TestSuite",
    "TextVerifier",
    "Threshold",
    "Verdict",
    "Verifier",
    "Weighted",
]
