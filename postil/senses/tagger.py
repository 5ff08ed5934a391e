"""Taggers: learn the senses of words from labelled instances, and answer new ones.

>>> from postil.data.formats.senseval import read_senseval
>>> tagger = train_tagger(read_senseval("train.xml"))      # doctest: +SKIP
>>> answers = tagger.predict(read_senseval("test.xml"))    # doctest: +SKIP
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from postil.data.formats.sensekeys import SenseAnswer
from postil.data.formats.senses import SenseInstance
from postil.errors import PostilError
from postil.senses.systems import Recipe, find_recipe
from postil.senses.table import Floats
from postil.senses.word import WordModel, learn_word

Progress = Callable[[int, int, str], None]

SURE = 0.9  # chance from which an untagged example is taken for what the tagger thinks it is
ROUNDS = 3
_LEAST = 0.1  # chance below which a sense is left out of a weighted answer


class Tagger:
    """A sense system with a model for each word; a word that was not in training is not answered.

    `words_` holds what was learned, by word.
    """

    def __init__(self, system: str = "postil", *, seed: int = 0, recipe: Recipe | None = None) -> None:
        self.system = system
        self.seed = seed
        self.recipe = recipe or find_recipe(system)
        self.words_: Mapping[str, WordModel] = {}

    def fit(self, instances: Iterable[SenseInstance], *, progress: Progress | None = None) -> Tagger:
        """Learn each word from its labelled instances; unlabelled ones are passed over."""
        by_word: defaultdict[str, list[SenseInstance]] = defaultdict(list)
        for instance in instances:
            if instance.senses:
                by_word[instance.lexelt].append(instance)
        learned = {}
        for number, (word, examples) in enumerate(by_word.items()):
            if progress:
                progress(number, len(by_word), word)
            learned[word] = learn_word(examples, self.recipe, seed=self.seed)
        self.words_ = learned
        return self

    def chances(self, instances: Sequence[SenseInstance]) -> list[Mapping[str, float]]:
        """The chance of each sense of each instance; nothing where the word or the answer is not known."""
        found: list[Mapping[str, float]] = [{} for _ in instances]
        by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, instance in enumerate(instances):
            by_word[instance.lexelt].append(number)
        for word, numbers in by_word.items():
            if word in self.words_:
                model = self.words_[word]
                rows = model.chances([instances[number] for number in numbers])
                for number, row in zip(numbers, rows, strict=True):
                    found[number] = _named(model.senses, row)
        return found

    def predict(
        self, instances: Sequence[SenseInstance], *, threshold: float = 0.0, weighted: bool = False
    ) -> list[SenseAnswer]:
        """Answer instances in the order given, leaving out those whose best sense has too small a chance.

        An answer is the best sense, or `weighted` all senses with a chance worth naming: more to look at, but
        less credit, as the scorer gives an answer what lies on right senses.
        """
        answers = []
        for instance, senses in zip(instances, self.chances(instances), strict=True):
            if senses and max(senses.values()) >= threshold:
                answers.append(SenseAnswer(instance.id, instance.lexelt, _answer(senses, weighted)))
        return answers

    def save(self, folder: Path | str) -> None:
        """Write the tagger to a folder, for `load_tagger`."""
        from postil.senses.artefact import save

        save(self, Path(folder))


def train_tagger(
    instances: Sequence[SenseInstance],
    system: str = "postil",
    *,
    untagged: Sequence[SenseInstance] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> Tagger:
    """Learn from labelled instances and, where given, from untagged ones by self-training.

    Self-training answers the untagged examples, takes those it is sure of for labelled, and learns again.
    """
    labelled = [instance for instance in instances if instance.senses]
    if not labelled:
        raise PostilError("no instance has a sense to learn from.", hint="Is this the training file?")
    tagger = Tagger(system, seed=seed).fit(labelled, progress=progress)
    for _ in range(ROUNDS if untagged else 0):
        believed = [
            replace(instance, senses=(max(senses, key=senses.__getitem__),))
            for instance, senses in zip(untagged, tagger.chances(untagged), strict=True)
            if senses and max(senses.values()) >= SURE
        ]
        if not believed:
            break
        tagger = Tagger(system, seed=seed).fit([*labelled, *believed], progress=progress)
    return tagger


def load_tagger(folder: Path | str) -> Tagger:
    """Read a tagger that was saved."""
    from postil.senses.artefact import load

    return load(Path(folder))


def _named(senses: Sequence[str], row: Floats) -> Mapping[str, float]:
    return dict(zip(senses, row.tolist(), strict=True)) if row.any() else {}


def _answer(senses: Mapping[str, float], weighted: bool) -> tuple[tuple[str, float | None], ...]:
    best = max(senses, key=senses.__getitem__)
    if not weighted:
        return ((best, None),)
    named = {sense: chance for sense, chance in senses.items() if chance >= _LEAST or sense == best}
    total = float(np.sum(list(named.values())))
    ranked = sorted(named.items(), key=lambda item: -item[1])
    return tuple((sense, round(chance / total, 4)) for sense, chance in ranked)
