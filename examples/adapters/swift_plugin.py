"""ms-swift: the file that `--external_plugins examples/adapters/swift_plugin.py --reward_funcs assay` names.

Run it to see what ms-swift is given.
"""

from __future__ import annotations

from swift.rewards import orms

from assay.integrations.swift import register

register("assay", "assay.verifiers:MathVerifier", reference="solution")


def main() -> None:
    reward = orms["assay"](args=None)
    completions = [r"It is \boxed{18}.", r"\boxed{17}", "I do not know."]
    print(reward(completions, solution=["18"] * 3, prompt_id=["a"] * 3))


if __name__ == "__main__":
    main()
