"""Write the trained encoder as int8 ONNX, with the vectors of words from the untouched one beside it.

    python training/encoder_export.py --model MINILM --final final.safetensors --out postil/resources/encoder

Two networks: `words.onnx`, the first layers of MiniLM as they came, whose vectors are compared word by word, and
`pairs.onnx`, the fine-tuned network that reads two texts at once, answers for every head, and gives the vectors of
pieces that chunks are compared by; how they are compared stands in `links.npz`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from encoder_model import HEADS, Encoder
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from safetensors.torch import load_file
from torch import nn

LAYERS = 4  # of MiniLM that word vectors come from
INPUTS = ("ids", "mask", "kinds")


class Words(nn.Module):
    """The vectors of the pieces of a text after the first layers."""

    def __init__(self, model: Encoder) -> None:
        super().__init__()
        self.body = model.body
        del self.body.encoder.layer[LAYERS:]

    def forward(self, ids, mask, kinds):
        return self.body(input_ids=ids, attention_mask=mask, token_type_ids=kinds).last_hidden_state


class Heads(nn.Module):
    """Every head's logits for a pair of texts, and the vectors of its pieces."""

    def __init__(self, model: Encoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids, mask, kinds):
        states = self.model.states({"ids": ids, "mask": mask, "kinds": kinds})
        pooled = self.model.pooled(states, mask)
        return *(self.model.heads[name](pooled) for name in HEADS), self.model.links.project(states)


def export(network: nn.Module, outputs: tuple[str, ...], path: Path, heads: int, hidden: int) -> None:
    """Trace, fuse what can be fused, and store weights as eight-bit integers, a scale for each column."""
    example = tuple(torch.ones(2, 16, dtype=torch.long) for _ in INPUTS)
    sizes = {name: {0: "texts", 1: "pieces"} for name in INPUTS} | {
        name: {0: "texts", 1: "pieces"} if name in ("vectors", "pieces") else {0: "texts"} for name in outputs
    }
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, fused = Path(folder, "plain.onnx"), Path(folder, "fused.onnx")
        torch.onnx.export(
            network.eval(),
            example,
            plain,
            input_names=list(INPUTS),
            output_names=list(outputs),
            dynamic_axes=sizes,
            opset_version=17,
            dynamo=False,
        )
        optimizer.optimize_model(
            str(plain), model_type="bert", num_heads=heads, hidden_size=hidden
        ).save_model_to_file(str(fused))
        # Seven bits: processors without VNNI overflow when they add products of eight.
        quantize_dynamic(
            fused,
            path,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            extra_options={"DefaultTensorType": 1},
        )


def load(folder: Path, final: Path | None = None) -> Encoder:
    """The network as it came, or with the weights that were learned."""
    model = Encoder(folder, attention="eager")
    if final is not None:
        model.load_state_dict({name: value.float() for name, value in load_file(final).items()})
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--final", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    config = json.loads((options.model / "config.json").read_text("utf-8"))
    shape = (config["num_attention_heads"], config["hidden_size"])
    export(Words(load(options.model)), ("vectors",), options.out / "words.onnx", *shape)
    final = load(options.model, options.final)
    export(Heads(final), (*HEADS, "pieces"), options.out / "pairs.onnx", *shape)
    compare = {
        name: value.numpy() for name, value in final.links.state_dict().items() if "project" not in name
    }
    np.savez(options.out / "links.npz", **compare)
    shutil.copy(options.model / "tokenizer.json", options.out)
    for path in sorted(options.out.iterdir()):
        print(f"{path.stat().st_size:12,} {path.name}")


if __name__ == "__main__":
    main()
