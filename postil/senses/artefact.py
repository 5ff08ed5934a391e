"""A tagger as it is kept: `tagger.json` says what it is, `tagger.npz` holds its numbers."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from postil.data.files import atomic_writer, read_bytes, read_text, write_text
from postil.errors import InputError
from postil.senses.decision_list import DecisionList
from postil.senses.features import GROUPS
from postil.senses.learners import Linear
from postil.senses.systems import LEARNERS, Combination, Member, Recipe, Scorer
from postil.senses.table import VECTORS, Table
from postil.senses.trees import Trees
from postil.senses.word import WordModel

if TYPE_CHECKING:
    from postil.senses.tagger import Tagger

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
    from postil.senses.tagger import Tagger

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
