"""Which words are predicates, and in which sense: a choice among a word's PropBank rolesets, or none.

A learned model chooses; the rules at the end step in where grammar is surer than the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from postil.data.arrays import Singles
from postil.language.role_features import (
    CONTEXT_ATOMS,
    JOINED,
    TOKEN_ATOMS,
    Candidate,
    Choice,
    Codes,
    Tree,
    code,
    context_atoms,
    hashed,
    parse_templates,
    token_atoms,
)
from postil.language.words.verbs import verbs
from postil.language.words.wordnet import wordnet

KINDS = {"VERB": "v", "AUX": "v", "NOUN": "n", "ADJ": "j"}
NONE = ""
_THINGS = ("it", "this", "that", "these", "those", "they", "which", "what")  # pronouns not for people alone
_VERBAL = (("ing", "VBG"), ("ed", "VBN"), ("en", "VBN"), ("t", "VBN"), ("n", "VBN"))

OPTION_ATOMS = ("id", "rank", "nearby", "next", "previous", "derived")
_COLUMNS = (*TOKEN_ATOMS, *CONTEXT_ATOMS, *OPTION_ATOMS)
TEMPLATES = parse_templates(
    """
id / id rel / id tag / id p_frame / id p_prepositions / id p_particle / id p_object / id p_subject
id head_lemma / id p_voice / id kids / id next / id previous / id p_shape / id p_shape rel / id case
id mark / id p_aux / id form / id p_object p_prepositions / id next p_shape / id nearby / rank / rank rel
rank tag / rank lemma / rank lemma rel / rank p_frame / rank p_voice rel / rank tag rel head_pos
rank form pos / rank kids / rank next / rank previous / rank head_lemma / rank case rel / rank p_aux rel
rank p_prepositions pos / rank pos first / derived / derived form / derived rel / derived p_frame
derived p_prepositions / derived tag head_pos
""",
    _COLUMNS,
)
# Templates that see the word itself: hidden now and then in training, so that the others learn as well.
LEXICAL_TEMPLATES = tuple(
    any(_COLUMNS[column] in ("id", "lemma") for column in template) for template in TEMPLATES
)


@dataclass(frozen=True, slots=True)
class RolesetModel:
    """Weights of hashed features of (word in context, roleset); rolesets that only the training text has."""

    weights: Singles
    bits: int
    extra: Mapping[str, Sequence[str]]
    bias: float = 0.0

    def options(self, lemma: str, kind: str, particle: str) -> tuple[str, ...]:
        """The rolesets that a word may stand for; empty where it cannot be a predicate."""
        return _options(lemma, kind, particle, tuple(self.extra.get(f"{lemma}|{kind}", ())))

    def choose(self, trees: Sequence[Tree]) -> list[list[tuple[int, str]]]:
        """The predicates of each tree as (word, roleset)."""
        predicates: list[list[tuple[int, str]]] = [[] for _ in trees]
        words, names, atoms = option_rows(self, trees)
        if not words:
            return predicates
        scores = self.score(atoms)
        row = 0
        for (number, node), options in zip(words, names, strict=True):
            block = scores[row : row + len(options)].copy()
            row += len(options)
            tree = trees[number]
            sure = is_passive_adjective(tree, node) or (
                is_event_noun(tree, node) and _derived(tree.lemma(node), options[1]).startswith("made")
            )
            block[0] -= np.inf if sure else self.bias
            best = int(block.argmax())
            if best:
                predicates[number].append((node, options[best]))
        return predicates

    def score(self, atoms: Codes) -> Singles:
        """The score of each row."""
        return np.asarray(self.weights[hashed(atoms, TEMPLATES, self.bits)].sum(axis=1))


def option_rows(
    model: RolesetModel, trees: Sequence[Tree]
) -> tuple[list[tuple[int, int]], list[tuple[str, ...]], Codes]:
    """The words to decide on as (tree, word), their options (none first), and each option's row of atoms."""
    words: list[tuple[int, int]] = []
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
            words.append((number, node))
            names.append((NONE, *options))
            shared = token_atoms(tree, node) + context_atoms(tree, node)
            previous = tree.lemma(node - 1)  # of the first word, ""
            following, after = (
                tree.lemma(node + step) if node + step < len(tree.tokens) else "" for step in (1, 2)
            )
            neighbours = [code(after), code(following), code(previous)]
            relatedness = f"{kind} {_derived(lemma, options[0])}"
            for rank, option in enumerate(names[-1]):
                rows.append([
                    *shared,
                    code(option or f"none {lemma}"),
                    code(f"{kind} {min(rank, 5)} {option.endswith('.LV')}"),
                    *neighbours,
                    code(f"{bool(option)} {relatedness}"),
                ])  # fmt: skip
    return words, names, np.array(rows, dtype=np.uint64).reshape(-1, len(_COLUMNS))


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
    from postil.language.pipeline import load_pipeline

    for ending, tag in _VERBAL:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            verb = load_pipeline().lemmatiser(word, tag)
            if verb != word:
                return (verb,)
    return ()


@lru_cache(maxsize=1 << 14)
def inventory(roleset: str) -> tuple[str, ...]:
    """What each argument of a roleset is (pag, ppt, gol, …), from ARG0 to ARG5; "" where it has none."""
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
        return roleset.rsplit(".", 1)[0] or lemma
    names = known.words("v")
    return known.lemma if known.lemma in names or not names else names[0]


def antecedent(nearby: Sequence[Candidate], chosen: Sequence[Choice]) -> list[Choice]:
    """The antecedent shares its relative pronoun's role: the snake in "the snake that ate the mouse"."""
    noun = next((candidate for candidate in nearby if candidate.path == "^acl:relcl"), None)
    pronoun = next((choice for choice in chosen if choice.role.startswith("R-ARG")), None)
    if noun is None or pronoun is None:
        return []
    role = pronoun.role.removeprefix("R-")
    if any(choice.candidate.node == noun.node or choice.role == role for choice in chosen):
        return []
    return [Choice(noun, role, pronoun.score)]


def with_doer(
    tree: Tree, node: int, functions: Sequence[str], nearby: Sequence[Candidate], chosen: list[Choice]
) -> list[Choice]:
    """The by-phrase of an event noun is who does it: "the production of energy by the battery"."""
    if tree.tokens[node].pos != "NOUN" or functions[0] != "pag" or any(c.role == "ARG0" for c in chosen):
        return chosen
    taken = {choice.candidate.node for choice in chosen if choice.role != JOINED}
    for candidate in nearby:
        node = candidate.node
        if candidate.path == "vnmod" and node not in taken and tree.lemma(tree.kid(node, "case")) == "by":
            others = [choice for choice in chosen if choice.candidate.node != node]
            return [*others, Choice(candidate, "ARG0", 0.0)]
    return chosen


def with_undergoer(
    tree: Tree, node: int, functions: Sequence[str], chosen: list[Choice], *, changes: bool
) -> list[Choice]:
    """What evaporates undergoes it: "the water evaporated" has no doer, nor has "the water's evaporation".

    `changes` says that the verb can lose its doer. People and animals keep the role that the model gave them.
    """
    if not changes or functions[:2] != ("pag", "ppt") or any(choice.role == "ARG1" for choice in chosen):
        return chosen
    if tree.kid(node, "aux:pass", "nsubj:pass") >= 0:
        return chosen

    def undergoes(choice: Choice) -> bool:
        noun = tree.tokens[choice.candidate.node]
        if choice.role != "ARG0" or noun.head != node or noun.pos == "PROPN":
            return False
        lemma = noun.lemma.lower()
        return lemma in _THINGS if noun.pos == "PRON" else not _is_being(lemma)

    return [replace(choice, role="ARG1") if undergoes(choice) else choice for choice in chosen]


def with_object(
    tree: Tree, node: int, functions: Sequence[str], nearby: Sequence[Candidate], chosen: list[Choice]
) -> list[Choice]:
    """The of-phrase of an event noun that has no role yet is what it happens to: "the melting of the ice"."""
    if not is_event_noun(tree, node) or functions[1] != "ppt" or any(c.role == "ARG1" for c in chosen):
        return chosen
    kid = tree.kid(node, "nmod")
    taken = {choice.candidate.node for choice in chosen}
    objects = [candidate for candidate in nearby if candidate.node == kid and kid not in taken]
    return chosen + [Choice(candidate, "ARG1", 0.0) for candidate in objects]


@lru_cache(maxsize=1 << 13)
def _is_being(noun: str) -> bool:
    """Whether the commonest sense of a noun is a living being that can do things."""
    wn = wordnet()
    waiting = list(wn.synsets(noun, "n")[:1])
    beings = {wn.find("person.n.01"), wn.find("animal.n.01"), wn.find("social_group.n.01")}
    while waiting:
        synset = waiting.pop()
        if synset in beings:
            return True
        waiting += wn.hypernyms(synset)
    return False


def is_event_noun(tree: Tree, node: int) -> bool:
    """Whether a noun is followed by what it happens to: "the growth of the plant"."""
    kid = tree.kid(node, "nmod")
    return tree.tokens[node].pos == "NOUN" and kid > node and tree.lemma(tree.kid(kid, "case")) == "of"


def is_passive_adjective(tree: Tree, node: int) -> bool:
    """Whether an adjective stands where a participle would: "it got broken", or with a passive's subject."""
    token = tree.tokens[node]
    if token.pos != "ADJ" or not token.lemma.lower().endswith(("ed", "en", "n", "t")):
        return False
    if tree.kid(node, "nsubj:pass", "aux:pass") >= 0:
        return True
    is_get = tree.lemma(token.head) == "get" and tree.tokens[token.head].pos == "VERB"
    return token.relation == "xcomp" and is_get
