"""Pack what the readers and their teacher learn from: answers, claims and inference, with people's labels or without.

    python training/reader_data.py --data DATA --out pool.jsonl.xz

Reads DATA/sra, graded, claims, choices, nli and rte. Left out, so that what is made can be judged fairly: every
question of `graded`, `claims` and `choices` whose sha1 (of its words in small letters) ends in 0, and RTE-3's
development set. Each line: `task` (response, claim or nli), `question` (may be empty), `first` (the answer, as the
grader reads it, or a text), `second` (a reference, a claim or a hypothesis), `asked` (the same behind its question), `label` (or null, for the teacher alone to
judge), `source`, with `--taught` the log-probabilities of an earlier teacher (`soft`), and `held`, which says why a reader or teacher that is used for choosing must not see the pair: it is
of a `corpus` that is held out whole (`brooklyn_office_exams`, `stita`), of a `question` of the challenge or of other
classes (two in sixteen), or has an `answer` to another of the challenge's questions (one in eight). An empty `held` is
for everybody.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from crossed_answers import changed, read_antonyms
from encoder_data import entailments, inferences
from made_answers import made_answers
from tricks import TRICKS

from postil.data.formats.sra import read_collection
from postil.data.questions import Question
from postil.grading.answers import as_read, shortened
from postil.grading.facets import clauses
from postil.language.network import asked
from postil.language.pipeline import analyse_many
from postil.language.spelling import spelled_out
from postil.research.ehu_alm import best_reference

WHOLE = frozenset(("brooklyn_office_exams", "stita"))
GRADED = ("saf_en", "evouna", "efficientqa_judged", "fairytaleqa_second_answers", *sorted(WHOLE))
FOREIGN = ("saf_de", "sas_zh", "id_essay_mendeley")  # for the teacher, who reads other languages
CHOICES = ("arc_obqa", "opentriviaqa_school", "mmlu_test_val_dev", "qasc_dev", "truthfulqa", "onestopqa")
LABELS = ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain")
# Coarse labels: `not_correct` is any but the first, `wrong` any but the first two.
_NAMES = {
    "definitely_correct": "correct",
    "possibly_correct": None,
    "definitely_incorrect": "not_correct",
    "incorrect": "not_correct",
    "partially correct": "partially_correct_incomplete",
}
# `not_said` is either of the other two.
_CLAIMS = {
    "expressed": "expressed", "not_expressed": "not_said", "Fully attributable": "expressed", "Generic": "unaddressed",
    "Not fully attributable": "not_said", "completely-support": "expressed", "partially-support": "not_said",
    "refute": "contradicted", "irrelevant": "unaddressed", "SUPPORTS": "expressed", "REFUTES": "contradicted",
    "supported": "expressed", "partially_supported": "not_said", "not_supported": "not_said",
}  # fmt: skip
_INFERENCES = {
    "e": "entailment", "E": "entailment", "entailment": "entailment", "entails": "entailment", "N": "neutral",
    "neutral": "neutral", "C": "contradiction", "contradiction": "contradiction", "contrasting": "not_entailment",
    "consistent": "entailment", "inconsistent": "not_entailment", "not_entailment": "not_entailment",
    "faithful": "entailment", "contradictory_or_unsupported": "not_entailment",
}  # fmt: skip
_STEM = re.compile(r"which (one )?of (the|these)|except|following|\bnot\b|_{2,}|\ball of\b|\bnone of\b", re.I)
# Options in sentences of their own, so that a name alone and a sentence around it mean the same.
_FRAMES = (
    "{}", "{}", "{}", "{}", "It is {}", "the answer is {}", "I think it's {}", "{} I think", "it was {}.", "that would be {}",
    "{}, as far as I know", "it must be {}", "My answer is {}.", "probably {}", "it's called {}",
)  # fmt: skip
_MOST_OF_A_QUESTION = 100
_LONGEST_TEXT = 150  # words of a text beside a claim
_MOST = {  # pairs of a source, where there are more than are worth their time
    "argkp2021": 12000, "pyramid_realsumm": 12000, "mnli_dev": 12000, "snli_dev": 5000, "snli_test": 5000, "contrast": 900,
    "choices": 4500, "crossed": 3, "evouna crossed": 8000, "tricks": 9000, "clauses": 22000, "composed": 8000,
    "elaborated": 8000,
}  # fmt: skip
Pair = dict[str, object]


def digit(text: str | None) -> str:
    """The last hexadecimal digit of the sha1 of a text's words in small letters."""
    words = " ".join(re.findall(r"\w+", (text or "").casefold()))
    return hashlib.sha1(words.encode(), usedforsecurity=False).hexdigest()[-1]


def set_aside(question: str | None) -> bool:
    """Whether a question belongs to the sixteenth that no training sees."""
    return digit(question) == "0"


def held_back(corpus: str, question: str | None, *answers: str) -> str:
    """Why a reader that is used for choosing must not see answers to a question; empty if it may.

    `corpus` is a folder of `graded`, or `sra`.
    """
    if question and set_aside(question):
        return "aside"
    if corpus in WHOLE:
        return "corpus"
    if question and digit(question) in "12":
        return "question"
    return "answer" if corpus == "sra" and any(digit(answer) in "01" for answer in answers) else ""


def read_lines(path: Path) -> Iterator[dict]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def pair(
    task: str, question: str, first: str, second: str, source: str, label: str | None = None, held: str = ""
) -> Pair:
    return {
        "task": task, "question": question, "first": first, "second": second, "source": source, "label": label, "held": held,
    }  # fmt: skip


def as_seen(row: Pair) -> Pair:
    """A pair with the texts as networks read them; `asked` is the second behind its question."""
    first, second = (spelled_out(str(row[name])) for name in ("first", "second"))
    return {**row, "first": first, "second": second, "asked": asked(str(row["question"]), second)}


def taught(folder: Path) -> Iterator[Pair]:
    """What an earlier teacher has judged, with its log-probabilities (`soft`)."""
    judged = np.load(folder / "soft.npz")
    five, three = judged["five"], judged["three"]
    for number, row in enumerate(read_lines(folder / "pool.jsonl.xz")):
        question, corpus = row["q"] or "", row["c"]
        if not row["a"].strip() or not row["r"].strip() or set_aside(question) or corpus == "RTE3_dev":
            continue
        source = f"taught {corpus}"
        if row["k"] == "resp":
            (text,) = as_read(question, [row["r"]], [shortened(row["a"])])
            others = (row["r"],) if corpus == "crossed" else ()  # there the reference is an answer
            held = held_back(corpus if corpus in WHOLE else "sra", question, row["a"], *others)
            known = pair("response", question, text, row["r"], source, None, held)
            soft = five[number]
        elif row["k"] == "claim":
            question = question if corpus == "argkp2021" else ""
            text = " ".join(row["a"].split()[:_LONGEST_TEXT])
            known = pair("claim", question, text, row["r"], source, None, held_back("claims", row["q"]))
            soft = three[number]
        else:
            known = pair("nli", "", row["a"], row["r"], source)
            soft = three[number][[0, 2, 1]]  # neutral before contradiction
        yield {**known, "soft": [round(float(value), 3) for value in soft]}


def merged(pool: Iterable[Pair], judged: Iterable[Pair]) -> Iterator[Pair]:
    """The pool with an earlier teacher's judgements where it has them; what only the teacher has seen comes last."""
    rest = {(row["task"], row["first"], row["second"]): row for row in judged}
    for row in pool:
        known = rest.pop((row["task"], row["first"], row["second"]), None)
        yield row if known is None else {**row, "soft": known["soft"]}
    yield from rest.values()


def challenge(folder: Path) -> list[Question]:
    """The challenge's training questions that may be learned from."""
    groups = [group for (_, name), group in read_collection(folder).items() if name == "train"]
    return [question for group in groups for question in group if not set_aside(question.text)]


def sra(questions: Sequence[Question], folder: Path, rng: random.Random) -> Iterator[Pair]:
    """Answers, made answers; without a label answers beside other answers, other references and changed ones."""
    antonyms = read_antonyms(folder)
    read = {}
    for question in questions:
        references = [reference.text for reference in question.references]
        texts = as_read(question.text, references, [shortened(answer.text) for answer in question.answers])
        read |= zip([(question.corpus, answer.id) for answer in question.answers], texts, strict=True)
    for question in questions:
        near = [
            other for other in questions if (other.corpus, other.module) == (question.corpus, question.module)
        ]
        for answer in question.answers:
            text = read[question.corpus, answer.id]
            best, held = best_reference(question, answer), held_back("sra", question.text, answer.text)
            yield pair("response", question.text, text, best, "sra", answer.label, held)
            if len(question.references) > 1:
                other = rng.choice(question.references).text
                yield pair("response", question.text, text, other, "crossed reference", None, held)
            others = [other for other in question.answers if other.id != answer.id]
            for other in rng.sample(others, min(_MOST["crossed"], len(others))):
                held = held_back("sra", question.text, answer.text, other.text)
                beside = read[question.corpus, other.id]
                yield pair("response", question.text, text, beside, "crossed answer", None, held)
            held = held_back("sra", question.text, answer.text)
            text = changed(text, antonyms, rng)
            yield pair("response", question.text, text, best, "crossed changed", None, held)
            there = rng.choice(near)
            if rng.random() < 0.5 and there.answers:
                other = rng.choice(there.answers)
                held = (
                    held_back("sra", question.text, other.text)
                    or held_back("sra", there.text, other.text)
                )  # fmt: skip
                stranger = read[there.corpus, other.id]
                yield pair("response", question.text, stranger, best, "crossed foreign", None, held)
    for question, reference, text, label in made_answers(questions, rng):
        yield pair(
            "response", question.text, text, reference, "made", label, held_back("sra", question.text, text)
        )


def graded(folder: Path, rng: random.Random) -> Iterator[Pair]:
    """Answers of other subjects with people's labels, and beside other answers without."""
    for name in GRADED:
        groups: dict[str, list[tuple[dict, str]]] = defaultdict(list)
        for row in read_lines(folder / f"{name}.jsonl.xz"):
            question = row["question"] or ""
            if question and set_aside(question):
                continue
            if len(groups[question]) < _MOST_OF_A_QUESTION * (1 if question else 9) and row["answer"].strip():
                best = max(row["references"], key=lambda text: _shared(text, row["answer"]))
                (text,) = as_read(question, [best], [shortened(row["answer"])])
                groups[question].append((row, text))
                yield pair(
                    "response",
                    question,
                    text,
                    best,
                    f"graded {name}",
                    label_of(row),
                    held_back(name, question),
                )
        yield from beside(name, groups, rng)


def beside(name: str, groups: dict[str, list[tuple[dict, str]]], rng: random.Random) -> Iterator[Pair]:
    """Answers beside other answers to the same question; of stories beside those to other questions, which are wrong."""
    pairs: list[Pair] = []
    stories: dict[str, list[tuple[dict, str]]] = defaultdict(list)
    for question, rows in groups.items():
        held = held_back(name, question)
        for row, text in rows:
            stories[row["question_id"].partition("|")[0]].append((row, text))
            others = [(other, label_of(its)) for its, other in rows if other != text]
            for other, its_label in rng.sample(others, min(2, len(others))):
                if 1 < len(other.split()) < 120:
                    # A right answer serves as a reference; what is right beside a wrong one, the teacher says.
                    label = label_of(row) if its_label == "correct" and question else None
                    pairs.append(pair("response", question, text, other, f"beside {name}", label, held))
    if name.startswith("fairytale"):
        for rows in stories.values():
            for row, _ in rows:
                other, text = rng.choice(rows)
                if other["question_id"] != row["question_id"]:
                    pairs.append(
                        pair(
                            "response", row["question"], text, row["references"][0], f"graded {name}", "not_correct",
                            held_back(name, row["question"]),
                        )
                    )  # fmt: skip
    most = _MOST.get(f"{name} crossed", len(pairs))
    yield from rng.sample(pairs, min(most, len(pairs)))


def foreign(folder: Path) -> Iterator[Pair]:
    """Answers in other languages: what a long reference demands of an answer is much the same in all."""
    for name in FOREIGN:
        for row in read_lines(folder / f"{name}.jsonl.xz"):
            if not set_aside(row["question"]) and row["references"][0].strip() and row["answer"].strip():
                yield pair(
                    "response", row["question"] or "", shortened(row["answer"]), row["references"][0], f"foreign {name}",
                    label_of(row), held_back(name, row["question"]),
                )  # fmt: skip


def label_of(row: dict) -> str | None:
    """The label of an answer, from its name or, where there is none, from its score."""
    if row["score"] is None:
        return "correct"
    if row["label"]:
        name = row["label"].lower()
        return _NAMES.get(name, name) if row["corpus"] != "saf_en" or name != "incorrect" else "wrong"
    if row["score"] >= 0.999:
        return "correct"
    return "wrong" if row["score"] <= 0.001 else "partially_correct_incomplete"


def _shared(reference: str, answer: str) -> float:
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (reference, answer))
    return len(first & second) / (len(first | second) or 1)


def options(folder: Path, rng: random.Random) -> Iterator[Pair]:
    """Right and wrong options: another name in place of the right one, bare or in a sentence."""
    for name in CHOICES:
        rows = [
            row
            for row in read_lines(folder / f"{name}.jsonl.xz")
            if row["wrong"] and not set_aside(row["question"]) and not _STEM.search(row["question"])
            and not any(re.search(r"\b(all|none|both|neither) of\b|\b[A-D] (and|or) [A-D]\b", t) for t in row["right"] + row["wrong"])
        ]  # fmt: skip
        for row in rng.sample(rows, min(_MOST["choices"], len(rows))):
            right, wrong = rng.choice(row["right"]), rng.choice(row["wrong"])
            if len(right.split()) > 40 or not right.strip() or not wrong.strip():
                continue
            held = held_back("choices", row["question"])
            framed = rng.choice(_FRAMES).format(wrong)
            yield pair("response", row["question"], framed, right, "options wrong", "not_correct", held)
            same = rng.choice([*row["right"], right])
            if same == right:
                same = rng.choice(_FRAMES[4:]).format(right)
            yield pair("response", row["question"], same, right, "options right", "correct", held)


def fooling(questions: Sequence[Question], data: Path, rng: random.Random) -> Iterator[Pair]:
    """Every trick on references and right answers, with a wrong answer to the same question where there is one."""
    cases: list[tuple[str, str, str, str, str]] = []  # question, right text, reference, wrong text, held
    for question in questions:
        wrong = [
            answer.text for answer in question.answers if answer.label in ("contradictory", "irrelevant")
        ]
        right = [answer.text for answer in question.answers if answer.label == "correct"]
        for reference in question.references:
            for text in (reference.text, *rng.sample(right, min(4, len(right)))):
                bad = rng.choice(wrong) if wrong else ""
                held = held_back("sra", question.text, text, bad)
                cases.append((question.text, text, reference.text, bad, held))
    by_question: dict[str, list[dict]] = defaultdict(list)
    for name in ("saf_en", "evouna"):
        for row in read_lines(data / "graded" / f"{name}.jsonl.xz"):
            if not set_aside(row["question"]):
                by_question[row["question"]].append(row)
    for question in rng.sample(sorted(by_question), min(2500, len(by_question))):
        rows = by_question[question]
        right = [row for row in rows if row["score"] == 1 and 4 < len(row["answer"].split()) < 60]
        wrong = [row["answer"] for row in rows if row["score"] == 0 and len(row["answer"].split()) < 30]
        for row in rng.sample(right, min(len(right), 8 if row_is_long(rows) else 1)):
            best = max(row["references"], key=lambda text: _shared(text, row["answer"]))
            bad = rng.choice(wrong) if wrong else ""
            cases.append((question, row["answer"], best, bad, held_back("saf_en", question)))
    for name in ("arc_obqa", "truthfulqa", "mmlu_test_val_dev"):
        for row in read_lines(data / "choices" / f"{name}.jsonl.xz"):
            right = max(row["right"], key=len)
            if set_aside(row["question"]) or _STEM.search(row["question"]) or len(right.split()) < 5:
                continue
            bad = rng.choice(row["wrong"]) if row["wrong"] else ""
            held = held_back("choices", row["question"])
            cases.append((row["question"], right, right, bad, held))
    rng.shuffle(cases)
    cases = cases[: _MOST["tricks"]]
    facts = [reference for _, _, reference, _, held in cases if not held]
    documents = analyse_many([right for _, right, _, _, _ in cases])
    for (question, right, reference, wrong, held), document in zip(cases, documents, strict=True):
        if right.casefold() != reference.casefold():
            yield pair("response", question, right, reference, "trick honest", "correct", held)
        for name, (make, label, share) in TRICKS.items():
            text = make(document, wrong, rng) if rng.random() < 0.8 * share else None
            if text and text.casefold() != right.casefold():
                kind = "honest" if label == "correct" else name
                yield pair("response", question, shortened(text), reference, f"trick {kind}", label, held)
        if rng.random() < 0.12:
            dump = [right, *rng.sample(facts, rng.randint(4, 9))]
            text = shortened(" ".join(rng.sample(dump, len(dump))))
            yield pair("response", question, text, reference, "trick dump", "not_correct", held)


def row_is_long(rows: Sequence[dict]) -> bool:
    return len(rows[0]["references"][0].split()) > 20


def claims(folder: Path, rng: random.Random) -> Iterator[Pair]:
    """Texts and claims, with what people say: made, denied, or not spoken of."""
    for name in (
        "argkp2021", "pyramid_realsumm", "begin", "factcheck_gpt_stance", "foolmetwice", "wice_oracle_chunks",
    ):  # fmt: skip
        rows = [row for row in read_lines(folder / f"{name}.jsonl.xz") if not set_aside(row["question"])]
        most = _MOST.get(name, len(rows))
        for row in rng.sample(rows, min(most, len(rows))):
            text = " ".join(row["text"].split()[:_LONGEST_TEXT])
            topic = row["question"] if name == "argkp2021" else ""
            held = held_back("claims", row["question"])
            yield pair(
                "claim", topic or "", text, row["claim"], f"claims {name}", _CLAIMS[row["label"]], held
            )


def parts(pool: Sequence[Pair], rng: random.Random) -> Iterator[Pair]:
    """Answers beside the clauses of their reference, for the teacher to judge."""
    rows = [
        row
        for row in pool
        if str(row["source"]) == "sra"
        or str(row["source"]).startswith(("graded saf", "graded b", "graded s"))
    ]
    references = sorted({str(row["second"]) for row in rows})
    statements = {
        reference: [clause.statement for clause in clauses(document)]
        for reference, document in zip(references, analyse_many(references), strict=True)
    }
    pairs = [
        pair("claim", str(row["question"]), str(row["first"]), statement, "clauses", None, str(row["held"]))
        for row in rows
        for statement in rng.sample(
            statements[str(row["second"])], min(2, len(statements[str(row["second"])]))
        )
        if len(statement.split()) > 2
    ]
    yield from rng.sample(pairs, min(_MOST["clauses"], len(pairs)))


def composed(pool: Sequence[Pair], rng: random.Random) -> Iterator[Pair]:
    """Long references of several facts: whether each is in an answer of several is known, the whole is for the teacher."""
    rows = [row for row in pool if row["source"] == "sra" and row["label"] in ("correct", "contradictory")]
    by_held: dict[str, list[Pair]] = defaultdict(list)
    for row in rows:
        by_held[str(row["held"])].append(row)
    for _ in range(_MOST["composed"]):
        held = rng.choices(list(by_held), [len(group) for group in by_held.values()])[0]
        chosen = rng.sample(by_held[held], rng.randint(2, 4))
        if len({str(row["question"]) for row in chosen}) < len(chosen):
            continue
        said = chosen if rng.random() < 0.4 else rng.sample(chosen, len(chosen) - 1)
        answer = " ".join(_sentence(str(row["first"])) for row in rng.sample(said, len(said)))
        question = " ".join(str(row["question"]) for row in chosen)
        reference = " ".join(_sentence(str(row["second"])) for row in chosen)
        if len(reference.split()) < 110:
            yield pair("response", question, answer, reference, "composed", None, held)
        row = rng.choice(chosen)
        label = "unaddressed"
        if row in said:
            label = "expressed" if row["label"] == "correct" else "contradicted"
        yield pair("claim", str(row["question"]), answer, str(row["second"]), "composed claim", label, held)


def elaborated(folder: Path, pool: Sequence[Pair], rng: random.Random) -> Iterator[Pair]:
    """References that say more than the question asks for, as model answers do; the label of an answer stays."""
    rows = [row for row in pool if row["source"] == "sra" and row["label"] != "non_domain"]
    more: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        more[str(row["held"])].append(str(row["second"]))
    for row in rng.sample(rows, min(_MOST["elaborated"], len(rows))):
        own = str(row["second"])
        others = rng.sample(more[str(row["held"])], rng.randint(1, 3))
        sentences = [own, *(other for other in others if other != own)]
        rng.shuffle(sentences)
        reference = " ".join(map(_sentence, sentences))
        if len(sentences) > 1 and len(reference.split()) < 110:
            yield pair(
                "response", str(row["question"]), str(row["first"]), reference, "elaborated sra", str(row["label"]),
                str(row["held"]),
            )  # fmt: skip
    for name in ("qasc_dev", "onestopqa"):
        for row in read_lines(folder / f"{name}.jsonl.xz"):
            if set_aside(row["question"]) or not row["wrong"]:
                continue
            right, wrong = rng.choice(row["right"]), rng.choice(row["wrong"])
            if name == "qasc_dev":
                around = row["explanation"].split(" | ")[: rng.randint(1, 2)]
            else:
                around = re.split(r"(?<=[.!?]) ", row["context"])[: rng.randint(1, 3)]
            sentences = [right, *around]
            rng.shuffle(sentences)
            reference = " ".join(map(_sentence, sentences))
            held = held_back("choices", row["question"])
            for text, label in ((right, "correct"), (wrong, "not_correct")):
                text = rng.choice(_FRAMES).format(text)
                yield pair("response", row["question"], text, reference, f"elaborated {name}", label, held)


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."


def inference(data: Path, rng: random.Random) -> Iterator[Pair]:
    """Texts and hypotheses."""
    sources: dict[str, list[dict]] = defaultdict(list)
    for row in inferences(data / "nli", rng):
        sources[row["source"]].append(row)
    for name in ("bump", "summedits_pairs", "scitail_dev_test", "scinli_human"):
        for row in read_lines(data / "nli" / f"{name}.jsonl.xz"):
            sources[name].append({**row, "first": row["premise"], "second": row["hypothesis"]})
    for name, rows in sorted(sources.items()):
        most = _MOST.get(
            name, len(rows) if name in ("bump", "summedits_pairs", "scitail_dev_test") else _MOST["contrast"]
        )
        for row in rng.sample(rows, min(most, len(rows))):
            label = _INFERENCES.get(row["label"].partition(":")[0], "")
            if label:
                first = " ".join(row["first"].split()[:_LONGEST_TEXT])
                yield pair("nli", "", first, row["second"], f"nli {name}", label)
    for row in entailments(data / "rte"):
        if not row["id"].casefold().startswith("rte3"):
            yield pair("nli", "", row["first"], row["second"], "nli rte", row["label"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--taught", type=Path, help="pairs that a teacher has judged before: DATA/teacher")
    options_ = parser.parse_args()
    data, rng = options_.data, random.Random(0)
    questions = challenge(data / "sra")
    pool: list[Pair] = []
    sources: Iterable[Iterator[Pair]] = (
        sra(questions, data / "lexicons", rng),
        graded(data / "graded", rng),
        foreign(data / "graded"),
        options(data / "choices", rng),
        fooling(questions, data, rng),
        claims(data / "claims", rng),
        parts(pool, rng),
        composed(pool, rng),
        elaborated(data / "choices", pool, rng),
        inference(data, rng),
    )
    for source in sources:
        pool.extend(source)
        print(f"{len(pool):,} pairs", flush=True)
    if options_.taught:
        pool = list(merged(pool, taught(options_.taught)))
    pool = [row for row in pool if row["held"] != "aside" and str(row["first"]).strip()]
    with lzma.open(options_.out, "wt", encoding="utf-8", preset=1) as file:
        for row in pool:
            file.write(json.dumps(as_seen(row), ensure_ascii=False) + "\n")
    counts = Counter((str(row["task"]), str(row["source"]), bool(row["held"])) for row in pool)
    for (task, name, held), count in sorted(counts.items()):
        print(f"{count:8,} {task} {name}{' (held back)' if held else ''}")


if __name__ == "__main__":
    main()
