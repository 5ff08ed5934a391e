"""Write a trained reader as ONNX: int8 matrices, or matrices of 4 bits with a scale for each block.

    python training/reader_export.py --model MPNET --weights reader.safetensors --out FOLDER [--bits 8]

The weights go into files of at most 45 MB beside `pairs.onnx`.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import warnings
from pathlib import Path

import onnx
import torch
from encoder_model import Encoder
from onnx.external_data_helper import set_external_data
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.transformers import optimizer
from reader import HEADS
from safetensors.torch import load_file
from torch import nn

LARGEST = 45_000_000  # bytes in a file
BLOCK = 32  # weights of 4 bits that share a scale


class Heads(nn.Module):
    """Every head's logits for a pair of texts."""

    def __init__(self, model: Encoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        states = self.model.states({"ids": ids, "mask": mask})
        pooled = self.model.pooled(states, mask)
        return tuple(self.model.heads[name](pooled) for name in HEADS)


def load(folder: Path, weights: Path | None) -> Encoder:
    """The network as it came, or with the weights that were learned."""
    model = Encoder(folder, attention="eager", heads=HEADS)
    if weights is not None:
        values = {name: value.float() for name, value in load_file(weights).items()}
        left = model.load_state_dict(values, strict=False)
        assert not left.unexpected_keys, left.unexpected_keys
        assert not [name for name in left.missing_keys if not name.startswith("links.")], left.missing_keys
    return model.eval()


def export(model: Encoder, path: Path, bits: int) -> None:
    """Trace, fuse what can be fused, and make the weights small."""
    config = model.body.config
    example = tuple(torch.ones(2, 16, dtype=torch.long) * 5 for _ in range(2))
    sizes = {name: {0: "texts", 1: "pieces"} for name in ("ids", "mask")} | {
        name: {0: "texts"} for name in HEADS
    }
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, fused, small = (Path(folder, f"{name}.onnx") for name in ("plain", "fused", "small"))
        torch.onnx.export(
            Heads(model),
            example,
            plain,
            input_names=["ids", "mask"],
            output_names=list(HEADS),
            dynamic_axes=sizes,
            opset_version=17,
            dynamo=False,
        )
        optimizer.optimize_model(
            str(plain),
            model_type="bert",
            num_heads=config.num_attention_heads,
            hidden_size=config.hidden_size,
        ).save_model_to_file(str(fused))
        if bits == 4:
            quantizer = MatMulNBitsQuantizer(
                onnx.load(fused), block_size=BLOCK, is_symmetric=True, accuracy_level=4
            )
            quantizer.process()
            quantizer.model.save_model_to_file(str(small))
            fused = small
        # Seven bits: processors without VNNI overflow when they add products of eight.
        quantize_dynamic(
            fused,
            path,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            extra_options={"DefaultTensorType": 1},
        )
    in_pieces(path)


def in_pieces(path: Path) -> None:
    """Move large weights out of the network's file, into files that are none too large."""
    model = onnx.load(path)
    pieces: list[bytearray] = [bytearray()]
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) < 1024:
            continue
        if len(pieces[-1]) + len(tensor.raw_data) > LARGEST:
            pieces.append(bytearray())
        piece = pieces[-1]
        piece.extend(b"\0" * (-len(piece) % 64))
        name = f"weights-{len(pieces)}.bin"
        set_external_data(tensor, name, offset=len(piece), length=len(tensor.raw_data))
        piece.extend(tensor.raw_data)
        tensor.ClearField("raw_data")
    for number, piece in enumerate(pieces, start=1):
        (path.parent / f"weights-{number}.bin").write_bytes(piece)
    path.write_bytes(model.SerializeToString())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="without, the network as it came, to try the script")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bits", type=int, choices=(4, 8), default=8)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    export(load(options.model, options.weights), options.out / "pairs.onnx", options.bits)
    shutil.copy(options.model / "tokenizer.json", options.out)
    for path in sorted(options.out.iterdir()):
        print(f"{path.stat().st_size:12,} {path.name}")


if __name__ == "__main__":
    main()
