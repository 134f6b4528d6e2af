"""Models that cannot be loaded: the error says what was tried and what is there, without waiting for a hub in vain."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from assay.errors import InputError
from assay.evaluation.samplers.loading import _why_no_hub, load

EXPECTED = "with a config.json, weights and a tokenizer of a causal language model"


def refused(model: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        load(model, None, None)
    return str(caught.value)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The address of the hub, at which somebody listens until it is closed."""
    for name in ("https_proxy", "http_proxy", "all_proxy", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{listener.getsockname()[1]}")
        yield listener


def test_a_hub_that_cannot_be_reached_is_not_asked_again_and_again(
    hub: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_pause(seconds: float) -> None:
        raise AssertionError(f"a pause of {seconds} s before another try")

    hub.close()
    monkeypatch.setattr(time, "sleep", no_pause)
    said = refused("nowhere/nothing")
    assert said.startswith("the model 'nowhere/nothing' could not be loaded: there is no such folder, it is not in the")
    assert f"hub's cache ({constants.HF_HUB_CACHE}), and {constants.ENDPOINT} cannot be reached (Connection" in said
    assert said.endswith("or a hub name where the hub can be reached (HF_ENDPOINT names a mirror)")


def test_a_hub_that_answers_and_one_behind_a_proxy_are_asked(
    hub: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _why_no_hub() == ""
    hub.close()
    monkeypatch.setenv("all_proxy", "http://proxy.invalid:3128")
    monkeypatch.setenv("no_proxy", "")
    assert _why_no_hub() == ""


def test_a_hub_that_is_switched_off_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "and HF_HUB_OFFLINE is set, so that the hub is not asked. Give the path of a folder" in refused("no/such")


@pytest.mark.parametrize(
    ("spoil", "reason", "shown"),
    [
        (lambda file: file.write_bytes(file.read_bytes()[:1000]), "invalid header length", "(1000 bytes)"),
        (lambda file: file.write_bytes(b""), "header too small", "(0 bytes)"),
        (lambda file: (file.unlink(), file.mkdir()), "no file named model.safetensors", "(a folder)"),
        (lambda file: (file.unlink(), file.symlink_to("gone")), "no file named", "(a link to nothing)"),
    ],
    ids=["cut", "empty", "a folder", "a link"],
)
def test_weights_that_cannot_be_read_are_shown_as_they_are(
    tiny: tuple[Any, Any], tmp_path: Path, spoil: Callable[[Path], object], reason: str, shown: str
) -> None:
    for part in tiny:
        part.save_pretrained(tmp_path)
    spoil(tmp_path / "model.safetensors")
    said = refused(tmp_path)
    assert reason in said
    assert "\n" not in said
    assert ". The folder holds chat_template.jinja (" in said
    assert f", model.safetensors {shown}, tokenizer.json (" in said
    assert said.endswith(f"; expected one {EXPECTED}")


def test_a_long_folder_is_cut_and_an_empty_one_named(tmp_path: Path) -> None:
    assert "The folder holds nothing; expected one with a config.json" in refused(tmp_path)
    for number in range(30):
        (tmp_path / f"f{number:02}").touch()
    assert "f19 (0 bytes) and 10 more; expected one" in refused(tmp_path)
