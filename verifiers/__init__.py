"""Verifiers by rule. Importing this package loads neither torch nor transformers nor SymPy."""

from .base import Result, Verdict, Verifier

__all__ = ["Result", "Verdict", "Verifier"]
