"""Taggers: learn the senses of words from labelled instances, and answer new ones.

A saved tagger is a folder: `tagger.json` describes it, `tagger.npz` holds its numbers.

>>> from postil.data.formats.senseval import read_senseval
>>> tagger = train_tagger(read_senseval("train.xml"))      # doctest: +SKIP
>>> answers = tagger.predict(read_senseval("test.xml"))    # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from postil.data.files import atomic_writer, read_bytes, read_text, write_text
from postil.data.formats.sensekeys import SenseAnswer
from postil.data.formats.senseval import SenseInstance
from postil.errors import InputError, PostilError
from postil.senses.features import GROUPS, VECTORS, Table
from postil.senses.learners import DecisionList, Linear, Trees
from postil.senses.systems import (
    LEARNERS,
    Combination,
    Member,
    Recipe,
    Scorer,
    WordModel,
    find_recipe,
    learn_word,
)

Progress = Callable[[int, int, str], None]
Arrays = dict[str, NDArray[Any]]

FORMAT = 1
ABOUT, NUMBERS = "tagger.json", "tagger.npz"
_KINDS: Mapping[str, Any] = {"linear": Linear, "decision-list": DecisionList, "trees": Trees}
_AGAIN = "Train the model again."

SURE = 0.9  # the least chance with which self-training takes an untagged example for labelled
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
        self.words_: dict[str, WordModel] = {}

    def fit(self, instances: Iterable[SenseInstance], *, progress: Progress | None = None) -> Tagger:
        """Learn each word from its labelled instances; unlabelled ones are ignored."""
        by_word: defaultdict[str, list[SenseInstance]] = defaultdict(list)
        for instance in instances:
            if instance.senses:
                by_word[instance.lexelt].append(instance)
        self.words_ = {}
        for number, (word, examples) in enumerate(by_word.items()):
            if progress:
                progress(number, len(by_word), word)
            self.words_[word] = learn_word(examples, self.recipe, seed=self.seed)
        return self

    def chances(self, instances: Sequence[SenseInstance]) -> list[Mapping[str, float]]:
        """The chances of each instance's senses; empty if the word or the answer is unknown."""
        chances: list[Mapping[str, float]] = [{} for _ in instances]
        by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, instance in enumerate(instances):
            if instance.lexelt in self.words_:
                by_word[instance.lexelt].append(number)
        for word, numbers in by_word.items():
            model = self.words_[word]
            rows = model.chances([instances[number] for number in numbers])
            for number, row in zip(numbers, rows, strict=True):
                if row.any():
                    chances[number] = dict(zip(model.senses, row.tolist(), strict=True))
        return chances

    def predict(
        self, instances: Sequence[SenseInstance], *, threshold: float = 0.0, weighted: bool = False
    ) -> list[SenseAnswer]:
        """Answer instances in the order given, leaving out those whose best sense has too small a chance.

        An answer is the best sense or, if `weighted`, all senses with a fair chance: that tells more but
        earns less, as the scorer credits only the weight of the right senses.
        """
        answers = []
        for instance, senses in zip(instances, self.chances(instances), strict=True):
            if senses and max(senses.values()) >= threshold:
                answers.append(SenseAnswer(instance.id, instance.lexelt, _answer(senses, weighted)))
        return answers

    def save(self, folder: Path | str) -> None:
        """Write the tagger to a folder, which is made if necessary, for `load_tagger`."""
        folder = Path(folder)
        arrays: Arrays = {}
        words = [_describe(arrays, number, *word) for number, word in enumerate(self.words_.items())]
        packed = io.BytesIO()
        np.savez_compressed(packed, allow_pickle=False, **arrays)
        # Two files are not replaced at once: this tells whether they belong together.
        digest = hashlib.sha256(packed.getvalue()).hexdigest()
        about = {"format": FORMAT, "system": self.system, "seed": self.seed}
        about |= {"recipe": asdict(self.recipe), "numbers": digest, "words": words}
        with atomic_writer(folder / NUMBERS) as file:
            file.write(packed.getvalue())
        write_text(folder / ABOUT, json.dumps(about, ensure_ascii=False, indent=1) + "\n")


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


def _answer(senses: Mapping[str, float], weighted: bool) -> tuple[tuple[str, float | None], ...]:
    best = max(senses, key=senses.__getitem__)
    if not weighted:
        return ((best, None),)
    named = {sense: chance for sense, chance in senses.items() if chance >= _LEAST or sense == best}
    total = float(np.sum(list(named.values())))
    ranked = sorted(named.items(), key=lambda item: -item[1])
    return tuple((sense, round(chance / total, 4)) for sense, chance in ranked)


class _EditedError(Exception):
    """The two files of a tagger do not fit together; the message names the part of the model."""


def _describe(arrays: Arrays, number: int, word: str, model: WordModel) -> dict[str, Any]:
    """A word's entry in `tagger.json`; its numbers are added to the arrays."""
    entry: dict[str, Any] = {"lexelt": word, "senses": model.senses, "members": []}
    if model.table is not None:
        entry["features"] = {group: list(columns) for group, columns in model.table.columns.items()}
        arrays[f"{number}.table"] = model.table.weights
        if model.table.centre is not None:
            arrays[f"{number}.centre"] = model.table.centre
    if model.weights is not None:
        arrays[f"{number}.weights"] = model.weights
    for position, scorer in enumerate(model.members):
        entry["members"].append(next(name for name, kind in _KINDS.items() if isinstance(scorer, kind)))
        for field in fields(scorer):  # type: ignore[arg-type]
            arrays[f"{number}.{position}.{field.name}"] = getattr(scorer, field.name)
    return entry


def load_tagger(folder: Path | str) -> Tagger:
    """Read a tagger that was saved."""
    path, numbers_path = Path(folder) / ABOUT, Path(folder) / NUMBERS
    try:
        about = json.loads(read_text(path))
        if about["format"] != FORMAT:
            raise InputError(path, "was made by another version of Postil.", hint=_AGAIN)
        numbers = read_bytes(numbers_path)
        if hashlib.sha256(numbers).hexdigest() != about["numbers"]:
            raise InputError(numbers_path, f"does not belong to {ABOUT}.", hint=_AGAIN)
        with np.load(io.BytesIO(numbers), allow_pickle=False) as arrays:
            recipe = _read_recipe(about["recipe"])
            tagger = Tagger(about["system"], seed=about["seed"], recipe=recipe)
            tagger.words_ = {
                word["lexelt"]: _read_word(arrays, number, word, recipe)
                for number, word in enumerate(about["words"])
            }
            numbered = {int(name.partition(".")[0]) for name in arrays}
            _check(numbered <= set(range(len(tagger.words_))), "words")
    except _EditedError as error:
        raise InputError(path, f"its {error} are unknown or do not fit {NUMBERS}.", hint=_AGAIN) from error
    except (ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(path, "is not a sense model.", hint="Make one with: postil senses train") from error
    return tagger


def _read_recipe(entry: Mapping[str, Any]) -> Recipe:
    members = tuple(Member(member["learner"], tuple(member["groups"])) for member in entry["members"])
    recipe = Recipe(members, entry["combination"])
    _check({member.learner for member in members} <= set(LEARNERS), "learners")
    _check(set(recipe.groups) <= {*GROUPS, VECTORS}, "groups of features")
    _check(recipe.combination in get_args(Combination), "ways to combine members")
    _check(recipe.combination in ("pool", "vote") or len(members) <= 1, "ways to combine members")
    return recipe


def _read_word(
    arrays: Mapping[str, NDArray[Any]], number: int, entry: Mapping[str, Any], recipe: Recipe
) -> WordModel:
    senses = tuple(entry["senses"])
    if "features" not in entry:
        _check(len(senses) == 1 and f"{number}.table" not in arrays, "senses or features")
        return WordModel(senses, recipe)
    columns = {
        group: {name: column for column, name in enumerate(names)}
        for group, names in entry["features"].items()
    }
    table = Table(columns, arrays[f"{number}.table"], arrays.get(f"{number}.centre"))
    _check({*table.spans()} == {*recipe.groups}, "groups of features")
    _check(sum(map(len, columns.values())) == len(table.weights), "features")
    _check(len(entry["members"]) == len(recipe.members), "members")
    members: list[Scorer] = []
    for position, (name, member) in enumerate(zip(entry["members"], recipe.members, strict=True)):
        kind = _KINDS[name]
        values = {field.name: arrays[f"{number}.{position}.{field.name}"] for field in fields(kind)}
        members.append(kind(**values))
        width = len(table.columns_of(member.groups))
        _check(_fits(members[-1], width, len(set(senses))), "senses or features")
    weights = arrays.get(f"{number}.weights")
    _check((weights is None) == (recipe.combination != "pool"), "ways to combine members")
    _check(weights is None or weights.shape == (len(members),), "members")
    return WordModel(senses, recipe, table, tuple(members), weights)


def _fits(scorer: Scorer, width: int, senses: int) -> bool:
    """Whether a scorer has the right number of features and senses."""
    if isinstance(scorer, Trees):
        return scorer.senses.shape[1] == senses and int(scorer.feature.max()) < width
    return isinstance(scorer, Linear | DecisionList) and scorer.weights.shape == (width, senses)


def _check(holds: bool, part: str) -> None:
    if not holds:
        raise _EditedError(part)
