"""Run programs nobody trusts."""

from .base import Execution, Limits, Program, Sandbox, Status

__all__ = ["Execution", "Limits", "Program", "Sandbox", "Status"]
