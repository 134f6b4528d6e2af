"""OpenRLHF: the file that `--reward.remote_url examples/adapters/openrlhf_reward.py` names.

The HTTP form needs no file: `assay serve --verifier math`, and `--reward.remote_url http://HOST:PORT/openrlhf/reward`.
Run this file to see what OpenRLHF is given.
"""

from __future__ import annotations

from assay.integrations.openrlhf import reward_function

reward_func = reward_function("assay.verifiers:MathVerifier")


def main() -> None:
    prompt = "<|im_start|>user\nWhat is 2 * 9?<|im_end|>\n<|im_start|>assistant\n"
    for text in (r"It is \boxed{18}.", r"\boxed{17}", "I do not know."):
        given = reward_func([f"{prompt}{text}<|im_end|>"], [prompt], ["18"])
        print(
            given["rewards"].tolist(), given["scores"].tolist(), {k: v.tolist() for k, v in given["extra_logs"].items()}
        )


if __name__ == "__main__":
    main()
