"""EHU-ALM (Aldabe et al. 2013): similarity features, RBF-SVMs, three frameworks, and steps beyond."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from postil.data.labels import RESPONSE_SCHEMES, Scheme, reachable_schemes
from postil.data.questions import Question
from postil.errors import PostilError
from postil.grading.question_types import QuestionType, question_type
from postil.language.measures.features import EXTENDED as EVERY
from postil.language.measures.features import FEATURES, THIRTY, feature_families, feature_table, pair_of
from postil.research.svm import Classifier, Found, Parameters, Search
from postil.research.triplets import (
    Triplet,
    best_reference,
    first_reference,
    make_triplets,
    matched_or_random,
)

Scenario = Literal["unseen-answers", "unseen-questions"]


@dataclass(frozen=True, slots=True)
class Design:
    """What a system of the family is made of; the defaults are the paper's generic framework."""

    scenarios: bool = False  # a classifier for questions met in training and one for new questions
    types: bool = False  # experts for what, how and why
    best_reference: bool = False  # the reference most like the answer, not the first
    families: tuple[str, ...] = ()  # feature families beside the thirty; "all" for every one there is
    without: tuple[str, ...] = ()  # feature families left out, to see what each is worth
    demote: bool = False  # the features once more with the question's words left out
    direct: bool = False  # a classifier for each scheme, where the paper collapses the finest


RUN1 = Design()
RUN2 = Design(scenarios=True)
RUN3 = Design(scenarios=True, types=True)
BEST_REFERENCE = replace(RUN2, best_reference=True)
DEMOTED = replace(BEST_REFERENCE, demote=True)
OPPOSITION = replace(BEST_REFERENCE, families=("opposition",))
SOFT = replace(BEST_REFERENCE, families=("soft cardinality",))
EXTENDED = replace(BEST_REFERENCE, families=("all",), demote=True, direct=True)


class Expert(NamedTuple):
    """Which classifier judges an instance: for which labels, scenario and type of question ("": any)."""

    scheme: str
    scenario: Scenario
    type: QuestionType | Literal[""] = ""


class EhuAlm:
    """Judges an answer by similarity features of question, reference and answer, whatever the question.

    Classifiers are trained when first needed: a test set of new questions needs only half of them. Each
    searches its own settings in cross-validation (`svm.Search`) unless `parameters` gives them; `searches`
    tells what was found.
    """

    def __init__(
        self,
        design: Design = RUN1,
        *,
        search: Search | None = None,
        parameters: Parameters | None = None,
        fewest: int = 200,
        seed: int = 0,
    ) -> None:
        self.design = design
        self.search = search or Search(seed=seed)
        self.parameters = parameters
        self.fewest = fewest  # a type with fewer training instances has no expert of its own
        self.seed = seed

    def fit(self, questions: Sequence[Question]) -> Self:
        """Take the training answers of all corpora as one set and compute their features."""
        labels = [answer.label for question in questions for answer in question.answers]
        known = [place for place, label in enumerate(labels) if label]
        if not known:
            raise PostilError("there is no labelled answer to learn from.")
        choose = best_reference if self.design.best_reference else matched_or_random(self.seed)
        triplets = make_triplets(questions, choose)
        self._triplets = [triplets[place] for place in known]
        self._labels = [label for label in labels if label]
        self._schemes = reachable_schemes(self._labels, RESPONSE_SCHEMES)
        self._features = self._table(self._triplets)
        self._met = {triplet.source for triplet in self._triplets}
        self._types = [question_type(triplet.question) for triplet in self._triplets]
        self._counts = Counter(self._types)
        self.experts_: dict[Expert, Classifier] = {}
        return self

    def predict(self, questions: Sequence[Question], scheme: Scheme) -> list[str]:
        """Label every answer, in order."""
        learnt = self._learnt_scheme(scheme)
        choose = best_reference if self.design.best_reference else first_reference
        triplets = make_triplets(questions, choose)
        if not triplets:
            return []
        features = self._table(triplets)
        experts = [self._expert_for(triplet, learnt) for triplet in triplets]
        labels = [""] * len(triplets)
        for expert in dict.fromkeys(experts):
            rows = [row for row, other in enumerate(experts) if other == expert]
            for row, label in zip(rows, self._classifier(expert).predict(features[rows]), strict=True):
                labels[row] = scheme.collapse(label) or ""
        return labels

    @property
    def searches(self) -> dict[Expert, Found]:
        """What the search came to, and what it cost, for every classifier trained so far that searched."""
        found = {expert: classifier.found_ for expert, classifier in self.experts_.items()}
        return {expert: result for expert, result in found.items() if result}

    def _learnt_scheme(self, scheme: Scheme) -> Scheme:
        """The scheme of the classifier that answers for the one asked for."""
        if scheme.name not in [learnt.name for learnt in self._schemes]:
            raise PostilError(
                f"the training labels are coarser than {scheme.name}.",
                hint=f"They allow {', '.join(learnt.name for learnt in self._schemes)}.",
            )
        return scheme if self.design.direct else self._schemes[0]

    def _expert_for(self, triplet: Triplet, scheme: Scheme) -> Expert:
        scenario: Scenario = "unseen-questions"
        if self.design.scenarios and triplet.source in self._met:
            scenario = "unseen-answers"
        if not self.design.types:
            return Expert(scheme.name, scenario)
        asked = question_type(triplet.question)
        return Expert(scheme.name, scenario, asked if self._counts[asked] >= self.fewest else "")

    def _classifier(self, expert: Expert) -> Classifier:
        """The classifier of an expert, trained at first need."""
        if expert not in self.experts_:
            scheme = RESPONSE_SCHEMES[expert.scheme]
            rows = [row for row, asked in enumerate(self._types) if expert.type in ("", asked)]
            sources: list[Hashable] = [self._triplets[row].source for row in rows]
            # The two scenarios differ in their folds alone: with answers to one question in several folds,
            # the settings that win are those for questions met before.
            groups = rows if expert.scenario == "unseen-answers" else sources
            labels = [scheme.collapse(self._labels[row]) or "" for row in rows]
            classifier = Classifier(self.search, self.parameters)
            self.experts_[expert] = classifier.fit(self._features[rows], labels, groups)
        return self.experts_[expert]

    def _table(self, triplets: Sequence[Triplet]) -> NDArray[np.float64]:
        return design_table([triplet.texts for triplet in triplets], self.design)


def design_table(texts: Sequence[tuple[str, str, str]], design: Design) -> NDArray[np.float64]:
    """The features a design asks for: one row a triplet."""
    names = EVERY if "all" in design.families else THIRTY
    families = feature_families()
    names += tuple(name for family in design.families if family != "all" for name in families[family])
    names = tuple(name for name in names if FEATURES[name].family not in design.without)
    tables = [feature_table(texts, names)]
    if design.demote:
        # Only those that leaving out words can change.
        changed = [name for name in names if is_demotable(name)]
        tables.append(feature_table(texts, changed, demote=True))
    return np.hstack(tables)


def is_demotable(name: str) -> bool:
    """Whether a feature is another one when the question's words are left out."""
    feature = FEATURES[name]
    return bool(pair_of(("question", "", ""), feature.pair, feature.block, demote=True).without)


# What the registry names.
run1 = partial(EhuAlm, RUN1)
run2 = partial(EhuAlm, RUN2)
run3 = partial(EhuAlm, RUN3)
with_best_reference = partial(EhuAlm, BEST_REFERENCE)
demoted = partial(EhuAlm, DEMOTED)
opposition = partial(EhuAlm, OPPOSITION)
soft = partial(EhuAlm, SOFT)
extended = partial(EhuAlm, EXTENDED)
