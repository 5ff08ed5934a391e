"""Which words are predicates, and in which sense: a choice among a word's PropBank rolesets, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from postil.language.role_features import (
    CONTEXT_ATOMS,
    TOKEN_ATOMS,
    Tree,
    code,
    context_atoms,
    hashed,
    token_atoms,
)
from postil.language.role_rules import is_event_noun, is_passive_adjective
from postil.language.words.forms import Lemmatiser
from postil.language.words.verbs import verbs

Floats = npt.NDArray[np.float32]

KINDS = {"VERB": "v", "AUX": "v", "NOUN": "n", "ADJ": "j"}
NONE = ""
_VERBAL = (("ing", "VBG"), ("ed", "VBN"), ("en", "VBN"), ("t", "VBN"), ("n", "VBN"))

OPTION_ATOMS = ("id", "rank", "nearby", "next", "previous", "derived")
_COLUMNS = {name: place for place, name in enumerate((*TOKEN_ATOMS, *CONTEXT_ATOMS, *OPTION_ATOMS))}
_TEMPLATES = """
id / id rel / id tag / id p_frame / id p_prepositions / id p_particle / id p_object / id p_subject
id head_lemma / id p_voice / id kids / id next / id previous / id p_shape / id p_shape rel / id case
id mark / id p_aux / id form / id p_object p_prepositions / id next p_shape / id nearby / rank / rank rel
rank tag / rank lemma / rank lemma rel / rank p_frame / rank p_voice rel / rank tag rel head_pos
rank form pos / rank kids / rank next / rank previous / rank head_lemma / rank case rel / rank p_aux rel
rank p_prepositions pos / rank pos first / derived / derived form / derived rel / derived p_frame
derived p_prepositions / derived tag head_pos
"""
# Templates that know the very word: hidden now and then in training, so that the others learn too.
LEXICAL = frozenset(("id", "lemma"))
TEMPLATES = tuple(
    tuple(_COLUMNS[name] for name in template.split())
    for line in _TEMPLATES.strip().splitlines()
    for template in line.split(" / ")
)
LEXICAL_TEMPLATES = tuple(any(_COLUMNS[name] in template for name in LEXICAL) for template in TEMPLATES)


@dataclass(frozen=True, slots=True)
class RolesetModel:
    """Weights of hashed features of (word in context, roleset); rolesets that only the training text has."""

    weights: Floats
    bits: int
    extra: Mapping[str, Sequence[str]]
    bias: float = 0.0

    def options(self, lemma: str, kind: str, particle: str) -> tuple[str, ...]:
        """The rolesets that a word may stand for; empty where it cannot be a predicate."""
        return _options(lemma, kind, particle, tuple(self.extra.get(f"{lemma}|{kind}", ())))

    def choose(self, trees: Sequence[Tree]) -> list[list[tuple[int, str]]]:
        """The predicates of each tree as (word, roleset)."""
        found: list[list[tuple[int, str]]] = [[] for _ in trees]
        places, names, atoms = option_rows(self, trees)
        if not places:
            return found
        scores = self.score(atoms)
        row = 0
        for (number, node), options in zip(places, names, strict=True):
            block = scores[row : row + len(options)].copy()
            row += len(options)
            tree = trees[number]
            sure = is_passive_adjective(tree, node) or (
                is_event_noun(tree, node) and _derived(tree.lemma(node), options[1]).startswith("made")
            )
            block[0] -= np.inf if sure else self.bias
            best = int(block.argmax())
            if best:
                found[number].append((node, options[best]))
        return found

    def score(self, atoms: npt.NDArray[np.uint64]) -> Floats:
        """The score of each row."""
        buckets = hashed(atoms, TEMPLATES, self.bits)
        total: Floats = self.weights[buckets].sum(axis=1)
        return total


def option_rows(
    model: RolesetModel, trees: Sequence[Tree]
) -> tuple[list[tuple[int, int]], list[tuple[str, ...]], npt.NDArray[np.uint64]]:
    """The words to decide on as (tree, word), the options of each (none first), a row of atoms an option."""
    places: list[tuple[int, int]] = []
    names: list[tuple[str, ...]] = []
    rows: list[list[int]] = []
    for number, tree in enumerate(trees):
        for node, token in enumerate(tree.tokens):
            kind = KINDS.get(token.pos)
            if kind is None:
                continue
            lemma = token.lemma.lower()
            options = model.options(lemma, kind, tree.lemma(tree.kid(node, "compound:prt")))
            if not options:
                continue
            places.append((number, node))
            names.append((NONE, *options))
            shared = token_atoms(tree, node) + context_atoms(tree, node)
            nearby = [
                code(tree.lemma(node + 1) if node + 1 < len(tree.tokens) else ""),
                code(tree.lemma(node - 1) if node else ""),
            ]
            around = code(tree.lemma(node + 2) if node + 2 < len(tree.tokens) else "")
            relatedness = f"{kind} {_derived(lemma, options[0])}"
            for rank, option in enumerate(names[-1]):
                rows.append([
                    *shared,
                    code(option or f"none {lemma}"),
                    code(f"{kind} {min(rank, 5)} {option.endswith('.LV')}"),
                    around,
                    *nearby,
                    code(f"{bool(option)} {relatedness}"),
                ])  # fmt: skip
    width = len(_COLUMNS)
    return places, names, np.array(rows, dtype=np.uint64).reshape(-1, width)


@lru_cache(maxsize=1 << 15)
def _derived(lemma: str, roleset: str) -> str:
    """How a word relates to the verb of its first roleset: itself, made from it ("absorption"), none."""
    known = verbs().roleset(roleset)
    if known is None or not known.words("v"):
        return "none"
    return f"made {lemma[-4:]}" if lemma not in known.words("v") else "itself"


@lru_cache(maxsize=1 << 15)
def _options(lemma: str, kind: str, particle: str, extra: tuple[str, ...]) -> tuple[str, ...]:
    known = [roleset.id for roleset in verbs().rolesets(lemma, kind)]
    if particle:
        # "look up" is a predicate of its own, and comes before the senses of "look".
        known = [roleset.id for roleset in verbs().rolesets(f"{lemma}_{particle}", "v")] + known
    if not known and not extra:
        # "an evaporating dish", "the broken wire", "the melting of ice": the verb inside the word.
        known = [roleset.id for verb in verb_inside(lemma, kind) for roleset in verbs().rolesets(verb, "v")]
    if not known and not extra and kind == "v" and lemma.isalpha():
        known = [f"{lemma}.01"]
    return tuple(dict.fromkeys((*known, *extra)))


def verb_inside(word: str, kind: str) -> tuple[str, ...]:
    """The verb that a participle used as a noun or an adjective belongs to, where its form tells."""
    if kind == "v":
        return ()
    for ending, tag in _VERBAL:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            verb = _lemmatiser()(word, tag)
            if verb != word:
                return (verb,)
    return ()


def _lemmatiser() -> Lemmatiser:
    from postil.language.pipeline import load_pipeline

    return load_pipeline().lemmatiser


def inventory(roleset: str) -> tuple[str, ...]:
    """What each argument of a roleset is (pag, ppt, gol, …), from ARG0 to ARG5; "" where it has none."""
    return _inventory(roleset)


@lru_cache(maxsize=1 << 14)
def _inventory(roleset: str) -> tuple[str, ...]:
    known = verbs().roleset(roleset)
    functions = {role.number: role.function or "?" for role in known.roles} if known else {}
    return tuple(functions.get(f"ARG{number}", "") for number in range(6))


@lru_cache(maxsize=1 << 14)
def verb_class(roleset: str) -> tuple[str, bool]:
    """The first VerbNet class, and whether the verb can lose its doer: the sun melts ice, the ice melts."""
    known = verbs().roleset(roleset)
    if known is None:
        return "", False
    classes = (*known.classes, *verbs().classes(known.lemma))
    changes = any(
        "_cos-45" in name or name.startswith(("break-45", "bend-45", "cooking-45", "roll-51.3.1"))
        for name in classes
    )
    return (verbs().main_class(classes[0]) if classes else ""), changes


@lru_cache(maxsize=1 << 14)
def verb_of(roleset: str, lemma: str) -> str:
    """The verb that a roleset is about: "evaporate" for evaporate.01 whatever the word; else the lemma."""
    known = verbs().roleset(roleset)
    if known is None:
        stem = roleset.rsplit(".", 1)[0]
        return stem or lemma
    named = known.words("v")
    if known.lemma in named or not named:
        return known.lemma
    return named[0]
