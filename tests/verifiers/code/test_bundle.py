"""The programs that run inside sandboxes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from assay.sandbox import Sandbox, Status
from assay.verifiers.code.bundle import program, text_of
from assay.verifiers.code.channel import Forged, read_channel, read_form
from assay.verifiers.code.codec import MAX_LINE, NotComparable

JOB = {"sources": ["def f(x): return x + 1"], "items": [["call", "f", [1], {}]], "methods": False, "token": "t"}


def test_another_version_of_python_compiles_the_text_itself(sandbox: Sandbox) -> None:
    same = program("calls", JOB, imports="")
    other = replace(same, source=same.source.replace(repr(sys.implementation.cache_tag), "'cpython-399'"))
    assert other.source != same.source
    for execution in sandbox.run([same, other]):
        assert execution.status is Status.OK, execution.stderr
        assert read_channel(execution.result, "t", 2) == [["loaded"], [0, "ok", b"2"]]


@pytest.mark.parametrize("role", ["calls", "solution", "tests", "checker"])
def test_an_inside_program_is_whole_and_imports_the_standard_library_only(role: str) -> None:
    text = text_of(role)
    compile(text, role, "exec")
    assert "assay" not in text
    assert "from ." not in text


def test_a_programs_imports_choose_the_profile() -> None:
    assert program("calls", JOB, imports="import numpy as np").profile != "light"
    assert program("calls", JOB, imports="import math").profile == "light"
    assert json.dumps(JOB, separators=(",", ":")).encode() in program("calls", JOB, imports="").stdin


@pytest.mark.parametrize(
    ("channel", "found"),
    [
        (b"", []),
        (b't["loaded"]\n', [["loaded"]]),
        (b't["loaded"]\nt[0,"ok",1]\n', [["loaded"], [0, "ok", b"1"]]),
        (b't[0,"ok",[1,2]]\nt[1,"raised","E"]\n', [[0, "ok", b"[1,2]"], [1, "raised", "E"]]),
        (b't["loaded"]\nt[0,"ok', [["loaded"]]),
        (b't["loaded"]\nt', [["loaded"]]),
    ],
)
def test_what_an_honest_process_writes_is_read_even_if_cut(channel: bytes, found: list[object]) -> None:
    assert read_channel(channel, "t", 2) == found


@pytest.mark.parametrize(
    "channel",
    [
        b'["loaded"]\n',
        b'x["loaded"]\n',
        b'["loaded"]',
        b't["loaded"]\nt[0,"ok",1]\nt[0,"ok",2]\n',
        b't["loaded"]\nt[0,"ok",1]\nt[1,"ok",1]\n',
        b"tnonsense\n",
        b't{"a":1}\n',
        b"t[]\n",
        b"t[1.5]\n",
        b't[0,"ok",1\n',
        b't[0,"raised",NaN]\n',
        b't[0,"raised",' + b"[" * 50_000 + b"\n",
        b't[0,"raised",' + b"9" * 30 + b"]\n",
        b't[0,"raised","' + b"a" * 200_000 + b'"]\n',
        b't[0,"ok","' + b"a" * (MAX_LINE + 1000) + b'"]\n',
        b"\n\n\n",
    ],
)
def test_anything_else_is_found_out(channel: bytes) -> None:
    with pytest.raises(Forged):
        read_channel(channel, "t", 2)


@pytest.mark.parametrize(
    "form",
    [
        b"NaN",
        b"1,2",
        b"",
        b"[" * 100_000,
        b"9" * 30,
        b"[-" + b"9" * 30 + b"]",
        b"[" + b"[]," * 400_000 + b"1]",
        b"\xff",
    ],
)
def test_a_value_that_is_no_json_or_too_much_of_it_cannot_be_compared(form: bytes) -> None:
    with pytest.raises(NotComparable):
        read_form(form)
    assert read_form(b'[1,["l",0.5,null]]') == [1, ["l", 0.5, None]]
