"""The adapters of trainers other than TRL: against their packages where these are installed, else their contracts."""

from __future__ import annotations

import importlib
import importlib.machinery
import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest

from assay import Result, Verifier, make
from assay.environments.base import prompt_text
from assay.errors import ColumnError, DataUnavailable, InputError, MissingExtra, Unsupported, VerifierFailed
from assay.integrations import nemo_gym, nemo_rl, openrlhf, skyrl, swift, unsloth, verl
from assay.verifiers import MathVerifier

MATH = "assay.verifiers:MathVerifier"
CONTRACTS = Path(__file__).parents[1] / "data" / "trainers"
HERE = f"{__file__}:Broken"


class Broken(Verifier[Any]):
    """Fails at one completion."""

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        if completion == "break":
            raise RuntimeError("gone")
        return Result.correct(answer=completion) if completion == reference else Result.incorrect(answer=completion)


@pytest.fixture(autouse=True)
def contracts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a trainer's package is not installed, its contract as we wrote it down."""
    if any(importlib.machinery.PathFinder.find_spec(name) is None for name in ("swift", "nemo_gym", "nemo_rl")):
        monkeypatch.setattr(sys, "path", [*sys.path, str(CONTRACTS)])  # behind what is installed


def test_without_its_package_an_adapter_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    for name in ("swift", "swift.rewards", "skyrl_gym", "skyrl_gym.envs.base_text_env"):
        monkeypatch.setitem(sys.modules, name, None)
    for call, package in (
        (lambda: swift.reward_class(MATH), "ms-swift"),
        (lambda: skyrl.register(), "skyrl-gym"),
    ):
        with pytest.raises(MissingExtra, match=f"'{package}' is not installed. Install it with: pip install {package}"):
            call()
    nemo_gym._server.cache_clear()
    monkeypatch.setitem(sys.modules, "nemo_gym.base_resources_server", None)
    with pytest.raises(MissingExtra, match="'nemo-gym' is not installed"):
        _ = nemo_gym.AssayResourcesServer
    monkeypatch.setitem(sys.modules, "nemo_rl.environments.utils", None)
    with pytest.raises(Unsupported, match="install NeMo-RL from its repository.*the nemo-rl of PyPI is a placeholder"):
        nemo_rl.register()
    for module in (nemo_gym, nemo_rl, skyrl):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = module.nothing


# verl


def test_verl_gets_the_same_names_in_every_row() -> None:
    texts = [r"\boxed{18}", r"\boxed{17}", "?", "x" * 10]
    rows = [verl.compute_score("a", text, "18", {"index": 1}, judge=MATH, reward_router_address=None) for text in texts]
    assert [row["score"] for row in rows] == [1.0, 0.0, 0.0, 0.0]
    assert len({tuple(row) for row in rows}) == 1
    assert [row["pred"] for row in rows[:2]] == ["18", "17"]
    assert rows == verl.compute_scores(["a"] * 4, texts, ["18"] * 4, judge=MATH)


def test_verl_mixtures_choose_the_judge_by_the_data_source() -> None:
    judges = {"math": MATH, "mine": HERE}
    rows = verl.compute_scores(["mine", "math"], ["18", r"\boxed{18.0}"], ["18", "18"], [None, {}], judge=judges)
    assert [row["score"] for row in rows] == [1.0, 1.0]
    with pytest.raises(InputError, match="there is no judge for the data source 'code'; there are some for math, mine"):
        verl.compute_score("code", "1", "1", judge=judges)


def test_verls_failures_end_the_run_or_are_the_number_that_was_chosen() -> None:
    with pytest.raises(VerifierFailed, match="RuntimeError: gone"):
        verl.compute_score("a", "break", "1", judge=HERE)
    row = verl.compute_score("a", "break", "1", judge=HERE, on_failure=0.5)
    assert (row["score"], row["judge_failed"], row["acc"]) == (0.5, 1.0, 0.0)
    assert tuple(row) == tuple(verl.compute_score("a", "1", "1", judge=HERE, on_failure=0.5))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"data_sources": ["a"]}, "2 solutions came with 1 data sources; expected one for each"),
        ({"ground_truths": ["1"] * 3}, "2 solutions came with 3 ground truths; expected one for each"),
        ({"extra_infos": [{}]}, "2 solutions came with 1 extra infos; expected one for each"),
        ({"judge": None}, "the judge is None; expected the name of one, or names by data source"),
        (
            {"judge": {"a": MATH}, "options": {"tolerance": 1}},
            "there are options for 'tolerance'; expected some by data",
        ),
        ({"options": "strict"}, "the options of 'assay.verifiers:MathVerifier' are not JSON values"),
        ({"on_failure": [0.0]}, r"on_failure is \[0.0\]; expected 'raise' or the number"),
        ({"on_failure": float("nan")}, "on_failure is nan; expected 'raise' or the number"),
    ],
)
def test_verls_batches_and_settings_that_cannot_be_are_refused(given: Any, message: str) -> None:
    batch: dict[str, Any] = {
        "data_sources": ["a"] * 2,
        "solution_strs": [r"\boxed{1}"] * 2,
        "ground_truths": ["1"] * 2,
        "judge": MATH,
    }
    assert [row["score"] for row in verl.compute_scores(**batch)] == [1.0, 1.0]
    with pytest.raises(InputError, match=message):
        verl.compute_scores(**batch | given)


def test_a_missing_number_of_a_data_frame_is_a_failure_of_ours_and_no_zero() -> None:
    with pytest.raises(VerifierFailed, match="the reference is nan; expected text or a number"):
        verl.compute_score("a", r"\boxed{1}", float("nan"), judge=MATH)


def test_a_column_that_no_row_has_is_named_and_makes_no_zero() -> None:
    written, row = r"It is \boxed{Paris}", {"options": ["Rome", "Paris", "Bonn", "Bern"]}
    assert verl.compute_score("a", written, "B", row, judge="qa/mmlu-stem-v1")["score"] == 1.0
    with pytest.raises(ColumnError, match="ChoiceVerifier reads the column 'options'; the rows have option"):
        verl.compute_score("a", written, "B", {"option": row["options"]}, judge="qa/mmlu-stem-v1")
    with pytest.raises(InputError, match="a row is 'text'; expected a mapping with options"):
        verl.compute_score("a", written, "B", "text", judge="qa/mmlu-stem-v1")  # type: ignore[arg-type]


# OpenRLHF


def test_openrlhf_gets_tensors_and_sees_the_response_alone() -> None:
    reward = openrlhf.reward_function(MATH)
    prompts = [r"<|user|>Is it \boxed{3}?<|assistant|>"] * 2
    given = reward([f"{prompts[0]}No, \\boxed{{4}}<|im_end|>", f"{prompts[0]}"], prompts, ["4", "3"], extra=1)
    assert given["rewards"].tolist() == [1.0, 0.0]
    assert given["scores"].tolist() == [1.0, 0.0]
    assert given["extra_logs"]["no_answer"].tolist() == [0.0, 1.0]
    with pytest.raises(VerifierFailed, match="gone"):
        openrlhf.reward_function(Broken())(["qbreak"], ["q"], ["1"])
    kept = openrlhf.reward_function(Broken(), on_failure=0.5)(["qbreak"], ["q"], ["1"])
    assert (kept["rewards"].tolist(), kept["extra_logs"]["judge_failed"].tolist()) == ([0.5], [1.0])
    with pytest.raises(InputError, match="1 queries came with 2 prompts and 1 labels; expected one each"):
        reward(["a"], ["a", "b"], ["1"])


def test_openrlhf_hands_over_no_columns_so_those_of_the_prompts_task_are_read(tmp_path: Path) -> None:
    row = {"question": "Capital of France?", "choices": ["Rome", "Paris", "Bonn", "Bern"], "answer": 1}
    (tmp_path / "test.jsonl").write_text(json.dumps({**row, "subject": "astronomy"}) + "\n", encoding="utf-8")
    reward = openrlhf.reward_function("qa/mmlu-stem-v1", {"path": str(tmp_path)}, on_failure=0.5)
    [task] = make("qa/mmlu-stem-v1", path=tmp_path).tasks("test")
    prompts = [f"<|user|>{prompt_text(task.prompt)}<|assistant|>"] * 2 + ["<|user|>Who?<|assistant|>"]
    queries = [f"{prompts[0]}\\boxed{{Paris}}", f"{prompts[0]}\\boxed{{Rome}}", f"{prompts[2]}\\boxed{{Paris}}"]
    given = reward(queries, prompts, ["B"] * 3)
    assert given["rewards"].tolist() == [1.0, 0.0, 0.5]
    assert given["extra_logs"]["judge_failed"].tolist() == [0.0, 0.0, 1.0]
    strict = openrlhf.reward_function("qa/mmlu-stem-v1", {"path": str(tmp_path)})
    with pytest.raises(
        VerifierFailed, match="no task of qa/mmlu-stem-v1 has the id or the prompt of this row: '<|user"
    ):
        strict(queries[2:], prompts[2:], ["B"])
    with pytest.raises(DataUnavailable, match="no mmlu_stem/test.jsonl at"):
        openrlhf.reward_function("qa/mmlu-stem-v1", {"path": str(tmp_path / "nowhere")})


# SkyRL


def test_skyrl_plays_one_response() -> None:
    skyrl_gym = pytest.importorskip("skyrl_gym")
    skyrl.register("assay-test", judge=HERE)
    row = {"reward_spec": {"ground_truth": "18"}}
    environment = skyrl_gym.make("assay-test", env_config={"on_failure": 0.5}, extras=row)
    prompt = [{"role": "user", "content": "?"}]
    assert environment.init(prompt) == (prompt, {})
    step = environment.step("18")
    assert (step["reward"], step["done"], step["observations"]) == (1.0, True, [])
    assert step["metadata"] == {"verdict": "correct", "reason": "", "answer": "18"}
    assert environment.step("break")["reward"] == 0.5
    assert environment.get_metrics()["judge_failed"] == 1.0
    with pytest.raises(VerifierFailed, match="gone"):
        skyrl_gym.make("assay-test", env_config={}, extras=row).step("break")
    with pytest.raises(InputError, match="the row has no reward_spec with a ground_truth"):
        skyrl_gym.make("assay-test", env_config={}, extras={})
    with pytest.raises(InputError, match="the judge of this row is None; name one in the row"):
        skyrl.AssayEnv(extras=row)
    with pytest.raises(InputError, match="the row has no reward_spec with a ground_truth"):
        skyrl_gym.make("assay-test", env_config={}, extras={"reward_spec": "ground_truth"})
    with pytest.raises(InputError, match="there is no setting 'jugde'; expected some of judge, options, on_failure"):
        skyrl.register("assay-typo", jugde=HERE)


# ms-swift


def test_swift_gets_the_mean_of_the_group_where_the_judge_failed(caplog: pytest.LogCaptureFixture) -> None:
    rewards = importlib.import_module("swift.rewards")
    swift.register("assay-test", Broken(), reference="gold")
    reward = rewards.orms["assay-test"](args=None)
    assert isinstance(reward, rewards.ORM)
    texts = ["1", "2", "1", "break", "break", "break"]
    columns = {"gold": ["1"] * 6, "prompt_id": ["a", "a", "a", "a", "b", "b"], "trainer_state": None}
    with caplog.at_level(logging.WARNING, "assay.swift"):
        assert reward(texts, **columns) == [1.0, 0.0, 1.0, pytest.approx(2 / 3), None, None]
    assert "3 of 6 completions could not be judged; the first: Broken failed: RuntimeError: gone" in caplog.text
    assert swift.reward_class(Broken(), reference="gold", on_failure="none")()(texts, **columns)[3] is None
    with pytest.raises(VerifierFailed, match="3 of 6 completions could not be judged"):
        swift.reward_class(Broken(), reference="gold", on_failure="raise")()(texts, **columns)
    with pytest.raises(ColumnError, match="the data set has no column 'solution'; it has gold"):
        swift.reward_class(Broken())()(["1"], gold=["1"])
    with pytest.raises(ColumnError, match="the column 'solution' is None; expected 1 values"):
        swift.reward_class(Broken())()(["1"], solution=None)
    with pytest.raises(ColumnError, match=r"the column 'prompt_id' is \['a'\]; expected 2 values"):
        swift.reward_class(Broken())()(["1", "1"], solution=["1", "1"], prompt_id=["a"])
    with pytest.raises(InputError, match="on_failure is 'zero'; expected one of neutral, none, raise"):
        swift.reward_class(Broken(), on_failure="zero")  # type: ignore[arg-type]


# NeMo-Gym


def responses(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    reasoning = {"id": "r", "type": "reasoning", "summary": []}
    fixed = {"parallel_tool_calls": False, "tool_choice": "none", "tools": []}
    return {"id": "r", "created_at": 0, "model": "m", "object": "response", "output": [reasoning, message], **fixed}


def test_nemo_gym_answers_with_the_request_and_its_reward() -> None:
    testing = pytest.importorskip("fastapi.testclient")
    clients = importlib.import_module("nemo_gym.server_utils")
    kind = nemo_gym.AssayResourcesServer
    settings = {"host": "", "port": 0, "entrypoint": "", "name": "assay", "reference": "gold"}

    def ask(text: str, judge: str, on_failure: Any = "raise", **fields: Any) -> Any:
        config = kind.model_fields["config"].annotation(judge=judge, on_failure=on_failure, **settings)
        app = kind(config=config, server_client=clients.ServerClient.model_construct()).setup_webserver()
        body = {"responses_create_params": {"input": "?"}, "response": responses(text), **fields}
        return testing.TestClient(app).post("/verify", json=body)

    reply = ask(r"\boxed{18}", MATH, gold="18", level=3).json()
    assert (reply["reward"], reply["verdict"], reply["extracted_answer"]) == (1.0, "correct", "18")
    assert (reply["gold"], reply["level"], reply["response"]["output"][1]["role"]) == ("18", 3, "assistant")
    failed = ask("break", HERE, gold="1")
    assert (failed.status_code, "RuntimeError: gone" in failed.text) == (503, True)
    kept = ask("break", HERE, 0.5, gold="1").json()
    assert (kept["reward"], kept["judge_failed"]) == (0.5, 1.0)
    refused = ask("1", HERE, other="1")
    assert (refused.status_code, "the task has no field 'gold'; it has other" in refused.text) == (422, True)


# NeMo-RL


def test_nemo_rls_environment_judges_a_batch_and_ends_it() -> None:
    utils = importlib.import_module("nemo_rl.environments.utils")
    nemo_rl.register("assay-test")
    path = utils.ENV_REGISTRY["assay-test"]["actor_class_fqn"]
    executables = importlib.import_module("nemo_rl.distributed.ray_actor_environment_registry")
    assert executables.get_actor_python_env(path) == sys.executable
    assert path == "assay.integrations.nemo_rl.AssayEnvironment"
    environment = nemo_rl.AssayEnvironment.__ray_actor_class__({"judge": HERE, "on_failure": 0.5})
    texts = ["1", "2", "break"]
    logs = [[{"role": "user", "content": "?"}, {"role": "assistant", "content": text}] for text in texts]
    metadata = [{"ground_truth": "1", "index": n} for n in range(3)]
    returned = environment.step(logs, metadata)
    assert returned.rewards.tolist() == [1.0, 0.0, 0.5]
    assert returned.terminateds.tolist() == [1.0] * 3
    assert returned.answers == ["1", "2", None]
    with pytest.raises(InputError, match="message log 1 has no message of the assistant to judge; it has user, env"):
        environment.step([logs[0], [{"role": "user"}, {"role": "environment"}]], metadata[:2])
    with pytest.raises(InputError, match="message log 0 has no message of the assistant to judge; it has nothing"):
        environment.step([[]], metadata[:1])
    assert returned.metadata == metadata
    assert [observation["role"] for observation in returned.observations] == ["environment"] * 3
    batch = {"rewards": returned.rewards}
    same, metrics = environment.global_post_process_and_metrics(batch)
    assert same is batch
    assert metrics == {"mean_reward": 0.5, "share_of_full_rewards": pytest.approx(1 / 3), "judge_failed": 1.0}
    assert environment.global_post_process_and_metrics(batch)[1]["judge_failed"] == 0.0
    with pytest.raises(VerifierFailed, match="gone"):
        nemo_rl.AssayEnvironment.__ray_actor_class__({"judge": HERE}).step(logs, metadata)
    with pytest.raises(ColumnError, match="metadata lack 'ground_truth'; they have nothing"):
        environment.step(logs[:1], [None])
    with pytest.raises(ColumnError, match="metadata lack 'ground_truth'; they have answer"):
        environment.step(logs[:1], [{"answer": "1"}])
    with pytest.raises(InputError, match="the judge of this environment is None; expected the name of one"):
        nemo_rl.Stepping({})


# Unsloth


def test_unsloths_rewards_have_names_and_failures_are_left_out() -> None:
    [reward] = unsloth.reward_functions(Broken(), name="mine")
    assert reward.__name__ == "mine"
    assert reward(["1", "2", "break"], answer=["1"] * 3) == [1.0, 0.0, None]
    [arithmetic] = unsloth.reward_functions(make("math/arithmetic-v1"))
    assert arithmetic.__name__ == "arithmetic"
    assert unsloth.reward_functions(MathVerifier())[0] is not unsloth.reward_functions(MathVerifier())[0]
    with pytest.raises(Unsupported, match="tools/calculator-v1 is played in several turns"):
        unsloth.reward_functions(make("tools/calculator-v1"))
    [by_name] = unsloth.reward_functions("math/arithmetic-v1")
    assert by_name.__name__ == "arithmetic"
    with pytest.raises(InputError, match="the judge is None; expected a verifier, an environment, or the name of one"):
        unsloth.reward_functions(None)  # type: ignore[arg-type]
