"""Templates of prompts: what stands for a column, chats that pass through, and templates that ask nothing."""

from __future__ import annotations

from typing import Any

import pytest

from assay.environments.base import Prompt
from assay.environments.define import make_env
from assay.errors import ColumnError, InputError
from assay.verifiers import MathVerifier

CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1+1?"}]


def prompts(template: str, *rows: dict[str, Any]) -> list[Prompt]:
    tasks = make_env([{"answer": "2", **row} for row in rows], template, verifier=MathVerifier()).tasks("train")
    return [task.prompt for task in tasks]


def text(template: str, row: dict[str, Any]) -> str:
    [prompt] = prompts(template, row)
    [message] = list(prompt)
    assert message["role"] == "user"  # type: ignore[index]
    return str(message["content"])  # type: ignore[index]


def test_a_column_of_any_name_is_filled_in_and_other_braces_stay() -> None:
    row = {"Question Text": "1+1?", "Q {x}": "2+2?", "gold-id": 7, "a": "3", "a b": "4"}
    assert text("{Question Text} Use \\boxed{}.", row) == "1+1? Use \\boxed{}."
    assert text("{Q {x}} {gold-id}", row) == "2+2? 7"
    assert text("{a} {a b} {1, 2 or 3}", row) == "3 4 {1, 2 or 3}"
    assert text('{a}: answer as {"value": 1}', row) == '3: answer as {"value": 1}'
    assert text("{a}", {"a": "{a b} \\1", "a b": "never"}) == "{a b} \\1"


def test_a_column_of_several_words_that_is_misspelt_is_refused() -> None:
    with pytest.raises(ColumnError, match=r"row 1 lacks 'question text', wanted for .*; did you mean 'Question Text'"):
        prompts("{question text}", {"Question Text": "1+1?"})


def test_a_chat_alone_is_the_prompt_as_it_is() -> None:
    assert prompts("{messages}", {"messages": CHAT}) == [CHAT]
    assert prompts(" {prompt}\n", {"prompt": CHAT[1:]}) == [CHAT[1:]]
    assert text("{numbers} make {target}", {"numbers": [1, 2], "target": 3}) == "[1, 2] make 3"


def test_a_chat_inside_a_text_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"row 1: \{messages\} is a column of chat messages and cannot stand inside a te"
    ):
        prompts("{messages} Use a box.", {"messages": CHAT})


def test_the_bare_name_of_a_column_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(
        InputError, match=r"the prompt is 'messages', the name of a column, .* write '\{messages\}' for"
    ):
        prompts("messages", {"messages": CHAT})


def test_a_template_that_asks_the_same_of_every_row_is_refused() -> None:
    assert text("Say two.", {"question": "?"}) == "Say two."
    with pytest.raises(
        InputError, match=r"the prompt 'Say two.' names no column, so that every row asks the same; put"
    ):
        prompts("Say two.", {"question": "?"}, {"question": "!"})
    rows = [{"answer": "2"}, {"answer": "3"}]
    made = make_env(rows, lambda row: "Say a number.", verifier=MathVerifier())
    assert [task.prompt for task in made.tasks("train")] == ["Say a number."] * 2
