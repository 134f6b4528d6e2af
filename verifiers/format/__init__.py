"""Verifiers of form: tags, JSON, patterns, length, Markdown, language and instruction constraints."""

from .instructions import InstructionVerifier
from .json_format import JSONFormat
from .language import LanguageFormat
from .length import LengthFormat
from .markdown import BoxedFormat, CodeFence, MarkdownFormat
from .pattern import PatternFormat
from .tags import TagFormat

__all__ = [
    "BoxedFormat",
    "CodeFence",
    "InstructionVerifier",
    "JSONFormat",
    "LanguageFormat",
    "LengthFormat",
    "MarkdownFormat",
    "PatternFormat",
    "TagFormat",
]
