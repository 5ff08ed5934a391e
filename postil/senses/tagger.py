"""Taggers: learn the senses of words from labelled instances, and answer new ones.

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

from postil.data.arrays import Floats
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


# A tagger as it is kept: `tagger.json` says what it is, `tagger.npz` holds its numbers.

FORMAT = 1
ABOUT, NUMBERS = "tagger.json", "tagger.npz"
_KINDS: Mapping[str, Any] = {"linear": Linear, "decision-list": DecisionList, "trees": Trees}

Arrays = dict[str, NDArray[Any]]


class _EditedError(Exception):
    """The two files do not fit together, or name what there is not; says what of the model that is."""


def save(tagger: Tagger, folder: Path) -> None:
    """Write a tagger to a folder, which is made if it is not there."""
    arrays: Arrays = {}
    words = [
        _word_out(arrays, number, word, model) for number, (word, model) in enumerate(tagger.words_.items())
    ]
    held = io.BytesIO()
    np.savez_compressed(held, allow_pickle=False, **arrays)
    about = {
        "format": FORMAT,
        "system": tagger.system,
        "seed": tagger.seed,
        "recipe": asdict(tagger.recipe),
        # Two files are not replaced at once: this tells whether they belong together.
        "numbers": hashlib.sha256(held.getvalue()).hexdigest(),
        "words": words,
    }
    with atomic_writer(folder / NUMBERS) as file:
        file.write(held.getvalue())
    write_text(folder / ABOUT, json.dumps(about, ensure_ascii=False, indent=1) + "\n")


def _word_out(arrays: Arrays, number: int, word: str, model: WordModel) -> dict[str, Any]:
    described: dict[str, Any] = {"lexelt": word, "senses": model.senses, "members": []}
    if model.table is not None:
        described["features"] = {group: list(columns) for group, columns in model.table.columns.items()}
        arrays[f"{number}.table"] = model.table.weights
        if model.table.centre is not None:
            arrays[f"{number}.centre"] = model.table.centre
    if model.weights is not None:
        arrays[f"{number}.weights"] = model.weights
    for place, scorer in enumerate(model.members):
        described["members"].append(next(name for name, kind in _KINDS.items() if isinstance(scorer, kind)))
        for field in fields(scorer):  # type: ignore[arg-type]
            arrays[f"{number}.{place}.{field.name}"] = getattr(scorer, field.name)
    return described


def load(folder: Path) -> Tagger:
    """Read a tagger from its folder."""

    path = folder / ABOUT
    try:
        about = json.loads(read_text(path))
        if about["format"] != FORMAT:
            raise InputError(path, "was made by another version of Postil.", hint="Train the model anew.")
        numbers = read_bytes(folder / NUMBERS)
        if hashlib.sha256(numbers).hexdigest() != about["numbers"]:
            raise InputError(folder / NUMBERS, f"does not belong to {ABOUT}.", hint="Train the model anew.")
        with np.load(io.BytesIO(numbers), allow_pickle=False) as arrays:
            recipe = _recipe_in(about["recipe"])
            tagger = Tagger(about["system"], seed=about["seed"], recipe=recipe)
            tagger.words_ = {
                word["lexelt"]: _word_in(arrays, number, word, recipe)
                for number, word in enumerate(about["words"])
            }
            numbered = {int(name.partition(".")[0]) for name in arrays}
            _agree(numbered <= set(range(len(tagger.words_))), "words")
    except _EditedError as error:
        raise InputError(
            path, f"its {error} are unknown or do not fit {NUMBERS}.", hint="Train the model anew."
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(path, "is not a sense model.", hint="Make one with: postil senses train") from error
    return tagger


def _recipe_in(given: Mapping[str, Any]) -> Recipe:
    members = tuple(Member(member["learner"], tuple(member["groups"])) for member in given["members"])
    recipe = Recipe(members, given["combination"])
    _agree({member.learner for member in members} <= set(LEARNERS), "learners")
    _agree(set(recipe.groups) <= {*GROUPS, VECTORS}, "groups of features")
    _agree(recipe.combination in get_args(Combination), "ways to combine members")
    _agree(recipe.combination in ("pool", "vote") or len(members) <= 1, "ways to combine members")
    return recipe


def _word_in(
    arrays: Mapping[str, NDArray[Any]], number: int, given: Mapping[str, Any], recipe: Recipe
) -> WordModel:
    senses = tuple(given["senses"])
    if "features" not in given:
        _agree(len(senses) == 1 and f"{number}.table" not in arrays, "senses or features")
        return WordModel(senses, recipe)
    columns = {
        group: {name: place for place, name in enumerate(names)} for group, names in given["features"].items()
    }
    table = Table(columns, arrays[f"{number}.table"], arrays.get(f"{number}.centre"))
    _agree({*table.spans()} == {*recipe.groups}, "groups of features")
    _agree(sum(map(len, columns.values())) == len(table.weights), "features")
    _agree(len(given["members"]) == len(recipe.members), "members")
    members: list[Scorer] = []
    for place, (name, member) in enumerate(zip(given["members"], recipe.members, strict=True)):
        kind = _KINDS[name]
        members.append(
            kind(**{field.name: arrays[f"{number}.{place}.{field.name}"] for field in fields(kind)})
        )
        width = len(table.places(member.groups))
        _agree(_fits(members[-1], width, len(set(senses))), "senses or features")
    weights = arrays.get(f"{number}.weights")
    _agree((weights is None) == (recipe.combination != "pool"), "ways to combine members")
    _agree(weights is None or weights.shape == (len(members),), "members")
    return WordModel(senses, recipe, table, tuple(members), weights)


def _fits(scorer: Scorer, width: int, senses: int) -> bool:
    """Whether a scorer was learned for so many features and senses."""
    if isinstance(scorer, Trees):
        return scorer.senses.shape[1] == senses and int(scorer.feature.max()) < width
    return isinstance(scorer, Linear | DecisionList) and scorer.weights.shape == (width, senses)


def _agree(so: bool, what: str) -> None:
    if not so:
        raise _EditedError(what)
