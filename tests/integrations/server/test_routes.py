"""What each path of the reward server takes and answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import make
from assay.environments.base import prompt_text
from assay.errors import InputError
from assay.integrations.completed import completion_in
from assay.integrations.server import create_app, read_judges
from assay.verifiers import TestSuite

JUDGES = Path(__file__).parent / "some_judges.py"
App = Callable[..., Any]


def test_a_batch_is_judged_in_order_with_score_verdict_reason_answer_and_parts(application: App) -> None:
    body = {"judge": "math", "completions": [r"so \boxed{4}", "5", ""], "references": ["4", "4", "4"]}
    reply = application().ask("/verify", body)
    assert reply.status_code == 200
    found = reply.json()
    assert found["judge"] == "math"
    assert [result["verdict"] for result in found["results"]] == ["correct", "incorrect", "no_answer"]
    assert [result["score"] for result in found["results"]] == [1.0, 0.0, 0.0]
    assert found["results"][0]["answer"] == "4"
    assert set(found["results"][0]) == {"score", "verdict", "reason", "answer", "parts"}


def test_an_environment_judges_with_its_columns_and_its_version_in_the_name(application: App) -> None:
    app = application("text", environments=("math/arithmetic-v1", "sums=math/arithmetic-v1"))
    batch = {"completions": ["<think>1+2</think><answer>3</answer>"], "references": ["3"]}
    for judge in ("math/arithmetic-v1", "sums"):
        reply = app.ask("/verify", {"judge": judge, **batch})
        assert reply.json()["results"][0]["score"] == 1.0, reply.text


def test_columns_reach_the_judge_beside_the_references(application: App) -> None:
    app = application(f"within={JUDGES}:Within")
    body = {"completions": ["abc", "abc"], "references": ["", ""], "columns": {"longest": [3, 2]}}
    assert [result["score"] for result in app.ask("/verify", body).json()["results"]] == [1.0, 0.0]
    rollout = {"responses_create_params": {}, "response": {"output": []}, "answer": "", "longest": 0}
    assert app.ask("/verify", rollout).json()["reward"] == 1.0


def test_a_column_that_the_judge_reads_is_asked_for_or_found_by_the_prompt(
    application: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"question": "Capital of France?", "choices": ["Rome", "Paris", "Bonn", "Bern"], "answer": 1}
    (tmp_path / "mmlu_stem").mkdir()
    (tmp_path / "mmlu_stem/test.jsonl").write_text(json.dumps({**row, "subject": "astronomy"}) + "\n")
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    app = application("text", environments=("mmlu=qa/mmlu-stem-v1",))
    body = {"judge": "mmlu", "completions": [r"\boxed{Paris}"], "references": ["B"]}
    refused = app.ask("/verify", body)
    assert refused.status_code == 422
    assert refused.json()["error"] == "mmlu reads the column 'options' beside the reference; the request has none"
    rollout = {"responses_create_params": {}, "response": {"output": []}, "answer": "B", "option": "A"}
    refused = app.ask("/verify?judge=mmlu", rollout)
    assert (refused.status_code, refused.json()["error"].endswith("the request has option")) == (422, True)
    reply = app.ask("/verify", {**body, "columns": {"options": [row["choices"]]}}).json()
    assert reply["results"][0]["score"] == 1.0
    [task] = make("qa/mmlu-stem-v1").tasks("test")
    prompt = f"<|user|>{prompt_text(task.prompt)}<|assistant|>"
    prompts = [prompt, prompt, "<|user|>Who?"]
    queries = [f"{text}\\boxed{{{answer}}}" for text, answer in zip(prompts, ["Paris", "Rome", "Paris"], strict=True)]
    found = app.ask("/openrlhf/reward?judge=mmlu", {"query": queries, "prompts": prompts, "labels": ["B"] * 3}).json()
    assert found["rewards"] == [1.0, 0.0, None]
    assert found["reasons"][2].endswith("this row: '<|user|>Who?'; its options cannot be known")


def test_a_failure_of_ours_is_a_null_score_with_its_reason(application: App) -> None:
    app = application(f"broken={JUDGES}:broken")
    [result] = app.ask("/verify", {"completions": ["1"], "references": ["1"]}).json()["results"]
    assert (result["score"], result["verdict"]) == (None, "error")
    assert "the judge is broken" in result["reason"]
    reply = app.ask("/openrlhf/reward", {"query": ["p1"], "prompts": ["p"], "labels": ["1"]}).json()
    assert (reply["rewards"], reply["scores"]) == ([None], [None])
    assert reply["extra_logs"]["judge_failed"] == [1.0]


def test_what_passes_the_deadline_has_no_score(application: App) -> None:
    app = application(f"nap={JUDGES}:nap", request_seconds=0.05)
    [result] = app.ask("/verify", {"completions": ["0.4"], "references": [""]}).json()["results"]
    assert (result["score"], result["reason"]) == (None, "the request's deadline of 0.05 s passed")


def test_lone_surrogates_are_judged_like_any_text(application: App) -> None:
    content = '{"completions": ["\\ud800 \\\\boxed{\\ud83d}"], "references": ["1"]}'
    reply = application().ask("/verify", content=content, headers={"content-type": "application/json"})
    assert reply.status_code == 200
    assert reply.json()["results"][0]["score"] == 0.0


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"completions": ["1"]}, 422, "references: Field required"),
        ({"completions": ["1"], "references": []}, 422, "1 completions came with 0 references; expected one for each"),
        ({"completions": ["1"], "references": ["1"], "columns": {"x": []}}, 422, "1 completions came with 0 x"),
        ({"completions": ["", 3], "references": ["1"]}, 422, "expected a text, not int, as item 1"),
        ({"completions": "1", "references": ["1"]}, 422, "expected a list of texts, not str"),
        ({"completions": [], "references": [], "columns": []}, 422, "expected an object, not list"),
        ({"completions": [], "references": [], "columns": {"x": 1}}, 422, "expected a list, not int, as column 'x'"),
        ({"response": 1, "responses_create_params": {}}, 422, "expected an object, not int"),
        ({f"x{number}": 1 for number in range(1001)}, 400, "the body has 1001 fields; expected at most 1000"),
        ({"completions": ["1"], "references": ["1"], "verifer": "x"}, 422, "verifer: Extra inputs are not permitted"),
        ({"completions": ["1"], "references": ["1"], "columns": {"self": [1]}}, 422, "a column is called 'self'"),
        ({"completions": ["1"], "references": ["1"], "judge": "maths"}, 404, "did you mean 'math'?"),
        ({"completions": ["1"] * 5, "references": ["1"] * 5}, 413, "5 completions; this server takes 4 at once"),
        ([1, 2], 422, "/openapi.json"),
    ],
)
def test_a_malformed_batch_is_told_what_is_wrong_with_it(
    application: App, body: Any, status: int, message: str
) -> None:
    reply = application(batch=4).ask("/verify", body)
    assert reply.status_code == status
    assert message in reply.json()["error"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "the body is not JSON: Expecting property name"),
        (b"[" * 100_000, "the body is not JSON: it nests too deep"),
        (b'{"completions": [NaN]}', "the body is not JSON: NaN is no JSON number"),
        (b'{"completions": [' + b"1" * 5000 + b"]}", "the body is not JSON: Exceeds the limit"),
        (b"\xff\xfe", "the body is not JSON"),
        (b'{"response": {"x": 1e999}}', "the body is not JSON: 1e999 is no number that can be told from infinity"),
    ],
)
def test_a_body_that_is_no_json_is_refused(application: App, content: bytes, message: str) -> None:
    reply = application().ask("/verify", content=content, headers={"content-type": "application/json"})
    assert reply.status_code == 400
    assert message in reply.json()["error"]


def test_a_body_under_another_content_type_is_told_so(application: App) -> None:
    content = '{"completions": ["1"], "references": ["1"]}'
    reply = application().ask("/verify", content=content, headers={"content-type": "text/plain"})
    assert reply.status_code == 422
    assert "its Content-Type is 'text/plain', and only the body of application/json is read" in reply.json()["error"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/verify", {"completions": [1] * 100_000, "references": []}),
        ("/verify", {"completions": [], "references": [], "columns": {str(n): 1 for n in range(50_000)}}),
        ("/openrlhf/reward", {"query": [1] * 100_000, "prompts": [], "labels": []}),
        ("/verify", {"completions": [], "references": [], "judge": "m" * 1_000_000}),
    ],
)
def test_a_body_full_of_faults_is_told_the_first_and_costs_no_more(application: App, path: str, body: Any) -> None:
    reply = application().ask(path, body)
    assert reply.status_code in (404, 422)
    assert "more" not in reply.json()["error"]
    assert len(reply.content) < 1000


def test_a_judge_that_wants_to_end_the_process_has_failed_and_the_server_lives(application: App) -> None:
    app = application(f"leaving={JUDGES}:leaving")
    [result] = app.ask("/verify", {"completions": ["1"], "references": ["1"]}).json()["results"]
    assert (result["score"], result["verdict"]) == (None, "error")
    assert "failed: SystemExit: 3" in result["reason"]
    assert app.ask("/health").status_code == 200


def test_an_address_with_a_slash_too_many_is_unknown_and_leads_nowhere(application: App) -> None:
    reply = application().ask("/verify/", {"completions": [], "references": []})
    assert (reply.status_code, reply.headers.get("location")) == (404, None)


def test_a_message_without_text_is_no_completion(application: App) -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": None}]}
    body = {"responses_create_params": {}, "response": {"output": [said]}, "expected_answer": "None"}
    assert application("text").ask("/verify", body).json()["reward"] == 0.0


def test_a_request_names_a_judge_where_there_are_several_and_never_a_module(application: App) -> None:
    app = application("math", "text")
    body: dict[str, Any] = {"completions": ["1"], "references": ["1"]}
    assert "several judges; name one of math, text" in app.ask("/verify", body).json()["error"]
    for name in ("assay.verifiers:MathVerifier", f"{JUDGES}:nap", "math/arithmetic-v1"):
        reply = app.ask("/verify", body | {"judge": name})
        assert reply.status_code == 404
        assert "they are fixed when the server starts" in reply.json()["error"]


def test_nemo_gyms_body_is_known_by_its_keys_and_echoed_with_its_reward(application: App) -> None:
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": r"It is \boxed{4}"}]},
    ]
    body = {
        "responses_create_params": {"input": [{"role": "user", "content": "2+2?"}]},
        "response": {"id": "r", "output": output},
        "expected_answer": "4",
        "agent_ref": {"name": "a"},
    }
    app = application()
    for path in ("/verify", "/nemo_gym/verify", "/verify?judge=math"):
        reply = app.ask(path, body).json()
        assert reply["reward"] == 1.0
        assert {name: reply[name] for name in body} == body
    nested = {**body, "verifier_metadata": {"answer": "5"}}
    del nested["expected_answer"]
    assert app.ask("/verify", nested).json()["reward"] == 0.0
    del nested["verifier_metadata"]
    refused = app.ask("/verify", nested)
    assert refused.status_code == 422
    assert "the task has no reference; expected one of the fields reference, expected_answer" in refused.json()["error"]
    assert app.ask("/seed_session", {}).json() == {}


def test_the_examples_of_nemo_gym_are_taken_as_they_are(application: App, shared: Path) -> None:
    app = application()
    files = sorted((shared / "data" / "nemo_gym_examples").rglob("*.jsonl"))
    if not files:
        pytest.skip("there are no examples of NeMo-Gym")
    taken = 0
    for line in (line for file in files for line in file.read_text().splitlines()[:3]):
        row = json.loads(line)
        if "responses_create_params" in row and any(name in row for name in ("expected_answer", "answer")):
            response = {"output": [{"type": "message", "role": "assistant", "content": "no idea"}]}
            reply = app.ask("/verify", {**row, "response": response})
            assert reply.status_code == 200, reply.text
            taken += 1
    assert taken


def test_openrlhfs_body_is_judged_without_prompt_and_special_tokens(application: App) -> None:
    prompt = "<|im_start|>user\n2+2? \\boxed{9}<|im_end|>\n<|im_start|>assistant\n"
    queries = [prompt + r"\boxed{4}<|im_end|>", prompt + r"\boxed{5}</s>"]
    reply = application().ask("/openrlhf/reward", {"query": queries, "prompts": [prompt] * 2, "labels": ["4", "4"]})
    found = reply.json()
    assert found["rewards"] == found["scores"] == [1.0, 0.0]
    assert found["extra_logs"] == {
        "correct": [1.0, 0.0], "no_answer": [0.0, 0.0], "limit_exceeded": [0.0, 0.0], "judge_failed": [0.0, 0.0],
    }  # fmt: skip
    wrong = application().ask("/openrlhf/reward", {"query": queries, "prompts": [prompt], "labels": ["4", "4"]})
    assert wrong.status_code == 422
    assert "2 queries came with 1 prompts; expected one for each" in wrong.json()["error"]


@pytest.mark.parametrize(
    ("written", "completion"),
    [
        ("4", "4"),
        (" 4 <|im_end|>\n<|endoftext|><|endoftext|>", " 4"),
        ("4</s><pad><pad>", "4"),
        ("4<｜end▁of▁sentence｜>", "4"),
        ("a < b | c > d", "a < b | c > d"),
        ("<think></s>x", "<think></s>x"),
        ("</s>", ""),
        ("x" + " " * 500_000 + "y" + "<pad>" * 100_000, "x" + " " * 500_000 + "y"),
    ],
)
def test_a_completion_is_what_follows_the_prompt_up_to_the_special_tokens(written: str, completion: str) -> None:
    assert completion_in("<s>2+2?" + written, "<s>2+2?") == completion
    assert completion_in(written, "another prompt") == completion


def test_health_metrics_and_ping_answer_and_readiness_waits_for_the_start(application: App) -> None:
    app = application()
    assert app.ask("/health").json()["status"] == "ok"
    assert app.ask("/v1/ping").json() == "pong"
    ready = app.ask("/ready")
    assert (ready.status_code, ready.json()) == (503, {"status": "starting"})
    app.ask("/verify", {"completions": ["1"], "references": ["1"]})
    text = app.ask("/metrics").text
    assert 'assay_requests_total{path="/verify",status="200"} 1.0' in text
    assert 'assay_completions_total{judge="math",verdict="correct"} 1.0' in text
    assert app.ask("/nowhere").json() == {"error": "Not Found"}
    assert 'assay_requests_total{path="other",status="404"} 1.0' in app.ask("/metrics").text


def test_the_description_names_every_path_and_the_shape_of_errors(application: App) -> None:
    spec = application().ask("/openapi.json").json()
    assert {"/verify", "/openrlhf/reward", "/nemo_gym/verify", "/health", "/ready", "/metrics"} <= set(spec["paths"])
    assert set(spec["paths"]["/verify"]["post"]["responses"]) >= {"200", "400", "401", "408", "413", "422", "503"}
    assert "/run_code" not in spec["paths"]
    assert application().ask("/docs").status_code == 200


def test_test_suites_travel_as_the_text_that_they_make(application: App) -> None:
    suite = TestSuite.from_calls("f", [((2,), {}, 4)]).to_json()
    completions = ["def f(x): return x * x", "def f(x): return x"]
    app = application("code")
    reply = app.ask("/verify", {"completions": completions, "references": [suite] * 2})
    assert [result["score"] for result in reply.json()["results"]] == [1.0, 0.0]


def test_two_judges_of_one_name_and_a_server_without_any_are_refused() -> None:
    with pytest.raises(InputError, match=r"two judges are called 'math'; give one of them another name: other=math"):
        read_judges([], ["math", "math"])
    with pytest.raises(InputError, match="there is nothing to serve"):
        create_app({})
    with pytest.raises(InputError, match=r"no verifier is called 'maths'; did you mean 'math'\?; one of your own is"):
        read_judges([], ["maths"])
