"""The text that is judged, out of every shape in which trainers hand completions over."""

from __future__ import annotations

from typing import Any

import pytest

from assay.integrations.trl.completions import completion_text, prefill_of


def chat(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("plain", "plain"),
        ([chat("answer")], "answer"),
        ([chat(""), {"role": "tool", "content": "42"}, chat("so 42")], "so 42"),
        ([chat("early"), {"role": "tool", "content": "42"}], "early"),
        ([{"role": "tool", "content": "42"}], ""),
        ([], ""),
        ([chat(None)], ""),
        ([chat([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])], "ab"),
        ([chat("so 4", reasoning_content="2+2")], "<think>2+2</think>so 4"),
        ([chat("", reasoning_content="2+2 is")], "<think>2+2 is"),
    ],
)
def test_the_last_assistant_message_is_what_was_written(completion: Any, text: str) -> None:
    assert completion_text(completion) == text


@pytest.mark.parametrize(
    ("prompt", "completion", "text"),
    [
        ("Q <think>\n", "2+2</think>4", "<think>2+2</think>4"),
        ("Q <think>", "<think>2+2</think>4", "<think>2+2</think>4"),
        ("Q", "2+2</think>4", "2+2</think>4"),
        ([{"role": "user", "content": "Q <think>"}], [chat("4")], "4"),
        ([{"role": "user", "content": "Q"}, chat("<think>")], [chat("2+2</think>4")], "<think>2+2</think>4"),
        ([], [chat("4")], "4"),
    ],
)
def test_a_think_tag_that_the_prompt_visibly_opened_is_put_back(prompt: Any, completion: Any, text: str) -> None:
    assert completion_text(completion, prompt) == text


def test_a_prefill_is_put_back_once() -> None:
    assert completion_text("2</think>4", prefill="<think>\n") == "<think>\n2</think>4"
    assert completion_text("<think>2</think>4", prefill="<think>\n") == "<think>2</think>4"


@pytest.mark.parametrize(
    ("ending", "prefill"), [("", ""), ("<think>\n", "<think>\n"), ("<think>", "<think>"), ("<think></think>", "")]
)
def test_a_chat_template_tells_what_it_prefills(ending: str, prefill: str) -> None:
    from toy_trainer import CHAT_TEMPLATE, make_tokenizer

    template = CHAT_TEMPLATE.replace("'<|assistant|>' }}{%- endif", f"'<|assistant|>{ending}' }}}}{{%- endif")
    assert prefill_of(make_tokenizer(chat_template=template.replace("\n", "\\n"))) == prefill


def test_no_tokenizer_and_no_template_prefill_nothing() -> None:
    from toy_trainer import make_tokenizer

    assert prefill_of(None) == ""
    assert prefill_of(make_tokenizer(chat_template=None)) == ""
