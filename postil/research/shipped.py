"""The shipped grader as a system of the benchmark: it remembers training answers, and learns nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from postil.data.labels import Scheme
from postil.data.questions import Question, count_answers
from postil.errors import PostilError
from postil.grader import Grader, fingerprint, load


class ShippedGrader:
    """Judges with the encoder and stack that ship, which have learned from the challenge's training sets."""

    def __init__(self) -> None:
        self.grader: Grader = load()
        self._learned: dict[str, int] = {}
        self._labels: dict[tuple[str, str, str], dict[str, str]] = {}

    def fit(self, questions: Sequence[Question]) -> ShippedGrader:
        """Remember the labelled answers."""
        for question in questions:
            references = [reference.text for reference in question.references]
            name = fingerprint(question.text, references)
            self._learned[name] = self._learned.get(name, 0) + count_answers([question])
            labelled = [(answer.text, answer.label) for answer in question.answers if answer.label]
            self.grader.remember(question.text, references, labelled)
        return self

    def predict(self, questions: Sequence[Question], scheme: Scheme) -> list[str]:
        """Label the answers; each question is judged once for all schemes."""
        self._refuse_known(questions)
        found: list[str] = []
        for question in questions:
            key = question.corpus, question.test_set, question.id
            if key not in self._labels or any(one.id not in self._labels[key] for one in question.answers):
                ((_, judged),) = self.grader.grade_many([question])
                ids = [answer.id for answer in question.answers]
                self._labels[key] = dict(zip(ids, [one.label for one in judged], strict=True))
            labels = self._labels[key]
            found += [scheme.collapse(labels[answer.id]) or "" for answer in question.answers]
        return found

    def _refuse_known(self, questions: Sequence[Question]) -> None:
        """Cross-validation would judge answers that the encoder has learned from, and flatter."""
        for question in questions:
            name = fingerprint(question.text, [reference.text for reference in question.references])
            if self._learned.get(name, 0) < self.grader.known.get(name, 0):
                raise PostilError(
                    f"the shipped encoder has learned from question {question.id}, so cross-validating on it "
                    "would flatter.",
                    hint="Give a test set with --test; docs/benchmarks.md has figures from encoders trained "
                    "fold by fold (training/grader.py).",
                )
