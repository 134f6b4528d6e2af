"""A causal language model from a folder or the hub, or an error that says what was found there."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ...errors import InputError, MissingExtra

_CONNECT_SECONDS = 10.0
_LISTED = 20
_EXPECTED = "with a config.json, weights and a tokenizer of a causal language model"


def load(model: Any, tokenizer: Any, device: str | None) -> tuple[Any, Any]:
    """The model on its device, and its tokenizer.

    A hub that cannot be reached is not asked: what lies in its cache is loaded, anything else refused at once.

    Args:
        model: A folder, a hub name, or a loaded model.
        tokenizer: The tokenizer of a loaded model; None loads the one beside ``model``.
        device: "cpu", "cuda", ...; None takes a GPU where there is one, and leaves a loaded model where it is.

    Raises:
        MissingExtra: torch or transformers is not installed.
        InputError: It cannot be loaded, or the device cannot be used.
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise MissingExtra(error.name or "transformers", "trl") from error
    if not isinstance(model, str | os.PathLike):
        if tokenizer is None:
            raise InputError("a loaded model needs its tokenizer: TransformersSampler(model, tokenizer)")
        return (model if device is None else model.to(device)), tokenizer
    where = device or ("cuda" if torch.cuda.is_available() else "cpu")
    # CPUs compute float32 faster than bfloat16, and repeat it exactly
    dtype = torch.float32 if where == "cpu" else "auto"
    no_hub = "" if Path(model).exists() else _why_no_hub()
    try:
        given = {"local_files_only": bool(no_hub)}
        tokenizer = AutoTokenizer.from_pretrained(model, **given) if tokenizer is None else tokenizer
        loaded: Any = AutoModelForCausalLM.from_pretrained(model, dtype=dtype, **given)
    except Exception as error:  # whatever the readers of its files raise, it comes to the same
        raise InputError(
            f"the model {os.fspath(model)!r} could not be loaded: {_reason(model, no_hub, error)}"
        ) from error
    try:
        return loaded.to(where), tokenizer
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"the device {where!r} cannot be used: {error}. Expected 'cpu', 'cuda' or another of torch's"
        ) from error


def _why_no_hub() -> str:
    """Why the hub is not asked: it is switched off, or nobody answers there. Empty where it can be asked."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set, so that the hub is not asked"
    address = urlsplit(constants.ENDPOINT)
    host = address.hostname or ""
    if {address.scheme, "all"} & set(getproxies()) and not proxy_bypass(host):
        return ""  # a proxy finds the hub by itself
    try:
        port = address.port or (80 if address.scheme == "http" else 443)
        socket.create_connection((host, port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        return f"{constants.ENDPOINT} cannot be reached ({error.strerror or error})"
    return ""


def _reason(model: str | os.PathLike[str], no_hub: str, error: Exception) -> str:
    """What went wrong, what was found, and what was expected."""
    folder = Path(model)
    if no_hub and isinstance(error, OSError):
        from huggingface_hub import constants

        return (
            f"there is no such folder, it is not in the hub's cache ({constants.HF_HUB_CACHE}), and {no_hub}. Give the "
            f"path of a folder {_EXPECTED}, or a hub name where the hub can be reached (HF_ENDPOINT names a mirror)"
        )
    said = " ".join(str(error).split()).rstrip(". ")
    if not folder.is_dir():
        return f"{said}. Expected a folder or hub name {_EXPECTED}"
    files = sorted(folder.iterdir())
    more = f" and {len(files) - _LISTED} more" if len(files) > _LISTED else ""
    held = ", ".join(map(_described, files[:_LISTED])) or "nothing"
    return f"{said}. The folder holds {held}{more}; expected one {_EXPECTED}"


def _described(file: Path) -> str:
    """A file's name with its size, or why it cannot be read."""
    try:
        if file.is_dir():
            return f"{file.name} (a folder)"
        with file.open("rb"):
            return f"{file.name} ({file.stat().st_size} bytes)"
    except OSError as error:
        broken = "a link to nothing" if file.is_symlink() and not file.exists() else error.strerror
        return f"{file.name} ({broken})"
