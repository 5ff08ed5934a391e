"""Rounds: two people label the same answers blind, and a referee settles where they differ.

Counting, comparing, settling, chance and the corpus are those of `postil.senses.corpus`: a question is its
group, an answer its item, and people go by the numbers of their accounts.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from postil.data import questions
from postil.senses.corpus import agreement as arbitration
from postil.senses.corpus.agreement import (
    Disagreement,
    GroupAgreement,
    Outcome,
    mean_seconds,
    measure_agreement,
)
from postil.senses.corpus.items import REMOVED, Tagging, answer_items
from postil.senses.corpus.plan import Assignment, shuffled
from postil.senses.corpus.release import Annotations, release_items
from postil.workbench.records import LABELS, Answer, Person, Question

CHOICES = (*LABELS, REMOVED)  # what a person can say of an answer


@dataclass(frozen=True, slots=True)
class Round:
    """Answers of a question, who labels them, and who settles; `closed` once the labels are decisions."""

    id: int
    question_id: int
    first: Person
    second: Person
    referee: Person
    seed: int
    created: datetime
    closed: datetime | None
    answers: tuple[int, ...]

    @property
    def labellers(self) -> tuple[Person, Person]:
        """The two who label."""
        return self.first, self.second

    def labels(self, person: Person) -> bool:
        """Whether this person is one of the two who label."""
        return person.id is not None and person.id in (self.first.id, self.second.id)

    def settles(self, person: Person) -> bool:
        """Whether this person is the referee."""
        return person.id is not None and person.id == self.referee.id


@dataclass(frozen=True, slots=True)
class Work:
    """A round with what its people have said so far, in the order of the answers."""

    round: Round
    taggings: tuple[Tagging, ...]
    decisions: tuple[Tagging, ...]

    def of(self, person: Person) -> dict[int, Tagging]:
        """What one person has said, by answer."""
        everything = (*self.taggings, *self.decisions)
        return {int(tagging.item): tagging for tagging in everything if tagging.person == str(person.id)}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a round is: what each has labelled; once both have, how often they differ, and what is left."""

    total: int
    first: int
    second: int
    disputed: int = 0
    undecided: int = 0

    @property
    def finished(self) -> bool:
        """Whether both have labelled everything: from now on their labels stay as they are."""
        return 0 < self.total <= min(self.first, self.second)

    @property
    def settled(self) -> bool:
        """Whether every answer has its label."""
        return self.finished and not self.undecided


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far two labellers agree; `counts` has how often the first gave one label and the second another.

    `kappa` is None where everything has one and the same label: chance could have got nothing wrong.
    """

    agreement: GroupAgreement
    kappa: float | None
    labels: tuple[str, ...]
    counts: Mapping[tuple[str, str], int]
    seconds: float | None
    seconds_each: tuple[float | None, float | None]

    def both(self, label: str) -> int:
        """How many answers both gave a label."""
        return self.counts.get((label, label), 0)

    def only_one(self, label: str) -> int:
        """How many answers only one of the two gave a label."""
        return sum(n for pair, n in self.counts.items() if label in pair and pair != (label, label))


def sample(answers: Iterable[int], size: int | None, seed: int) -> list[int]:
    """Draw this many answers at random; all of them if no size is given."""
    return list(map(int, shuffled(map(str, answers), seed, "sample")[:size]))


def order(of: Round, person: Person) -> list[int]:
    """The answers in the order in which one person sees them: random, and different for each person."""
    return list(map(int, shuffled(map(str, of.answers), of.seed, "order", person.id)))


def name_of(of: Round, person: Person, answer_id: int) -> str:
    """An answer's name in addresses: it cannot be looked up, and is different for each person."""
    seed = f"{of.seed}\x1f{of.id}\x1f{person.id}\x1f{answer_id}"
    return sha256(seed.encode()).hexdigest()[:16]


def assignments(of: Round) -> dict[str, Assignment]:
    """Who labels and who settles, as `postil.senses.corpus` expects it."""
    group = str(of.question_id)
    people = (str(of.first.id), str(of.second.id))
    return {group: Assignment(group, people, str(of.referee.id))}


def progress(work: Work) -> Progress:
    """How far a round is; disagreements count only once both have finished."""
    done = Counter(tagging.person for tagging in work.taggings)
    far = Progress(len(work.round.answers), *(done[str(person.id)] for person in work.round.labellers))
    if not far.finished:
        return far
    disputed = {disagreement.item for disagreement in disagreements(work)}
    undecided = disputed - {decision.item for decision in work.decisions}
    return replace(far, disputed=len(disputed), undecided=len(undecided))


def waits_for(work: Work, person: Person) -> bool:
    """Whether a round cannot go on without this person."""
    if work.round.closed is not None:
        return False
    if work.round.labels(person):
        return len(work.of(person)) < len(work.round.answers)
    return work.round.settles(person) and progress(work).undecided > 0


def disagreements(work: Work) -> list[Disagreement]:
    """The answers that the two labelled differently, by pair of labels, the most frequent pair first."""
    return arbitration.disagreements(arbitration.complete(work.taggings, assignments(work.round)))


def outcomes(work: Work) -> list[Outcome]:
    """The label that each answer has in the end; an error while a disagreement waits for the referee."""
    return arbitration.settle(work.taggings, work.decisions, assignments(work.round))


def compare(work: Work) -> Comparison:
    """How far the two agree on the answers that both have labelled."""
    taggings = arbitration.complete(work.taggings, assignments(work.round))
    people = (str(person.id) for person in work.round.labellers)
    own = [[tagging for tagging in taggings if tagging.person == person] for person in people]
    first, second = ({tagging.item: tagging.tags[0] for tagging in side} for side in own)
    counts = Counter((first[item], second[item]) for item in first)
    used = {label for pair in counts for label in pair}
    measured = measure_agreement(taggings)
    return Comparison(
        measured.overall,
        measured.overall.kappa if len(used) > 1 else None,
        tuple(label for label in CHOICES if label in used),
        counts,
        measured.seconds,
        (mean_seconds(own[0]), mean_seconds(own[1])),
    )


def corpus(work: Work, question: Question, answers: Iterable[Answer]) -> bytes:
    """The labelled answers as a corpus that `postil train` reads: the release of `postil annotate`, zipped.

    Answers go by their numbers here, and nothing in it names a pupil or a labeller.
    """
    chosen = set(work.round.answers)
    asked = questions.Question(
        str(question.id),
        question.text,
        tuple(questions.Reference("", text) for text in question.references),
        tuple(questions.Answer(str(answer.id), answer.text) for answer in answers if answer.id in chosen),
    )
    items = {item.id: item for item in answer_items([asked])}
    said = Annotations(assignments(work.round), work.taggings, work.decisions)
    written = BytesIO()
    with tempfile.TemporaryDirectory() as folder, ZipFile(written, "w", ZIP_DEFLATED) as archive:
        release_items(Path(folder), items, said, task="responses", seed=work.round.seed)
        for path in sorted(Path(folder).iterdir()):
            archive.write(path, path.name)
    return written.getvalue()
