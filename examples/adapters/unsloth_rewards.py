"""Unsloth: reward functions for its GRPOTrainer, and the data set beside them.

Training itself needs a GPU:

    from unsloth import FastLanguageModel
    model, tokenizer = FastLanguageModel.from_pretrained(...)
    GRPOTrainer(model, processing_class=tokenizer, reward_funcs=rewards, train_dataset=environment.train_dataset, ...)

Run this file to see the rewards.
"""

from __future__ import annotations

from assay import make
from assay.integrations.unsloth import reward_functions

environment = make("math/arithmetic-v1")
rewards = reward_functions(environment)


def main() -> None:
    tasks = environment.tasks("test", limit=2)
    completions = [f"<think></think><answer>{tasks[0].reference}</answer>", "I do not know."]
    for reward in rewards:
        print(reward.__name__, reward(completions, answer=[task.reference for task in tasks]))


if __name__ == "__main__":
    main()
