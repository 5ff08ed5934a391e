"""Pack what the encoder learns from into one file that travels to a machine with a GPU.

    python training/encoder_data.py --data DATA --out pairs.jsonl.xz

Reads the SRA training sets, the NLI and STS pairs under DATA (what may train weights that ship, `nli/SOURCES.md`
says). Each line of the result is one pair: `task` (response, nli, similarity), `first`, `second`, `label`, for
responses also the question and the folds of the answer in the three scenarios. Responses are real, made (their
label follows from how they were made) or crossed (an answer beside another text, for the teacher to label); answers
stand there as the grader reads them. Alignments (`link_data.py`) and RTE pairs have folds, too: they are left out where
a fold of responses is, so that what the networks say of them is known from such as did not learn from them.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from crossed_answers import crossed_answers, read_antonyms
from link_data import gold_links, unlinked, word_links
from made_answers import made_answers

from postil.data.formats.rte import read_pairs
from postil.data.formats.sra import read_collection
from postil.data.questions import Answer, Question
from postil.grading.answers import as_read
from postil.language.spelling import spelled_out
from postil.research.benchmarks import SCENARIOS, response_folds
from postil.research.ehu_alm import best_reference

FOLDS = 5
Folds = dict[str, list[int]]  # by scenario, the folds a pair must not be learned from in
# Sources whose licence does not allow shipped weights, and one that only repeats a single label about moods.
LEFT_OUT = {"xnli_en", "anli_dev", "imppres", "sentiment_negated"}
MOST_OF_A_SOURCE = 6000


def responses(folder: Path, antonyms: Mapping[str, Sequence[str]]) -> Iterator[dict]:
    """Every answer with its references, label and folds; then made answers, and pairs without a label."""
    questions = [q for (_, name), group in read_collection(folder).items() if name == "train" for q in group]
    folds: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for scenario in SCENARIOS:
        for number, (_, test) in enumerate(response_folds(questions, scenario, FOLDS)):
            for question in test:
                for answer in question.answers:
                    folds[question.corpus, answer.id][scenario] = number
    read = {}
    for question in questions:
        texts = as_read(
            question.text,
            [reference.text for reference in question.references],
            [answer.text for answer in question.answers],
        )
        read |= zip([(question.corpus, answer.id) for answer in question.answers], texts, strict=True)

    def item(
        question: Question, answer: str, reference: str, label: str | None, where: Folds, **more: object
    ) -> dict:
        own = {"task": "response", "corpus": question.corpus, "question_id": question.id}
        texts = {"first": spelled_out(answer), "second": spelled_out(reference)}
        return own | texts | {"label": label, "folds": where} | more

    def of_question(question: Question) -> Folds:
        """Where a made answer, or a reference, must not be seen: it is learned from wherever its question is."""
        found = folds[question.corpus, question.answers[0].id]
        return {name: [] if name == "unseen-answers" else [number] for name, number in found.items()}

    for question in questions:
        for answer in question.answers:
            where = {name: [number] for name, number in folds[question.corpus, answer.id].items()}
            reference = best_reference(question, answer)
            more = {"id": answer.id, "matched": spelled_out(matched(question, answer.match))}
            yield item(question, read[question.corpus, answer.id], reference, answer.label, where, **more)
    for question, reference, text, label in made_answers(questions, random.Random(0)):
        if label == "contradictory":
            reference = best_reference(question, Answer("", text))
        yield item(question, text, reference, label, of_question(question), kind="made")
    for question, answer, other, there, first, second in crossed_answers(
        questions, read, antonyms, random.Random(1)
    ):
        own = [folds[question.corpus, one.id] for one in (answer, other) if one is not None]
        where = {name: sorted({*(one[name] for one in own), *of_question(there)[name]}) for name in SCENARIOS}
        yield item(question, first, second, None, where, kind="crossed")


def matched(question: Question, match: str) -> str:
    """The reference an annotator matched, which only training may see."""
    return next((reference.text for reference in question.references if match and reference.id == match), "")


def inferences(folder: Path, rng: random.Random) -> Iterator[dict]:
    """Premises and hypotheses: the general sets whole, of each contrast set at most so many."""
    for name in ("mnli_dev.csv", "snli_dev.csv"):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield pair("nli", name[:-4], row["premise"], row["hypothesis"], row["label"])
    numbers = {"1": "neutral", "2": "entailment", "3": "contradiction"}
    for line in (folder / "snli_test_tokenised.tsv").read_text("utf-8").splitlines():
        first, second, number = line.split("\t")
        yield pair("nli", "snli_test", first.strip(), second.strip(), numbers[number.strip()])
    sources = defaultdict(list)
    with lzma.open(folder / "contrast_sets.jsonl.xz", "rt", encoding="utf-8") as file:
        for line in file:
            item = json.loads(line)
            if item["source"] not in LEFT_OUT:
                sources[item["source"]].append(item)
    for source, items in sorted(sources.items()):
        rng.shuffle(items)
        for item in items[:MOST_OF_A_SOURCE]:
            yield pair("nli", source, item["premise"], item["hypothesis"], item["label"])


def similarities(folder: Path) -> Iterator[dict]:
    """Pairs of sentences with their similarity, 0 to 1."""
    for path in sorted(folder.glob("*.tsv")):
        for line in path.read_text("utf-8").splitlines():
            score, first, second = line.split("\t")[:3]
            if score.strip():
                yield pair("similarity", path.stem, first, second, float(score) / 5)


def entailments(folder: Path) -> Iterator[dict]:
    """RTE-1 to RTE-3, each pair in a fold; where there are only two labels, the other is "not entailment"."""
    names = {"ENTAILMENT": "entailment", "CONTRADICTION": "contradiction", "UNKNOWN": "neutral"}
    for name in (*(f"RTE{n}_{part}.xml" for n in (1, 2) for part in ("dev", "test")), "rte3_dev_3way.tsv"):
        for number, one in enumerate(read_pairs(folder / name)):
            label = names.get(one.label or "", "not_entailment")
            item = pair("nli", "rte", one.text, one.hypothesis, label)
            yield item | {"id": f"{name.split('.')[0]} {one.id}", "fold": number % FOLDS}


def read_packed(path: Path) -> Iterator[dict]:
    """The packed pairs, in their order."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def pair(task: str, source: str, first: str, second: str, label: str | float) -> dict:
    return {"task": task, "source": source, "first": first, "second": second, "label": label}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    antonyms = read_antonyms(options.data / "lexicons")
    answered = list(responses(options.data / "sra", antonyms))
    similar = list(similarities(options.data / "sts"))
    items = [
        *answered,
        *inferences(options.data / "nli", random.Random(0)),
        *entailments(options.data / "rte"),
        *similar,
        *gold_links(options.data / "ists"),
        *word_links(options.data / "word-alignment" / "edinburghpp.tar.xz"),
        *unlinked(similar, [one for one in answered if "id" in one], antonyms, random.Random(2)),
    ]
    with lzma.open(options.out, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
    for name, count in Counter(
        item.get("source") or f"{item['task']} {item['corpus']} {item.get('kind', '')}" for item in items
    ).items():
        print(f"{count:7,} {name}")


if __name__ == "__main__":
    main()
