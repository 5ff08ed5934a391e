"""The weights of a shipped reader, made floating-point numbers again, so that training can go on from them.

The networks that `encoder.py` ended with are not kept; what ships is (`pairs.onnx`, seven bits a weight). What
rounding lost comes back in the first steps of training.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from encoder_model import HEADS, LINK_WIDTH
from onnx import numpy_helper

Arrays = dict[str, np.ndarray]


def plain_weights(path: Path) -> Arrays:
    """Every initialiser under its name; quantised ones multiplied out."""
    stored = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer}
    found: Arrays = {}
    for name, values in stored.items():
        if name.endswith("_quantized"):
            stem = name.removesuffix("_quantized")
            zero = stored[f"{stem}_zero_point"].astype(np.float32)
            found[stem] = (values.astype(np.float32) - zero) * stored[f"{stem}_scale"]
        elif not name.endswith(("_scale", "_zero_point")):
            found[name] = values
    return found


def reader_weights(path: Path, layers: int = 6) -> dict[str, torch.Tensor]:
    """The state of `encoder_model.Encoder`, but for the layers that compare links (`links.npz` has them)."""
    values = plain_weights(path)
    graph = onnx.load(str(path)).graph
    products = [
        node.input[1].removesuffix("_quantized") for node in graph.node if node.op_type == "MatMulInteger"
    ]
    found: Arrays = {
        name.removeprefix("model."): value for name, value in values.items() if name.startswith("model.")
    }
    for layer in range(layers):
        stem = f"body.encoder.layer.{layer}"
        for kind in ("weight", "bias"):
            for part, value in zip(
                ("query", "key", "value"),
                np.split(values[f"Attention_{layer}_qkv_{kind}"], 3, axis=-1),
                strict=True,
            ):
                found[f"{stem}.attention.self.{part}.{kind}"] = value.T
        for part in ("attention.output.dense", "intermediate.dense", "output.dense"):
            found[f"{stem}.{part}.weight"] = values[products.pop(0)].T
    shapes = {count: f"heads.{name}.weight" for name, count in HEADS.items()} | {
        LINK_WIDTH: "links.project.weight"
    }
    for name in products:
        found[shapes[values[name].shape[1]]] = values[name].T
    return {name: torch.tensor(np.ascontiguousarray(value)) for name, value in found.items()}
