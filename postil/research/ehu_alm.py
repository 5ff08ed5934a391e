"""EHU-ALM (Aldabe et al. 2013): similarity features, RBF-SVMs, three frameworks, and steps beyond.

Question, reference and answer form a triplet; its features go to support-vector machines whose settings are
searched in cross-validation; a design says which features, references and machines a system has.
"""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from postil.data.arrays import Floats, Numbers
from postil.data.labels import RESPONSE_SCHEMES, Scheme, reachable_schemes
from postil.data.questions import Answer, Question
from postil.errors import PostilError
from postil.grading.asks import QuestionType, question_type
from postil.language.measures.features import EXTENDED as EVERY
from postil.language.measures.features import FEATURES, THIRTY, feature_families, feature_table, pair_of
from postil.language.measures.overlap import overlap, overlap_words
from postil.scoring.significance import fold_numbers

BEST = "BEST"


@dataclass(frozen=True, slots=True)
class Triplet:
    """The three texts that a judgement rests on, and the question they belong to."""

    question: str
    reference: str
    answer: str
    source: tuple[str, str]  # the question's corpus and id


ChooseReference = Callable[[Question, Answer], str]


def make_triplets(questions: Sequence[Question], choose: ChooseReference) -> list[Triplet]:
    """One triplet for each answer, in order, with the reference that `choose` picks."""
    return [
        Triplet(question.text, choose(question, answer), answer.text, (question.corpus, question.id))
        for question in questions
        for answer in question.answers
    ]


def first_reference(question: Question, answer: Answer) -> str:
    """The text of the first reference; the empty text where a question has none."""
    return question.references[0].text if question.references else ""


def matched_or_random(seed: int = 0) -> ChooseReference:
    """For training: the reference that an annotator matched, otherwise a random one, BEST where possible.

    The draw depends on the seed, the question and the answer only, so that an answer keeps its reference
    in every fold.
    """

    def choose(question: Question, answer: Answer) -> str:
        matched = [each for each in question.references if answer.match and each.id == answer.match]
        best = [reference for reference in question.references if reference.category == BEST]
        pool = matched[:1] or best or list(question.references)
        if not pool:
            return ""
        name = "\0".join((question.corpus, question.id, answer.id))
        draw = np.random.default_rng([seed, zlib.crc32(name.encode())]).integers(len(pool))
        return pool[int(draw)].text

    return choose


def best_reference(question: Question, answer: Answer) -> str:
    """The reference most like the answer by word-overlap F and cosine; of equals a BEST one, else the first.

    It reads nothing but the texts, so it serves training and judging alike.
    """
    texts = [reference.text for reference in question.references]
    ranks = [(_likeness(ref.text, answer.text), ref.category == BEST) for ref in question.references]
    return texts[ranks.index(max(ranks))] if texts else ""


@lru_cache(maxsize=1 << 17)
def _likeness(reference: str, answer: str) -> float:
    """How alike two texts are; cross-validation meets every pair again in each fold."""
    shared = overlap(overlap_words(reference), overlap_words(answer))
    return (shared.f1 + shared.cosine) / 2


@dataclass(frozen=True, slots=True)
class Parameters:
    """An RBF-SVM's settings; `balance` b weighs a class of n instances by n⁻ᵇ (0: all alike, 1: balanced)."""

    c: float
    gamma: float
    balance: float = 0.0


# Powers of two, as LIBSVM's guide recommends; γ is for features of unit variance. The balance is part of the
# grid because the search optimises macro F1, which counts a rare class as much as a frequent one.
GRID: tuple[Parameters, ...] = tuple(
    Parameters(2.0**c, 2.0**gamma, balance)
    for c, gamma, balance in product((1, 3, 5, 7), (-9, -7, -5, -3), (0.0, 0.5, 1.0))
)


@dataclass(frozen=True, slots=True)
class Search:
    """How the settings are searched: in rounds, each on more instances and with fewer candidates left.

    A full search on 9,000 instances trains hundreds of machines of several seconds each. Here the whole grid
    is tried on the first number of `rows`, the best `keep` candidates of each round on the next, and the
    winner of the last is taken. Every round is a cross-validation of `folds` folds, scored by macro F1 over
    all of its instances.
    """

    grid: tuple[Parameters, ...] = GRID
    rows: tuple[int, ...] = (1000, 3000)
    keep: int = 6
    folds: int = 10
    jobs: int = 2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The settings that won a search, their macro F1 in the last round, and what the search cost."""

    parameters: Parameters
    macro_f1: float
    trained: int
    seconds: float


class Classifier:
    """A scaled RBF-SVM over named labels; if training has only one label, it always gives that one."""

    def __init__(self, search: Search | None = None, parameters: Parameters | None = None) -> None:
        self.search = search or Search()
        self.parameters = parameters

    def fit(self, features: Floats, labels: Sequence[str], groups: Sequence[Hashable]) -> Classifier:
        """Search the settings, unless given, with folds that keep groups together; then train on all."""
        self.labels_ = sorted(set(labels))
        numbers = np.array([self.labels_.index(label) for label in labels], dtype=np.intp)
        self.search_result_: SearchResult | None = None
        self.machine_: Any = None
        if len(self.labels_) > 1:
            chosen = self.parameters
            if chosen is None:
                self.search_result_ = search_parameters(features, numbers, groups, self.search)
                chosen = self.search_result_.parameters
            self.machine_ = _train(features, numbers, chosen)
        return self

    def predict(self, features: Floats) -> list[str]:
        """One label for each row."""
        if self.machine_ is None or not len(features):
            return [self.labels_[0]] * len(features)
        return [self.labels_[number] for number in self.machine_.predict(features)]


def search_parameters(
    features: Floats, numbers: Numbers, groups: Sequence[Hashable], search: Search
) -> SearchResult:
    """Find the settings with the best cross-validated macro F1, round by round."""
    started, trained = time.perf_counter(), 0
    order = np.random.default_rng(search.seed).permutation(len(numbers))
    candidates = list(search.grid)
    scores = [0.0]
    sizes = sorted({min(rows, len(numbers)) for rows in search.rows})
    for size in sizes:
        chosen = np.sort(order[:size])
        units: list[Hashable] = [groups[row] for row in chosen]
        if len(set(units)) < 2:  # nothing can be held out by group: hold out instances
            units = list(range(size))
        folds = fold_numbers(units, search.folds, search.seed)
        scores = _cross_validate(features[chosen], numbers[chosen], folds, candidates, search.jobs)
        trained += len(candidates) * len(set(folds.tolist()))
        # Equal scores go to the smoother machine, which the grid lists first.
        ranking = np.argsort(-np.array(scores), kind="stable")
        left = ranking[: search.keep if size < sizes[-1] else 1].tolist()
        candidates, scores = [candidates[number] for number in left], [scores[number] for number in left]
    return SearchResult(candidates[0], scores[0], trained, time.perf_counter() - started)


def _cross_validate(
    features: Floats, numbers: Numbers, folds: Numbers, candidates: Sequence[Parameters], jobs: int
) -> list[float]:
    """Macro F1 of each candidate over the instances of all folds together."""
    from sklearn.metrics import f1_score

    classes = range(int(numbers.max()) + 1)
    splits = [(folds != fold, folds == fold) for fold in sorted(set(folds.tolist()))]

    def score(candidate: Parameters) -> float:
        predicted = np.zeros_like(numbers)
        for inside, outside in splits:
            machine = _train(features[inside], numbers[inside], candidate)
            predicted[outside] = machine.predict(features[outside])
        return float(f1_score(numbers, predicted, average="macro", labels=classes, zero_division=0))

    # LIBSVM releases the interpreter lock while it trains, so threads can share the work.
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(score, candidates))


def _train(features: Floats, numbers: Numbers, parameters: Parameters) -> Any:
    """Train one machine; if only one class is left, one that always gives it."""
    from sklearn.dummy import DummyClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    classes, counts = np.unique(numbers, return_counts=True)
    if len(classes) < 2:
        return DummyClassifier(strategy="most_frequent").fit(features, numbers)
    weights = counts.astype(np.float64) ** -parameters.balance
    weights *= counts.sum() / (weights * counts).sum()  # so that C means the same whatever the balance
    class_weight = dict(zip(classes.tolist(), weights.tolist(), strict=True))
    machine = SVC(C=parameters.c, gamma=parameters.gamma, class_weight=class_weight, cache_size=200)
    return make_pipeline(StandardScaler(), machine).fit(features, numbers)


Scenario = Literal["unseen-answers", "unseen-questions"]


@dataclass(frozen=True, slots=True)
class Design:
    """What a system of the family is made of; the defaults are the paper's generic framework."""

    scenarios: bool = False  # a classifier for questions met in training and one for new questions
    types: bool = False  # experts for what, how and why
    best_reference: bool = False  # the reference most like the answer, not the first
    families: tuple[str, ...] = ()  # feature families beside the thirty; "all" for every family
    without: tuple[str, ...] = ()  # feature families left out, to see what each is worth
    demote: bool = False  # the features once more with the question's words left out
    direct: bool = False  # a classifier for each scheme, where the paper collapses the finest


BEST_REFERENCE = Design(scenarios=True, best_reference=True)
DESIGNS: Mapping[str, Design] = {
    "run1": Design(),
    "run2": Design(scenarios=True),
    "run3": Design(scenarios=True, types=True),
    "best-reference": BEST_REFERENCE,
    "demoted": replace(BEST_REFERENCE, demote=True),
    "opposition": replace(BEST_REFERENCE, families=("opposition",)),
    "soft": replace(BEST_REFERENCE, families=("soft cardinality",)),
    "extended": replace(BEST_REFERENCE, families=("all",), demote=True, direct=True),
}


class Expert(NamedTuple):
    """Which classifier judges an instance: for which labels, scenario and type of question ("": any)."""

    scheme: str
    scenario: Scenario
    type: QuestionType | Literal[""] = ""


class EhuAlm:
    """Judges an answer by similarity features of question, reference and answer, whatever the question.

    Classifiers are trained when first needed: a test set of new questions needs only half of them. Each
    searches its own settings in cross-validation (`Search`) unless `parameters` gives them; `searches` holds
    the results.
    """

    def __init__(
        self,
        design: Design = DESIGNS["run1"],
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
        known = [row for row, label in enumerate(labels) if label]
        if not known:
            raise PostilError("there is no labelled answer to learn from.")
        choose = best_reference if self.design.best_reference else matched_or_random(self.seed)
        triplets = make_triplets(questions, choose)
        self._triplets = [triplets[row] for row in known]
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
        names = [known.name for known in self._schemes]
        if scheme.name not in names:
            raise PostilError(
                f"the training labels are coarser than {scheme.name}.", hint=f"They allow {', '.join(names)}."
            )
        learned = scheme if self.design.direct else self._schemes[0]
        choose = best_reference if self.design.best_reference else first_reference
        triplets = make_triplets(questions, choose)
        if not triplets:
            return []
        features = self._table(triplets)
        experts = [self._expert_for(triplet, learned) for triplet in triplets]
        labels = [""] * len(triplets)
        for expert in dict.fromkeys(experts):
            rows = [row for row, other in enumerate(experts) if other == expert]
            for row, label in zip(rows, self._classifier(expert).predict(features[rows]), strict=True):
                labels[row] = scheme.collapse(label) or ""
        return labels

    @property
    def searches(self) -> dict[Expert, SearchResult]:
        """The result of the search for every classifier that has been trained with one so far."""
        results = {expert: classifier.search_result_ for expert, classifier in self.experts_.items()}
        return {expert: result for expert, result in results.items() if result}

    def _expert_for(self, triplet: Triplet, scheme: Scheme) -> Expert:
        scenario: Scenario = "unseen-questions"
        if self.design.scenarios and triplet.source in self._met:
            scenario = "unseen-answers"
        if not self.design.types:
            return Expert(scheme.name, scenario)
        asked = question_type(triplet.question)
        return Expert(scheme.name, scenario, asked if self._counts[asked] >= self.fewest else "")

    def _classifier(self, expert: Expert) -> Classifier:
        """The classifier of an expert, trained when first needed."""
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

    def _table(self, triplets: Sequence[Triplet]) -> Floats:
        texts = [(triplet.question, triplet.reference, triplet.answer) for triplet in triplets]
        return design_table(texts, self.design)


def design_table(texts: Sequence[tuple[str, str, str]], design: Design) -> Floats:
    """The features a design asks for, one row for each triplet."""
    names = EVERY if "all" in design.families else THIRTY
    families = feature_families()
    names += tuple(name for family in design.families if family != "all" for name in families[family])
    names = tuple(name for name in names if FEATURES[name].family not in design.without)
    tables = [feature_table(texts, names)]
    if design.demote:
        # Only those that leaving out the question's words can change.
        features = {name: FEATURES[name] for name in names}
        example = ("question", "", "")
        changed = [n for n, f in features.items() if pair_of(example, f.pair, f.block, demote=True).without]
        tables.append(feature_table(texts, changed, demote=True))
    return np.hstack(tables)


def create(name: str) -> EhuAlm:
    """Make a fresh system of the family by its name, such as `ehu-alm-run1`."""
    return EhuAlm(DESIGNS[name.removeprefix("ehu-alm-")])
