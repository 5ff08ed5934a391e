"""Answers to questions that no training has seen, by corpus; and the expert reader, whose readings are kept in a file.

A question is held out whose sha1 ends in 0 (`reader_data.py: set_aside`). No careful and no expert reader has learned from
one, in any corpus; the quick reader has not learned from those of `graded`, but it has from the challenge's.
STITA has no questions, so none of its answers is held out.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
from reader_data import label_of, read_lines, set_aside
from tricks import TRICKS

from postil.data.formats.sra import read_collection
from postil.data.questions import Answer, Question, Reference
from postil.language import expert as expert_module
from postil.language import network
from postil.language.network import EXPERT, Pair, Reader, demand_reader, stack_folder
from postil.language.pipeline import analyse_many

CHALLENGE = ("beetle", "sciEntsBank")
GRADED = ("saf_en", "brooklyn_office_exams", "evouna", "efficientqa_judged", "fairytaleqa_second_answers")
TRICKED = "tricks"
CORPORA = (*CHALLENGE, *GRADED, TRICKED)
RIGHT, WRONG = "correct", "incorrect"  # where people do not say more
_FROM_A_QUESTION = 2  # right answers that tricks are played with


def held_out(
    data: Path, corpora: Sequence[str] = CORPORA, most: int = 0, seed: int = 0
) -> dict[str, list[Question]]:
    """The questions of each corpus with labelled answers; of each corpus `most` answers, spread over its questions."""
    challenge = [
        replace(question, corpus=corpus)
        for (corpus, name), questions in read_collection(data / "sra").items()
        if name == "train"
        for question in questions
        if set_aside(question.text)
    ]
    classes = {}
    for corpus in corpora:
        rng = random.Random(seed)
        if corpus in CHALLENGE:
            questions = [question for question in challenge if question.corpus == corpus]
        elif corpus == TRICKED:
            questions = list(tricked(challenge, rng))
        else:
            questions = list(graded(data / "graded" / f"{corpus}.jsonl.xz", corpus, rng))
        classes[corpus] = drawn(questions, most, rng) if most else questions
    return classes


def drawn(questions: Sequence[Question], most: int, rng: random.Random) -> list[Question]:
    """An answer of each question in turn, until there are enough; a smaller draw is part of a larger one."""
    order = rng.sample(questions, len(questions))
    answers = [rng.sample(question.answers, len(question.answers)) for question in order]
    turns = range(max(map(len, answers), default=0))
    places = [number for turn in turns for number, own in enumerate(answers) if turn < len(own)][:most]
    return [
        replace(question, answers=tuple(own[: places.count(number)]))
        for number, (question, own) in enumerate(zip(order, answers, strict=True))
        if number in places
    ]


def graded(path: Path, corpus: str, rng: random.Random) -> Iterator[Question]:
    """The questions of other subjects. To stories people gave right answers only: those to other questions are wrong."""
    groups: dict[tuple, list[Answer]] = defaultdict(list)
    stories: dict[str, list[dict]] = defaultdict(list)
    for row in read_lines(path):
        stories[row["question_id"].partition("|")[0]].append(row)
        label = label_of(row)
        if set_aside(row["question"]) and row["answer"].strip() and label is not None:
            answers = groups[row["question_id"], row["question"], tuple(row["references"])]
            answers.append(Answer(str(len(answers)), row["answer"], RIGHT if label == RIGHT else WRONG))
    for (id, text, references), answers in groups.items():
        if corpus.startswith("fairytale"):
            others = [row["answer"] for row in stories[id.partition("|")[0]] if row["question"] != text]
            answers += [Answer("other", rng.choice(others), WRONG)] if others else []
        told = tuple(Reference(str(number), reference) for number, reference in enumerate(references))
        yield Question(id, text, told, tuple(answers), corpus=corpus)


def tricked(questions: Sequence[Question], rng: random.Random) -> Iterator[Question]:
    """Answers made to fool a grader, and honest ones like them, from references and right answers."""
    for question in questions:
        right = [answer.text for answer in question.answers if answer.label == RIGHT]
        wrong = [
            answer.text for answer in question.answers if answer.label in ("contradictory", "irrelevant")
        ]
        texts = [reference.text for reference in question.references[:_FROM_A_QUESTION]]
        texts += rng.sample(right, min(_FROM_A_QUESTION, len(right)))
        made = []
        for document in analyse_many([text for text in texts if 3 < len(text.split()) < 60]):
            for make, label, share in TRICKS.values():
                text = (
                    make(document, rng.choice(wrong) if wrong else "", rng) if rng.random() < share else None
                )
                if text:
                    made.append(Answer(str(len(made)), text, RIGHT if label == RIGHT else WRONG))
        yield replace(question, answers=tuple(made), corpus=TRICKED)


def version(name: str) -> str:
    """The hash of a reader's card, which has those of its weights."""
    card = (stack_folder(name) or files("postil.resources").joinpath("encoder")).joinpath("card.json")
    return hashlib.sha256(card.read_bytes()).hexdigest()


class Kept:
    """A reader that says the same of the same pair, and so is asked once: what it said is kept in a file.

    Nothing of a text is in the file but its hash. A reading that broke off goes on from there; another version of the
    reader begins anew.
    """

    def __init__(self, reader: Reader, path: Path, progress: Callable[[], None] = lambda: None) -> None:
        self._reader, self._path, self._progress = reader, path, progress
        self._version = version(reader.name)
        self.name, self.gullible = reader.name, reader.gullible
        self.most_words, self.longest = reader.most_words, reader.longest
        # Of the processor: for all that was asked, kept or not, and for what was read now.
        self.seconds = self.seconds_now = 0.0
        self._kept: dict[str, tuple[list[float], float]] = {}
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            with suppress(ValueError):  # a line that was broken off
                key, logits, seconds = json.loads(line)
                self._kept[key] = logits, seconds

    def pairs(
        self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",), question: str = ""
    ) -> Mapping[str, np.ndarray]:
        said = {head: [self._said(pair, head, question) for pair in pairs] for head in heads}
        return {head: np.array(rows, np.float32) for head, rows in said.items()}

    def _said(self, pair: Pair, head: str, question: str) -> list[float]:
        text = json.dumps([self.name, self._version, head, question, *pair])
        key = hashlib.sha256(text.encode()).hexdigest()[:24]
        if key not in self._kept:
            started = time.process_time()
            logits = self._reader.pairs([pair], (head,), question)[head][0]
            seconds = time.process_time() - started
            self.seconds_now += seconds
            self._kept[key] = [round(float(value), 5) for value in logits], round(seconds, 5)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n" + json.dumps([key, *self._kept[key]]))
        logits, seconds = self._kept[key]
        self.seconds += seconds
        self._progress()
        return logits

    def forget(self) -> None:
        self._reader.forget()


def keep_expert(path: Path) -> Kept:
    """Let the expert reader of this process keep what it says, alone and in the thorough cascade."""
    demand_reader(EXPERT)  # says what is missing
    kept = Kept(expert_module.expert(), path)
    expert_module.expert = lambda: kept
    network.reader.cache_clear()
    return kept
