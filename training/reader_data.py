"""Pack what the reader learns from: a teacher's soft labels, graded answers of other subjects, tricks and facts.

    python training/reader_data.py --data DATA --out reader.jsonl.xz

Reads DATA/teacher (pairs and a larger model's log-probabilities of them), DATA/sra, DATA/graded and DATA/choices.
Left out, so that what is chosen can be judged fairly: every question whose sha1 (of its words in small letters) ends
in 0. Each line: `task` (response or nli), `first`, `second`, `soft` (log-probabilities, or null), `label` (or null),
`source`, and `held`, which says why a reader that is used for choosing must not see the pair: it is of a `corpus` that
is held out whole (`brooklyn_office_exams`, `stita`), of a `question` of the challenge or of other classes (three in
sixteen), or has an `answer` to another of the challenge's questions (one in eight). What is `aside` no reader ever sees;
an empty `held` is for everybody.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from tricks import TRICKS

from postil.data.formats.sra import read_collection
from postil.grading.answers import as_read, shortened
from postil.language.pipeline import analyse_many
from postil.language.spelling import spelled_out

WHOLE = frozenset(("brooklyn_office_exams", "stita"))
CHALLENGE = frozenset(("sra", "crossed", "foreign", "joined", "made"))
GRADED = ("saf", "evouna", "efficientqa")
_LABELS = ("correct", "partially_correct_incomplete", "contradictory", "irrelevant", "non_domain")
_NAMES = {
    "definitely_correct": "correct",
    "possibly_correct": None,
    "definitely_incorrect": "not_correct",
    "incorrect": "not_correct",
    "partially correct": "partially_correct_incomplete",
}
_STEM = re.compile(r"which (one )?of (the|these)|except|following|\bnot\b|_{2,}|\ball of\b|\bnone of\b", re.I)
_MOST_OF_A_QUESTION = 100
Pair = dict[str, object]


def digit(text: str | None) -> str:
    """The last hexadecimal digit of the sha1 of a text's words in small letters."""
    words = " ".join(re.findall(r"\w+", (text or "").casefold()))
    return hashlib.sha1(words.encode(), usedforsecurity=False).hexdigest()[-1]


def set_aside(question: str | None) -> bool:
    """Whether a question belongs to the sixteenth that no training sees."""
    return digit(question) == "0"


def held_back(corpus: str, question: str | None, *answers: str) -> str:
    """Why a reader that is used for choosing must not see answers to a question; empty if it may."""
    if corpus in WHOLE | CHALLENGE and question and set_aside(question):
        return "aside"
    if corpus in WHOLE:
        return "corpus"
    if question and (corpus in CHALLENGE or corpus.startswith(GRADED)) and digit(question) in "012":
        return "question"
    return "answer" if corpus in CHALLENGE and any(digit(answer) in "01" for answer in answers) else ""


def read_lines(path: Path) -> Iterator[dict]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def pair(
    task: str, first: str, second: str, source: str, label: str | None = None, soft=None, held: str = ""
) -> Pair:
    values = None if soft is None else [round(float(value), 3) for value in soft]
    return {
        "task": task,
        "first": spelled_out(first),
        "second": spelled_out(second),
        "source": source,
        "label": label,
        "soft": values,
        "held": held,
    }


def read_answer(question: str, reference: str, answer: str) -> str:
    """An answer as the grader reads it."""
    return as_read(question, [reference], [shortened(answer)])[0]


def taught(folder: Path) -> Iterator[Pair]:
    """What the teacher has judged."""
    soft = np.load(folder / "soft.npz")
    five, three = soft["five"], soft["three"][:, [0, 2, 1]]  # neutral before contradiction
    for row, one in enumerate(read_lines(folder / "pool.jsonl.xz")):
        others = (one["r"],) if one["c"] == "crossed" else ()  # there the reference is an answer
        held = held_back(one["c"], one["q"], one["a"], *others)
        alone = one["c"] not in CHALLENGE | WHOLE
        if (alone and one["q"] and set_aside(one["q"])) or not one["a"].strip():
            continue
        source = f"taught {one['c']}"
        if one["k"] == "resp":
            answer = read_answer(one["q"], one["r"], one["a"])
            label = one["l"] if one["l"] in _LABELS else None
            yield pair("response", answer, one["r"], source, label, five[row], held)
        else:
            yield pair("nli", one["a"], one["r"], source, None, three[row])


def graded(folder: Path) -> Iterator[Pair]:
    """Answers of other subjects with people's labels."""
    for name in ("saf_en", "evouna", "efficientqa_judged", "fairytaleqa_second_answers", *WHOLE):
        seen: Counter[str] = Counter()
        for one in read_lines(folder / f"{name}.jsonl.xz"):
            question = one["question"] or ""
            seen[question] += 1
            if name not in WHOLE and set_aside(question):
                continue
            if seen[question] > _MOST_OF_A_QUESTION or not one["answer"].strip():
                continue
            label = (one["label"] or "").lower()
            label = "correct" if one["score"] is None else _NAMES.get(label, label)
            if label in _LABELS or label == "not_correct":
                best = max(one["references"], key=lambda text: _shared(text, one["answer"]))
                answer = read_answer(question, best, one["answer"])
                held = held_back(name, question)
                yield pair("response", answer, best, f"graded {name}", label, held=held)


def _shared(reference: str, answer: str) -> float:
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (reference, answer))
    return len(first & second) / (len(first | second) or 1)


def facts(folder: Path, rng: random.Random) -> Iterator[Pair]:
    """Right and wrong options: another name in place of the right one, bare or in a sentence."""
    frames = ("{}", "{}", "{}", "It is {}", "the answer is {}", "I think it's {}", "{} I think", "it was {}.")
    for name in ("arc_obqa", "opentriviaqa_school", "mmlu_test_val_dev", "qasc_dev", "truthfulqa"):
        for one in read_lines(folder / f"{name}.jsonl.xz"):
            if set_aside(one["question"]) or _STEM.search(one["question"]) or not one["wrong"]:
                continue
            right, wrong = rng.choice(one["right"]), rng.choice(one["wrong"])
            if len(right.split()) > 30 or not right.strip() or not wrong.strip():
                continue
            yield pair("response", rng.choice(frames).format(wrong), right, "options wrong", "not_correct")
            same = rng.choice([*one["right"], right])
            if same == right:
                same = rng.choice(frames[3:]).format(right)
            yield pair("response", same, right, "options right", "correct")


def tricks(data: Path, rng: random.Random) -> Iterator[Pair]:
    """Every trick on references and right answers, with a wrong answer to the same question where there is one."""
    cases: list[tuple[str, str, str, str]] = []  # right text, reference, wrong text, why it is held back
    for (_, name), questions in read_collection(data / "sra").items():
        for question in questions if name == "train" else ():
            wrong = [one.text for one in question.answers if one.label in ("contradictory", "irrelevant")]
            right = [one.text for one in question.answers if one.label == "correct"]
            for reference in question.references:
                for text in (reference.text, *rng.sample(right, min(3, len(right)))):
                    bad = rng.choice(wrong) if wrong else ""
                    cases.append((text, reference.text, bad, held_back("sra", question.text, text, bad)))
    by_question: dict[str, list[dict]] = defaultdict(list)
    for name in ("saf_en", "evouna"):
        for one in read_lines(data / "graded" / f"{name}.jsonl.xz"):
            if not set_aside(one["question"]):
                by_question[one["question"]].append(one)
    for question in rng.sample(sorted(by_question), min(1500, len(by_question))):
        group = by_question[question]
        right = [one for one in group if one["score"] == 1 and 4 < len(one["answer"].split()) < 40]
        wrong = [one["answer"] for one in group if one["score"] == 0 and len(one["answer"].split()) < 30]
        if right:
            one = rng.choice(right)
            best = max(one["references"], key=lambda text: _shared(text, one["answer"]))
            held = "question" if digit(question) in "012" else ""
            cases.append((one["answer"], best, rng.choice(wrong) if wrong else "", held))
    for name in ("arc_obqa", "truthfulqa"):
        for one in read_lines(data / "choices" / f"{name}.jsonl.xz"):
            right = max(one["right"], key=len)
            if set_aside(one["question"]) or _STEM.search(one["question"]) or len(right.split()) < 5:
                continue
            cases.append((right, right, rng.choice(one["wrong"]) if one["wrong"] else "", ""))
    rng.shuffle(cases)
    cases = cases[:6500]
    documents = analyse_many([right for right, _, _, _ in cases])
    for (right, reference, wrong, held), document in zip(cases, documents, strict=True):
        if right.casefold() != reference.casefold():
            yield pair("response", right, reference, "trick honest", "correct", held=held)
        for name, (make, label, share) in TRICKS.items():
            text = make(document, wrong, rng) if rng.random() < share else None
            if text and text.casefold() != right.casefold():
                yield pair("response", text, reference, f"trick {name}", label, held=held)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rng = random.Random(0)
    counts: Counter[str] = Counter()
    sources: Iterable[Iterator[Pair]] = (
        taught(options.data / "teacher"),
        graded(options.data / "graded"),
        facts(options.data / "choices", rng),
        tricks(options.data, rng),
    )
    with lzma.open(options.out, "wt", encoding="utf-8", preset=1) as file:
        for source in sources:
            for one in source:
                counts[str(one["source"])] += 1
                file.write(json.dumps(one, ensure_ascii=False) + "\n")
    for name, count in sorted(counts.items()):
        print(f"{count:8,} {name}")


if __name__ == "__main__":
    main()
