"""NeMo-RL: an environment by name. Call `register` in the training script before the environments are made.

The configuration then has `env: {assay: {judge: assay.verifiers:MathVerifier}}`. Run this file to see one step of
it, in an actor of Ray, as NeMo-RL makes it.
"""

from __future__ import annotations

import ray
from nemo_rl.environments.utils import create_env

from assay.integrations.nemo_rl import register

register("assay")


def main() -> None:
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    environment = create_env("assay", {"assay": {"judge": "assay.verifiers:MathVerifier"}})
    question = {"role": "user", "content": "What is 2 * 9?"}
    logs = [[question, {"role": "assistant", "content": text}] for text in (r"It is \boxed{18}.", r"\boxed{17}")]
    returned = ray.get(environment.step.remote(logs, [{"ground_truth": "18"}] * 2))
    print(returned.rewards.tolist(), returned.terminateds.tolist(), returned.answers, returned.observations)
    ray.shutdown()


if __name__ == "__main__":
    main()
