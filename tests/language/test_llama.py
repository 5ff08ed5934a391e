"""llama.cpp itself, with a tiny model of random weights that the test makes (`make test-all`)."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import postil
from postil.errors import InputError, PostilError
from postil.language import expert as expert_module
from postil.language import network, readers
from postil.language.expert import Expert
from postil.language.model_files import ModelFile, Needed
from postil.language.network import EXPERT

gguf = pytest.importorskip("gguf")
pytest.importorskip("llama_cpp")

from postil.language.llama import CONTEXT, Llama  # noqa: E402 (after the packages that it needs)

SHIPPED = Path(__file__).parents[2] / "packages" / "expert" / "postil_expert"
WIDTH, HEADS, INNER, LAYERS, RANK = 64, 4, 128, 2, 4
QUESTION, REFERENCE = "Why is the bulb lit?", "It is in a closed path with the battery."
ANSWERS = [
    "a closed path",
    "it is blue",
    "the battery is there and the path is closed",
    "",
    "<|im_end|> \0 é日本",
]


def byte_letters() -> list[str]:
    """The letter that stands for each byte in the vocabularies of such models."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


def vocabulary() -> tuple[list[str], list[str]]:
    """All bytes, then the labels' words with the merges that make each of them one piece."""
    letters = byte_letters()
    tokens, merges = list(letters), []
    tasks = json.loads((SHIPPED / "prompts.json").read_text("utf-8"))["tasks"]
    for word in sorted({word for task in tasks.values() for word in task["words"].values()}):
        spelled = "".join(letters[byte] for byte in word.encode())
        for end in range(2, len(spelled) + 1):
            if spelled[:end] not in tokens:
                tokens.append(spelled[:end])
                merges.append(f"{spelled[: end - 1]} {spelled[end - 1]}")
    return [*tokens, "<|im_end|>"], merges


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package for the tiny model, with an adapter of its own; the model is `model.gguf`."""
    folder = tmp_path_factory.mktemp("tiny")
    rng = np.random.default_rng(0)
    tokens, merges = vocabulary()

    def weights(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.3, shape).astype(np.float32)

    writer = gguf.GGUFWriter(folder / "model.gguf", "qwen2")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_merges(merges)
    writer.add_token_types([1] * (len(tokens) - 1) + [3])
    writer.add_eos_token_id(len(tokens) - 1)
    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    adapter = gguf.GGUFWriter(folder / "adapter.gguf", "qwen2")
    adapter.add_type("adapter")
    adapter.add_string("adapter.type", "lora")
    adapter.add_float32("adapter.lora.alpha", RANK)
    for layer in range(LAYERS):
        for part in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{part}.weight", np.ones(WIDTH, np.float32))
        shapes = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (WIDTH, WIDTH))
        shapes |= {"ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER)}
        for part, (out, inside) in shapes.items():
            writer.add_tensor(f"blk.{layer}.{part}.weight", weights(out, inside))
            if part in ("attn_q", "attn_k", "attn_v"):
                writer.add_tensor(f"blk.{layer}.{part}.bias", weights(out))
            adapter.add_tensor(f"blk.{layer}.{part}.weight.lora_a", weights(RANK, inside))
            adapter.add_tensor(f"blk.{layer}.{part}.weight.lora_b", weights(out, RANK))
    for each in (writer, adapter):
        each.write_header_to_file()
        each.write_kv_data_to_file()
        each.write_tensors_to_file()
        each.close()
    for name in ("card.json", "stack.json", "home.npz"):
        shutil.copy(SHIPPED / name, folder)
    content = json.loads((SHIPPED / "prompts.json").read_text("utf-8"))
    data = (folder / "model.gguf").read_bytes()
    content["model"] |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "prompts.json").write_text(json.dumps(content))
    return folder


def opened(folder: Path, cores: int = 1) -> Expert:
    return Expert(folder, Llama(folder / "model.gguf", folder / "adapter.gguf", cores))


def test_an_answer_gets_the_same_whoever_is_beside_it(folder: Path) -> None:
    references = [REFERENCE, "The battery lights it."]
    pairs = [(answer, reference) for answer in ANSWERS for reference in references]
    expert = opened(folder)
    whole = expert.pairs(pairs, question=QUESTION)["response"]
    assert np.isfinite(whole).all()
    assert len(np.unique(whole, axis=0)) == len(pairs)
    expert.forget()
    turned = expert.pairs(pairs[::-1], question=QUESTION)["response"]
    assert (turned[::-1] == whole).all()
    several = opened(folder, cores=3)
    assert (several.pairs(pairs, question=QUESTION)["response"] == whole).all()
    for number, pair in enumerate(pairs):
        assert (opened(folder).pairs([pair], question=QUESTION)["response"][0] == whole[number]).all()


def test_the_adapter_counts(folder: Path) -> None:
    without = Expert(folder, Llama(folder / "model.gguf"))
    pair = [(ANSWERS[0], REFERENCE)]
    assert not np.allclose(without.pairs(pair)["response"], opened(folder).pairs(pair)["response"])


def test_control_words_are_text(folder: Path) -> None:
    llama = Llama(folder / "model.gguf")
    assert len(llama.pieces("<|im_end|>")) > 1
    assert len(llama.pieces(" correct")) == 1
    assert llama.pieces("") == ()
    assert len(llama.pieces("ab" * 5000, 7)) == 7
    assert llama.pieces("\ud83d\0") != ()


def test_limits_and_broken_files_are_refused(folder: Path, tmp_path: Path) -> None:
    llama = Llama(folder / "model.gguf")
    for text in ([], [()], [(1,) * (CONTEXT // 2 + 1)], [(1,) * 400] * 3):
        with pytest.raises(PostilError, match="pieces of words"):
            llama.after([text], [1])
    assert np.isfinite(llama.after([[(1,) * 500, (2,) * 500]], [1])[0]).all()
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" * 100)
    with pytest.raises(InputError, match="cannot read this model"):
        Llama(tmp_path / "broken.gguf")
    with pytest.raises(InputError, match="does not belong"):
        Llama(folder / "model.gguf", tmp_path / "broken.gguf")


def test_the_whole_path(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for module in (readers, expert_module):
        monkeypatch.setattr(module, "expert_companion", lambda: folder)
    caches = (network.reader, expert_module.expert)
    for cached in caches:
        cached.cache_clear()
    try:
        with pytest.raises(PostilError, match="postil readers fetch"):
            postil.load(reader=EXPERT)
        needed = Needed(**json.loads((folder / "prompts.json").read_text())["model"])
        ModelFile(EXPERT, needed).add(folder / "model.gguf")
        question = postil.Question("q", QUESTION, (postil.Reference("r", REFERENCE),))
        judgements = postil.load(reader=EXPERT).grade_class(question, ANSWERS[:3])
        assert {judgement.reader for judgement in judgements} == {EXPERT}
    finally:
        for cached in caches:
            cached.cache_clear()
