"""Verifiers of form: tags and, later, JSON and instruction constraints."""

from .tags import TagFormat

__all__ = ["TagFormat"]
