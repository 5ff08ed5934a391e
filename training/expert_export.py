"""Write the expert reader's package: its adapter as GGUF, its prompts and the words that stand for labels.

    python training/expert_export.py --adapter teacher/adapter.safetensors --folder packages/expert/postil_expert

What `reader_teacher.py` learned is under llama.cpp's names already, with the scale inside, so that the adapter counts
once as it is (alpha equals the rank). Needs the packages gguf and safetensors.
"""

from __future__ import annotations

import argparse
import ast
import json
from pathlib import Path

from gguf import GGUFWriter
from safetensors.numpy import load_file

ADAPTER_FILE, PROMPTS_FILE = "adapter.gguf", "prompts.json"
TEACHER = Path(__file__).with_name("reader_teacher.py")
# The file that the adapter belongs to: the publisher's own.
MODEL = {
    "name": "Qwen2.5-Coder-1.5B-Instruct, 4-bit",
    "file": "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    "bytes": 1_117_320_768,
    "sha256": "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    "licence": "Apache-2.0",
    "address": "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
}
LABELS = {
    "response": ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain"),
    "claim": ("expressed", "contradicted", "unaddressed"),
    "nli": ("entailment", "neutral", "contradiction"),
}


def taught(name: str) -> dict | tuple:
    """A constant of the teacher's script, which imports more than is needed here."""
    for node in ast.parse(TEACHER.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == name for t in node.targets
        ):
            return ast.literal_eval(node.value)
    raise SystemExit(f"{TEACHER} has no {name}")


def write_adapter(source: Path, path: Path) -> None:
    tensors = load_file(source)
    rank = next(values.shape[0] for name, values in tensors.items() if name.endswith(".lora_a"))
    writer = GGUFWriter(path, "qwen2")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    writer.add_name("Postil, the expert reader")
    writer.add_license("CC-BY-SA-4.0")
    for name, values in sorted(tensors.items()):
        assert values.shape[0 if name.endswith(".lora_a") else 1] == rank, name
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{path}: {len(tensors)} matrices of rank {rank}, {path.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--adapter", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    write_adapter(options.adapter, options.folder / ADAPTER_FILE)
    prompts, words = taught("PROMPTS"), taught("WORDS")
    content = {
        "model": MODEL,
        "most_pieces": taught("MOST_PIECES"),
        "tasks": {
            task: {"prompt": prompts[task], "words": dict(zip(LABELS[task], words[task], strict=True))}
            for task in LABELS
        },
    }
    (options.folder / PROMPTS_FILE).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
