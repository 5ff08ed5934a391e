"""What the role model sees: a tree, candidate words around a predicate, and features hashed in bulk.

Strings become numbers once (`code`), and features are built from those numbers for thousands of candidates at
a time with numpy: Python touches each word and each candidate only once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from postil.data.arrays import Singles
from postil.language.document import Argument, Token
from postil.language.words.wordnet import wordnet

Codes = NDArray[np.uint64]
Templates = tuple[tuple[int, ...], ...]

# How far up the tree arguments are looked for: "she tried to begin to see" is three steps.
MAX_UP = 3
# Words with these relations head an argument only when they depend on the predicate itself.
_NEVER_FAR = {"punct", "det", "case", "fixed", "flat", "goeswith", "cop", "aux:pass", "compound:prt"}
_NEVER_BELOW = _NEVER_FAR | {"cc", "mark", "aux", "compound", "nummod", "amod", "expl", "discourse"}
_SUBJECTS = frozenset(("nsubj", "nsubj:pass", "csubj", "csubj:pass", "nsubj:outer"))


@lru_cache(maxsize=1 << 17)
def code(text: str) -> int:
    """A string's number, the same on every machine."""
    return crc32(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1 << 16)
def noun_kinds(lemma: str) -> tuple[int, int]:
    """What kind of thing a noun names, coarse and finer: the ancestors of its first sense in WordNet."""
    net = wordnet()
    senses = net.synsets(lemma, "n")
    if not senses:
        return 1, 1
    ancestors = [senses[0]]
    while parents := net.hypernyms(ancestors[0]):
        ancestors.insert(0, parents[0])
    coarse, finer = (net.name(ancestors[min(depth, len(ancestors) - 1)]) for depth in (3, 5))
    return code(coarse), code(finer)


class Tree:
    """The tokens of a document with their dependents and the extent of each subtree."""

    __slots__ = ("heads", "kids", "left", "right", "tokens")

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.heads = [token.head for token in tokens]
        self.kids: list[list[int]] = [[] for _ in tokens]
        for index, head in enumerate(self.heads):
            if head != index:
                self.kids[head].append(index)
        self.left = list(range(len(tokens)))
        self.right = list(range(len(tokens)))
        top_down = [index for index, head in enumerate(self.heads) if head == index]
        for node in top_down:
            top_down.extend(self.kids[node])
        for node in reversed(top_down):
            head = self.heads[node]
            self.left[head] = min(self.left[head], self.left[node])
            self.right[head] = max(self.right[head], self.right[node])

    def above(self, node: int, steps: int) -> list[int]:
        """The node and at most `steps` of its ancestors."""
        chain = [node]
        while len(chain) <= steps and self.heads[chain[-1]] != chain[-1]:
            chain.append(self.heads[chain[-1]])
        return chain

    def kid(self, node: int, *relations: str) -> int:
        """The first dependent with one of these relations, or -1."""
        return next((kid for kid in self.kids[node] if self.tokens[kid].relation in relations), -1)

    def lemma(self, node: int) -> str:
        """The lemma in lower case; "" for the node -1."""
        return self.tokens[node].lemma.lower() if node >= 0 else ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that may head an argument: how far up its path from the predicate goes, and where it turns."""

    node: int
    up: int
    turn: int
    path: str
    shape: str


def candidates(tree: Tree, predicate: int) -> Iterator[Candidate]:
    """The words that may head an argument: dependents and theirs, ancestors and their dependents."""
    tokens = tree.tokens
    if tokens[predicate].relation in ("aux", "aux:pass"):
        return  # "has" in "has seen" has no arguments of its own
    climbed = ""
    pos = tokens[predicate].pos
    chain = tree.above(predicate, MAX_UP if pos in ("VERB", "AUX") else MAX_UP - 1)
    for up, node in enumerate(chain):
        arrows = "^" * up
        if up:
            climbed += "^" + tokens[chain[up - 1]].relation
            yield Candidate(node, up, node, climbed, arrows)
        for kid in tree.kids[node]:
            relation = tokens[kid].relation
            if (up and kid == chain[up - 1]) or relation == "punct" or (up and relation in _NEVER_FAR):
                continue
            yield Candidate(kid, up, node, f"{climbed}v{relation}", arrows + "v")
            if up > (pos == "AUX"):
                continue
            for grandkid in tree.kids[kid]:
                below = tokens[grandkid].relation
                if below not in _NEVER_BELOW:
                    yield Candidate(grandkid, up, node, f"{climbed}v{relation}v{below}", arrows + "vv")


TOKEN_ATOMS = (
    "lemma", "pos", "tag", "rel", "form", "case", "mark", "head_lemma", "head_pos", "kids", "first", "last",
    "wh", "thing", "finer",
)  # fmt: skip


def token_atoms(tree: Tree, node: int) -> list[int]:
    """What is known of a word by itself, in the order of TOKEN_ATOMS."""
    token = tree.tokens[node]
    head, kids, lemma = token.head, tree.kids[node], token.lemma.lower()
    first, last = tree.left[node], tree.right[node]
    cases = [tree.lemma(kid) for kid in kids if tree.tokens[kid].relation == "case"]
    return [
        *map(code, (lemma, token.pos, token.tag, token.relation, token.text.lower()[-3:])),
        code(" ".join(cases)) if cases else 0,
        code(tree.lemma(tree.kid(node, "mark"))),
        code(tree.lemma(head)) if head != node else 1,
        code(tree.tokens[head].pos) if head != node else 1,
        code(" ".join([tree.tokens[kid].relation for kid in kids])),
        *map(code, (tree.lemma(first), tree.lemma(last))),
        code(tree.tokens[first].tag if tree.tokens[first].tag[:1] == "W" else ""),
        *(noun_kinds(lemma) if token.pos in ("NOUN", "PROPN") else (0, 0)),
    ]


def voice(tree: Tree, node: int) -> str:
    """How the predicate stands: active, passive, participle, gerund, infinitive, or no verb at all."""
    token = tree.tokens[node]
    if token.pos not in ("VERB", "AUX"):
        return "noun" if token.pos in ("NOUN", "PROPN") else "other"
    relations = {tree.tokens[kid].relation for kid in tree.kids[node]}
    if relations & {"aux:pass", "nsubj:pass", "csubj:pass"}:
        return "passive"
    auxiliaries = {tree.lemma(kid) for kid in tree.kids[node] if tree.tokens[kid].relation == "aux"}
    if token.tag == "VBN" and not auxiliaries & {"have", "'ve"}:
        return "participle"
    if token.tag == "VBG" and "be" not in auxiliaries:
        return "gerund"
    if token.tag == "VB" and "mark" in relations:
        return "infinitive"
    return "active"


CONTEXT_ATOMS = (
    "p_voice", "p_frame", "p_prepositions", "p_subject", "p_object", "p_aux", "p_particle", "p_shape",
)  # fmt: skip


def context_atoms(tree: Tree, node: int) -> list[int]:
    """What surrounds a possible predicate, in the order of CONTEXT_ATOMS."""
    tokens = tree.tokens
    frame, prepositions, auxiliaries = list[str](), list[str](), list[str]()
    for kid in tree.kids[node]:
        relation = tokens[kid].relation
        if relation in ("punct", "cc", "discourse"):
            continue
        if kid > node and "V" not in frame:
            frame.append("V")
        frame.append(relation)
        if relation[:3] in ("obl", "nmo"):
            prepositions.append(tree.lemma(tree.kid(kid, "case")))
        elif relation[:3] == "aux":
            auxiliaries.append(tree.lemma(kid))
    if "V" not in frame:
        frame.append("V")
    subject = next((kid for kid in tree.kids[node] if tokens[kid].relation in _SUBJECTS), -1)
    complement = tree.kid(node, "obj", "xcomp", "ccomp")
    return [
        *map(code, (voice(tree, node), " ".join(frame), " ".join(prepositions))),
        code(tree.lemma(subject)) if subject >= 0 else 0,
        code(tree.lemma(complement)) if complement >= 0 else 0,
        *map(code, (" ".join(auxiliaries), tree.lemma(tree.kid(node, "compound:prt")))),
        code(f"{subject >= 0} {tree.kid(node, 'obj') >= 0}"),
    ]


def distance(gap: int) -> str:
    """A distance in words, coarser as it grows; its sign says the side."""
    size = abs(gap)
    return ("-" if gap < 0 else "+") + str(size if size < 4 else 4 if size < 7 else 7 if size < 13 else 13)


PAIR_ATOMS = ("path", "shape", "side", "gap", "rank", "before", "after", "verbs", "turn", "taken")


def pair_atoms(tree: Tree, predicate: int, candidate: Candidate) -> list[int]:
    """How a candidate stands to its predicate, in the order of PAIR_ATOMS."""
    tokens = tree.tokens
    node, turn = candidate.node, candidate.turn
    relation = tokens[node].relation
    siblings = tree.kids[tokens[node].head] if tokens[node].head != node else []
    before = after = ""
    rank = 0
    for sibling in siblings:
        other = tokens[sibling].relation
        if other == "punct":
            continue
        if sibling < node:
            before = other
            rank += other == relation
        elif sibling > node:
            after = other
            break
    low, high = sorted((predicate, node))
    between = sum(token.pos == "VERB" for token in tokens[low + 1 : high]) if high - low < 40 else 9
    # Does a nearer word already have the role? "He sat and she sang": "he" is not the singer.
    taken = candidate.up and any(tokens[kid].relation in _SUBJECTS for kid in tree.kids[predicate])
    side, gap = "<" if node < predicate else ">", distance(node - predicate)
    turned = f"{tokens[turn].pos} {tokens[turn].relation}" if candidate.up else ""
    position = map(code, (candidate.path, candidate.shape, side, gap))
    return [*position, rank, code(before), code(after), min(between, 3), code(turned), int(taken)]


def parse_templates(lines: str, columns: Sequence[str]) -> Templates:
    """The templates of a list with " / " between them, each as the numbers of its columns."""
    templates = " / ".join(lines.strip().splitlines()).split(" / ")
    return tuple(tuple(columns.index(name) for name in template.split()) for template in templates)


def hashed(atoms: Codes, templates: Sequence[Sequence[int]], bits: int) -> NDArray[np.int32]:
    """The bucket of each template's feature for each row of atoms: rows × templates."""
    buckets = np.empty((len(atoms), len(templates)), dtype=np.int32)
    columns = [np.ascontiguousarray(atoms[:, column]) for column in range(atoms.shape[1])]
    shift = np.uint64(64 - bits)
    factor = np.uint64(0x9E3779B97F4A7C15)
    for number, template in enumerate(templates):
        mixed = np.full(len(atoms), number + 1, dtype=np.uint64) * factor
        for column in template:
            mixed = (mixed ^ columns[column]) * factor
            mixed ^= mixed >> np.uint64(29)
        buckets[:, number] = ((mixed * factor) >> shift).astype(np.int32)
    return buckets


# An argument reaches over its head's subtree, less the branches that belong to something else.
# The label of a word that continues the argument to its left: "make [the water] [evaporate]" is one argument.
JOINED = "+"

BRANCH_ATOMS = (
    "role", "h_rel", "h_pos", "k_rel", "k_pos", "k_lemma", "k_case", "side", "shape", "where", "p_pos",
    "p_lemma", "edge",
)  # fmt: skip
SPAN_TEMPLATES = parse_templates(
    """
k_rel / k_rel role / k_rel role side / k_rel h_rel / k_rel h_rel side shape / k_rel role shape
k_rel h_pos side / k_rel shape where side / k_lemma k_rel / k_lemma k_rel role / k_lemma k_rel shape
k_case k_rel role / k_case k_rel shape / k_rel p_pos role shape / k_rel p_lemma role
k_rel p_lemma shape where / k_rel k_pos h_pos side / k_rel k_lemma p_pos / role shape / role where side
k_rel edge k_lemma / k_rel edge role where / shape k_rel k_pos where / k_lemma where shape
""",
    BRANCH_ATOMS,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate with the role it was given and how sure that is (a log-probability)."""

    candidate: Candidate
    role: str
    score: float


def branches(tree: Tree, predicate: int, head: int, others: frozenset[int]) -> list[int]:
    """The dependents of an argument's head that may be part of it: without predicate or other argument."""
    outside = others | {predicate}
    extents = ((kid, tree.left[kid], tree.right[kid]) for kid in tree.kids[head])
    return [kid for kid, left, right in extents if not any(left <= node <= right for node in outside)]


def branch_atoms(tree: Tree, predicate: int, choice: Choice, kid: int) -> list[int]:
    """How a branch stands to the argument's head and to the predicate, in the order of BRANCH_ATOMS."""
    tokens = tree.tokens
    head = choice.candidate.node
    low, high = sorted((predicate, head))
    where = "between" if low < kid < high else "beyond" if (kid < head) == (head < predicate) else "behind"
    edge = (tree.left[kid] == tree.left[head], tree.right[kid] == tree.right[head])
    own = tokens[kid].relation, tokens[kid].pos, tree.lemma(kid), tree.lemma(tree.kid(kid, "case", "mark"))
    around = choice.candidate.shape, where, tokens[predicate].pos, tree.lemma(predicate), str(edge)
    before = (choice.role, tokens[head].relation, tokens[head].pos, *own)
    return [*map(code, before), int(kid < head), *map(code, around)]


def reach(tree: Tree, head: int, kids: Sequence[int], walls: Sequence[int]) -> tuple[int, int]:
    """The first and last word of the unbroken stretch around a head that these branches cover."""
    covered = {head}
    for kid in kids:
        covered.update(range(tree.left[kid], tree.right[kid] + 1))
    covered.difference_update(walls)
    first = last = head
    while first - 1 in covered:
        first -= 1
    while last + 1 in covered:
        last += 1
    while first < head and tree.tokens[first].pos == "PUNCT":
        first += 1
    while last > head and tree.tokens[last].pos == "PUNCT":
        last -= 1
    return first, last


@dataclass(frozen=True, slots=True)
class SpanModel:
    """Weights of hashed features of (argument, branch): above zero, the branch is part of the argument."""

    weights: Singles
    bits: int

    def __call__(
        self, trees: Sequence[Tree], chosen: Mapping[tuple[int, int], Sequence[Choice]]
    ) -> dict[tuple[int, int], list[Argument]]:
        """The arguments of each (tree, predicate)."""
        rows: list[list[int]] = []
        owners: list[tuple[int, int, int, int]] = []
        for (number, predicate), choices in chosen.items():
            tree = trees[number]
            heads = frozenset(choice.candidate.node for choice in choices)
            for choice in choices:
                head = choice.candidate.node
                for kid in branches(tree, predicate, head, heads - {head}):
                    rows.append(branch_atoms(tree, predicate, choice, kid))
                    owners.append((number, predicate, head, kid))
        parts: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
        if rows:
            scores = self.score(np.array(rows, dtype=np.uint64))
            for (number, predicate, head, kid), score in zip(owners, scores, strict=True):
                if score > 0:
                    parts[number, predicate, head].append(kid)
        arguments = {}
        for (number, predicate), choices in chosen.items():
            branched = [(choice, parts[number, predicate, choice.candidate.node]) for choice in choices]
            arguments[number, predicate] = assemble(trees[number], predicate, branched)
        return arguments

    def score(self, atoms: Codes) -> Singles:
        """The score of each row."""
        return np.asarray(self.weights[hashed(atoms, SPAN_TEMPLATES, self.bits)].sum(axis=1))


def assemble(tree: Tree, predicate: int, chosen: Sequence[tuple[Choice, Sequence[int]]]) -> list[Argument]:
    """Turn heads and branches into arguments that do not overlap; the surest keeps contested words."""
    heads = [choice.candidate.node for choice, _ in chosen]
    stretches: list[tuple[float, Argument]] = []
    for choice, kids in chosen:
        head = choice.candidate.node
        first, last = reach(tree, head, kids, [predicate, *(other for other in heads if other != head)])
        stretches.append((choice.score, Argument(choice.role, first, last + 1, head)))
    stretches.sort(reverse=True)
    arguments: list[Argument] = []
    for _, stretch in stretches:
        if stretch.role != JOINED and _is_free(stretch, arguments):
            arguments.append(stretch)
    for _, stretch in sorted(stretches, key=lambda pair: pair[1].start):
        if stretch.role == JOINED:
            _lengthen(arguments, stretch, tree)
    return arguments


def _is_free(stretch: Argument, arguments: Sequence[Argument]) -> bool:
    return all(stretch.end <= argument.start or stretch.start >= argument.end for argument in arguments)


def _lengthen(arguments: list[Argument], stretch: Argument, tree: Tree) -> None:
    """Lengthen the argument that ends where this stretch begins (commas between them do not count)."""
    for number, argument in enumerate(arguments):
        gap = tree.tokens[argument.end : stretch.start]
        if argument.end <= stretch.start and all(token.pos == "PUNCT" for token in gap):
            if _is_free(stretch, arguments):
                # In a clause without a verb form of its own ("make it hot") the predicate is the later part.
                is_later = tree.tokens[stretch.head].relation in ("xcomp", "ccomp")
                head = stretch.head if is_later else argument.head
                arguments[number] = replace(argument, end=stretch.end, head=head)
            return
