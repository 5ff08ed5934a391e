"""Who does what to whom: predicates with PropBank rolesets and arguments, read off the dependency tree.

Three small learned steps: a word is a predicate in some sense or none (`predicates.py`); a word near it heads
an argument with some role or none (a network over hashed features); the argument spans the subtree of its
head, less the branches that a third model leaves out (`SpanModel`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

import numpy as np
from scipy.special import log_softmax

from postil.data.arrays import Singles
from postil.language.document import Argument, Document, Predicate
from postil.language.predicates import (
    RolesetModel,
    antecedent,
    inventory,
    verb_class,
    verb_of,
    with_doer,
    with_object,
    with_undergoer,
)
from postil.language.role_features import (
    CONTEXT_ATOMS,
    PAIR_ATOMS,
    TOKEN_ATOMS,
    Candidate,
    Choice,
    Codes,
    SpanModel,
    Tree,
    candidates,
    code,
    context_atoms,
    hashed,
    pair_atoms,
    parse_templates,
    token_atoms,
    voice,
)

NO_ROLE = "-"
_BATCH = 256  # documents
_TOGETHER = 128  # predicates
_MOST_CANDIDATES = 100  # for one predicate; no sentence that anybody wrote has as many

ROLESET_ATOMS = ("roleset", "inventory", "f0", "f1", "f2", "f34", "verb", "class", "changes")
COLUMNS = (
    *(f"c.{name}" for name in TOKEN_ATOMS),
    *(f"p.{name}" for name in TOKEN_ATOMS),
    *CONTEXT_ATOMS,
    *ROLESET_ATOMS,
    *PAIR_ATOMS,
)
TEMPLATES = parse_templates(
    """
path / path p_voice / path p.lemma / path roleset / path p.pos / path inventory / path p_voice roleset
path p.tag / path p_voice f0 f1 / path p_shape / path p_frame / path p_frame p_voice roleset / path c.case
path c.mark / path c.pos / path c.case roleset / path c.lemma / path c.case p.pos / path p_voice p_shape
path p_voice taken / path side p.tag / path c.mark verbs / path p_prepositions roleset / path f2 c.case
path inventory c.case p_voice / shape / shape side gap / shape c.rel side / shape c.tag side p.tag
c.rel roleset side / c.rel p_voice inventory side / c.lemma / c.lemma c.case / c.lemma c.rel
c.lemma roleset / c.lemma p.lemma shape / c.tag c.rel / c.form c.pos / c.case roleset / c.case c.lemma
c.case c.pos f2 f34 / c.mark c.rel p.lemma / c.kids c.rel shape / c.kids path / c.head_lemma c.rel shape
c.first c.rel / c.last c.rel / c.wh path / c.wh c.rel / c.first c.last c.rel / p.rel path
p.rel p.head_lemma path / p.rel p.head_pos shape c.rel / p.lemma p.pos c.rel side / p_aux path
p_particle path / p_object c.rel roleset / p_subject c.rel roleset / p_frame c.rel gap
p_frame c.rel rank side / before c.rel after side / before c.rel path / after path / gap path / rank path
verbs path / turn path / taken path p.rel / turn c.rel p.rel / roleset / inventory / p.lemma p.tag
verb path p_voice / verb c.case c.rel / path p_shape class / path p_shape changes p_voice
class c.case c.rel / path p_shape changes f0 f1 / path p.pos changes c.case
path c.thing / c.case c.thing / c.rel c.thing roleset / path c.thing class / c.case c.finer p.pos
path c.finer / c.thing inventory c.rel p_voice
""",
    COLUMNS,
)
# Templates that see the predicate itself: hidden now and then in training, so that the others learn as well.
LEXICAL_TEMPLATES = tuple(
    any(COLUMNS[column] in ("roleset", "verb", "p.lemma") for column in template) for template in TEMPLATES
)


@dataclass(frozen=True, slots=True)
class RoleNetwork:
    """Sums of hashed features' vectors, a rectifier, a layer of roles."""

    vectors: Singles
    hidden_bias: Singles
    output: Singles
    output_bias: Singles
    labels: tuple[str, ...]
    bits: int
    reluctance: float = 0.0

    def scores(self, atoms: Codes) -> Singles:
        """The logarithm of each role's probability for each candidate: candidates × labels."""
        buckets = hashed(atoms, TEMPLATES, self.bits)
        hidden = np.tile(self.hidden_bias, (len(atoms), 1))
        for column in range(buckets.shape[1]):
            hidden += self.vectors[buckets[:, column]]
        np.maximum(hidden, 0, out=hidden)
        scores: Singles = log_softmax(hidden @ self.output + self.output_bias, axis=1)
        # A missed argument costs as much as a wrong one, but most candidates have no role.
        scores[:, 0] += self.reluctance
        return scores


def role_rows(
    trees: Sequence[Tree], chosen: Sequence[Sequence[tuple[int, str]]]
) -> tuple[list[tuple[int, int, list[Candidate]]], Codes]:
    """The candidates of each predicate as (tree, predicate, candidates), and their rows of atoms."""
    groups: list[tuple[int, int, list[Candidate]]] = []
    words: list[list[int]] = []
    word_rows: dict[tuple[int, int], int] = {}
    predicates: list[list[int]] = []
    pairs: list[list[int]] = []
    picks: list[tuple[int, int, int]] = []

    def word_row(number: int, node: int) -> int:
        row = word_rows.setdefault((number, node), len(words))
        if row == len(words):
            words.append(token_atoms(trees[number], node))
        return row

    for number, tree in enumerate(trees):
        for node, roleset in chosen[number]:
            nearby = list(islice(candidates(tree, node), _MOST_CANDIDATES))
            if not nearby:
                continue
            groups.append((number, node, nearby))
            predicates.append(context_atoms(tree, node) + roleset_atoms(roleset, tree.lemma(node)))
            own = word_row(number, node)
            for candidate in nearby:
                picks.append((word_row(number, candidate.node), own, len(predicates) - 1))
                pairs.append(pair_atoms(tree, node, candidate))
    if not picks:
        return groups, np.zeros((0, len(COLUMNS)), dtype=np.uint64)
    tables = [np.array(rows, dtype=np.uint64) for rows in (words, predicates, pairs)]
    candidate, own_word, predicate = np.array(picks).T
    return groups, np.hstack([tables[0][candidate], tables[0][own_word], tables[1][predicate], tables[2]])


def roleset_atoms(roleset: str, lemma: str) -> list[int]:
    """What is known of a roleset, in the order of ROLESET_ATOMS."""
    functions = inventory(roleset)
    name, changes = verb_class(roleset)
    roles = (" ".join(functions), *functions[:3], " ".join(functions[3:]))
    return [*map(code, (roleset, *roles, verb_of(roleset, lemma), name)), int(changes)]


def decode(nearby: Sequence[Candidate], scores: Singles, labels: Sequence[str]) -> list[Choice]:
    """Give each candidate its best role, numbered roles once each; the surest choose first."""
    taken: set[str] = set()
    chosen: list[Choice] = []
    best = np.argsort(-scores, axis=1, kind="stable")[:, :4].tolist()
    for row in np.argsort(-scores[:, 1:].max(axis=1), kind="stable").tolist():
        for label in best[row]:
            role = labels[label]
            if role == NO_ROLE:
                break
            if role in taken and role.startswith("ARG") and role[3:4].isdecimal():
                continue
            taken.add(role)
            chosen.append(Choice(nearby[row], role, float(scores[row, label])))
            break
    chosen += antecedent(nearby, chosen)
    # A continuation points at an argument; without one it says nothing.
    continued = {"C-V", *(f"C-{role}" for role in taken)}
    return [choice for choice in chosen if choice.role[:2] != "C-" or choice.role in continued]


@dataclass(frozen=True, slots=True)
class RoleModel:
    """The three steps together."""

    rolesets: RolesetModel
    network: RoleNetwork
    spans: SpanModel

    def __call__(
        self, trees: Sequence[Tree], chosen: Sequence[Sequence[tuple[int, str]]] | None = None
    ) -> list[tuple[Predicate, ...]]:
        """The predicates of each tree; with `chosen`, of those words and in those senses."""
        if chosen is None:
            chosen = self.rolesets.choose(trees)
        arguments: dict[tuple[int, int], list[Choice]] = {}
        for part in _parts(chosen):
            arguments |= self._arguments(trees, part)
        spans = self.spans(trees, arguments)
        return [
            tuple(
                _predicate(tree, node, roleset, spans.get((number, node), ()))
                for node, roleset in chosen[number]
            )
            for number, tree in enumerate(trees)
        ]

    def _arguments(
        self, trees: Sequence[Tree], chosen: Sequence[Sequence[tuple[int, str]]]
    ) -> dict[tuple[int, int], list[Choice]]:
        """The arguments of each predicate by the numbers of its tree and word."""
        groups, atoms = role_rows(trees, chosen)
        if not groups:
            return {}
        scores = self.network.scores(atoms)
        arguments: dict[tuple[int, int], list[Choice]] = {}
        row = 0
        for number, node, nearby in groups:
            block = scores[row : row + len(nearby)]
            row += len(nearby)
            tree, choices = trees[number], decode(nearby, block, self.network.labels)
            roleset = dict(chosen[number])[node]
            functions, changes = inventory(roleset), verb_class(roleset)[1]
            choices = with_undergoer(tree, node, functions, choices, changes=changes)
            choices = with_object(tree, node, functions, nearby, choices)
            arguments[number, node] = with_doer(tree, node, functions, nearby, choices)
        return arguments


def _parts(chosen: Sequence[Sequence[tuple[int, str]]]) -> Iterator[list[list[tuple[int, str]]]]:
    """The chosen predicates of the trees, so many at a time: all of a hostile text take gigabytes."""
    numbered = [(number, predicate) for number, own in enumerate(chosen) for predicate in own]
    for start in range(0, len(numbered), _TOGETHER):
        part: list[list[tuple[int, str]]] = [[] for _ in chosen]
        for number, predicate in numbered[start : start + _TOGETHER]:
            part[number].append(predicate)
        yield part


def _predicate(tree: Tree, node: int, roleset: str, arguments: Sequence[Argument]) -> Predicate:
    lemma = tree.lemma(node)
    ordered = tuple(sorted(arguments, key=lambda argument: argument.start))
    return Predicate(node, lemma, roleset, ordered, verb_of(roleset, lemma), voice(tree, node))


def load_model(folder: Any) -> RoleModel:
    """Load a role model from a folder."""
    facts = json.loads(folder.joinpath("roles.json").read_text(encoding="utf-8"))
    with folder.joinpath("roles.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    output = arrays["output"], arrays["output_bias"]
    labels, bits, reluctance = tuple(facts["labels"]), int(facts["network_bits"]), float(facts["reluctance"])
    network = RoleNetwork(
        arrays["vectors"] * arrays["scales"], arrays["hidden_bias"], *output, labels, bits, reluctance
    )
    roleset_weights = arrays["rolesets"] * np.float32(facts["roleset_scale"])
    bits, bias = int(facts["roleset_bits"]), float(facts["roleset_bias"])
    rolesets = RolesetModel(roleset_weights, bits, facts["extra"], bias)
    spans = SpanModel(arrays["spans"] * np.float32(facts["span_scale"]), int(facts["span_bits"]))
    return RoleModel(rolesets, network, spans)


@cache
def role_model() -> RoleModel:
    """The model that ships, loaded once."""
    return load_model(files("postil.resources").joinpath("roles"))


def find_predicates(documents: Iterable[Document]) -> list[tuple[Predicate, ...]]:
    """The predicates of each document, many documents at once: several times faster than one by one."""
    model = role_model()
    waiting = iter(documents)
    results: list[tuple[Predicate, ...]] = []
    while batch := list(islice(waiting, _BATCH)):
        batch_results = model([Tree(document.tokens) for document in batch])
        for document, predicates in zip(batch, batch_results, strict=True):
            # What was found in bulk need not be found again by `document.predicates`.
            object.__setattr__(document, "_predicates", predicates)
        results += batch_results
    return results
