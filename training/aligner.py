"""Fit the aligner to the training sets of interpretable similarity, measure it, and write it as ONNX.

    python training/aligner.py --data DATA --pairs pairs.jsonl.xz --folds FOLDS --out postil/resources/aligner

FOLDS holds the `fold-unseen-questions-….npz` that training/encoder.py wrote: what networks say of the alignments that
they did not learn from. `--cross-validate 10` measures first, by pairs of sentences; figures.json has the outcome.

    python training/aligner.py --data DATA --cross-validate 5 --without-encoder

measures trees and rules where the networks of the folds were not kept: the trees see nothing of an encoder. Nothing is
written.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from alignment_learning import Example, Learned, examples_of, learn
from encoder_data import read_packed
from threadpoolctl import threadpool_limits
from tokenizers import Tokenizer

from postil.alignment.aligner import FORMAT, NAMES, Aligner, own_chunks
from postil.alignment.features import Weights
from postil.data.judgements import AlignedPair, ChunkedPair
from postil.language.network import Encoder, encoder
from postil.language.pieces import LinkPieces, link_pieces_of
from postil.research.benchmarks import read_datasets
from postil.scoring.alignment import score_alignments

Said = dict[tuple[str, str], tuple[LinkPieces, Weights]]  # by dataset and pair


def read_folds(pairs: Path, folder: Path) -> Said:
    """What networks say of alignments that they did not learn from, by dataset and pair."""
    places = {
        index: (item["source"], item["id"])
        for index, item in enumerate(read_packed(pairs))
        if item["task"] == "link" and "fold" in item
    }
    texts = {
        places[index]: (item["first"], item["second"])
        for index, item in enumerate(read_packed(pairs))
        if index in places
    }
    tokenizer = load_tokenizer()
    found: Said = {}
    for path in sorted(folder.glob("fold-unseen-questions-*.npz")):
        kept = dict(np.load(path))
        weights = {name.removeprefix("links."): v for name, v in kept.items() if name.startswith("links.")}
        vectors = np.split(kept["gold"].astype(np.float32), np.cumsum(kept["gold_sizes"])[:-1])
        for place, own in zip(kept["gold_places"].tolist(), vectors, strict=True):
            encoding = tokenizer.encode(*texts[places[place]])
            found[places[place]] = (link_pieces_of(encoding, own), weights)
    return found


def read_nothing() -> Said:
    """For every pair, what an encoder says that has read nothing."""
    nowhere, weights = np.zeros(0, np.intp), encoder().link_weights
    nothing = np.zeros((0, weights["inner.weight"].shape[1] // 4), np.float32)
    return defaultdict(lambda: (LinkPieces((nowhere, nowhere), (nothing, nothing)), weights))


def load_tokenizer() -> Tokenizer:
    with as_file(files("postil.resources").joinpath("encoder", "tokenizer.json")) as path:
        tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(Encoder.longest)
    return tokenizer


class Data:
    """All pairs with their gold chunks and our own, and the examples made of both."""

    def __init__(self, folder: Path, said: Said) -> None:
        datasets = read_datasets(folder)
        self.names = [name for name, (pairs, _) in datasets.items() for _ in pairs]
        self.places = [index for pairs, _ in datasets.values() for index in range(len(pairs))]
        self.gold: list[AlignedPair] = [pair for pairs, _ in datasets.values() for pair in pairs]
        chunks: dict[str, list[ChunkedPair]] = {
            "gold": [one for _, chunked in datasets.values() for one in chunked],
            "system": own_chunks(self.gold),
        }
        spoken = [said[name, pair.id] for name, pair in zip(self.names, self.gold, strict=True)]
        self.chunks = chunks
        self.examples: dict[str, list[Example]] = {
            kind: examples_of(self.gold, some, spoken) for kind, some in chunks.items()
        }


def cross_validate(data: Data, folds: int) -> dict:
    """All four metrics by dataset, on gold chunks and on our own; each pair aligned by models that have not seen it."""
    found: dict = defaultdict(dict)
    started = time.time()
    for fold in range(folds):
        inside = [row for row, place in enumerate(data.places) if place % folds == fold]
        outside = [row for row, place in enumerate(data.places) if place % folds != fold]
        aligner = Aligner(learn([data.examples["gold"][row] for row in outside]).models())
        for kind, chunks in data.chunks.items():
            examples = [data.examples[kind][row] for row in inside]
            with threadpool_limits(1, user_api="openmp"):
                aligned = aligner.align_prepared(
                    [chunks[row] for row in inside], [example.pair for example in examples]
                )
            found[kind] |= dict(zip(inside, aligned, strict=True))
        print(f"fold {fold + 1} of {folds}, {time.time() - started:.0f} s", flush=True)
    report: dict = {}
    for kind, aligned in found.items():
        report[kind] = {}
        for name in dict.fromkeys(data.names):
            rows = [row for row, one in enumerate(data.names) if one == name]
            score = score_alignments([data.gold[row] for row in rows], [aligned[row] for row in rows])
            report[kind][name] = {metric: round(float(value), 4) for metric, value in score.metrics.items()}
            print(kind, name, report[kind][name], flush=True)
    return report


def make_plain_node(*arguments, **attributes):
    """A node of ONNX; the converter hands over numpy's numbers and truth values, which protobuf now refuses."""
    import onnx

    for name, values in attributes.items():
        if isinstance(values, list) and values and isinstance(values[0], bool | int | np.integer | np.bool_):
            attributes[name] = [int(value) for value in values]
    return onnx.helper.make_node(*arguments, **attributes)


def export(learned: Learned, folder: Path) -> None:
    """Write the trees as ONNX, and what the classes of each are."""
    import skl2onnx.common._container  # only here: measuring does not need it
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType

    classes = {}
    skl2onnx.common._container.make_node = make_plain_node
    for name in NAMES:
        model = getattr(learned, name)
        shape = [("rows", FloatTensorType([None, model.n_features_in_]))]
        options = {id(model): {"zipmap": False}}
        network = convert_sklearn(model, initial_types=shape, options=options, target_opset=17)
        (folder / f"{name}.onnx").write_bytes(network.SerializeToString())
        lowest = 1 if name == "scores" else 0
        classes[name] = [int(one) - lowest for one in model.classes_]
    (folder / "aligner.json").write_text(json.dumps({"format": FORMAT, "classes": classes}) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    for name in ("pairs", "folds", "out"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--cross-validate", type=int, default=0, metavar="FOLDS")
    parser.add_argument(
        "--without-encoder", action="store_true", help="only cross-validate, without networks of folds"
    )
    options = parser.parse_args()
    if options.without_encoder:
        cross_validate(Data(options.data / "ists", read_nothing()), options.cross_validate or 5)
        return
    if None in (options.pairs, options.folds, options.out):
        parser.error(
            "--pairs, --folds and --out are needed, unless the encoder is left out (--without-encoder)"
        )
    options.out.mkdir(parents=True, exist_ok=True)
    data = Data(options.data / "ists", read_folds(options.pairs, options.folds))
    if options.cross_validate:
        report = cross_validate(data, options.cross_validate)
        (options.out / "figures.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    export(learn(data.examples["gold"]), options.out)
    for path in sorted(options.out.iterdir()):
        print(f"{path.stat().st_size:12,} {path.name}")


if __name__ == "__main__":
    main()
