"""Instruction constraints: those of IFEval and IFBench."""

from .verifier import InstructionVerifier

__all__ = ["InstructionVerifier"]
