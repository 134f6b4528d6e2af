"""Reading test code."""

from __future__ import annotations

import ast
import threading
import warnings

_ONE_AT_A_TIME = threading.Lock()  # `catch_warnings` changes what all threads see, and puts back what it found


def parse(source: str) -> ast.Module:
    r"""The syntax tree of a test text, without the warnings that Python has for it.

    Test texts of data sets have invalid escapes such as ``"\d"``; whoever turns warnings into errors means other code.

    Raises:
        SyntaxError: The text is not Python, or nested too deeply.
    """
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or "it is nested too deeply") from error
