"""SkyRL: an environment of one response. Register it in the script that starts SkyRL's training; rows say `env_class`.

Run this file to play one episode of it through `skyrl_gym`.
"""

from __future__ import annotations

import skyrl_gym

from assay.integrations.skyrl import register

register("assay", judge="assay.verifiers:MathVerifier")


def main() -> None:
    row = {"env_class": "assay", "reward_spec": {"ground_truth": "18"}}
    for text in (r"It is \boxed{18}.", r"\boxed{17}"):
        environment = skyrl_gym.make("assay", env_config={}, extras=row)
        environment.init([{"role": "user", "content": "What is 2 * 9?"}])
        step = environment.step(text)
        print(step["reward"], step["done"], step["metadata"]["verdict"], environment.get_metrics())


if __name__ == "__main__":
    main()
