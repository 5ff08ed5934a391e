"""Where grammar is surer than the learned model: antecedents, doers and undergoers, "got broken"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from postil.language.role_features import Candidate, Tree
from postil.language.role_spans import JOINED, Choice
from postil.language.words.wordnet import wordnet


def antecedent(nearby: Sequence[Candidate], chosen: Sequence[Choice]) -> list[Choice]:
    """What a relative pronoun stands for has its role too: in "the snake that ate the mouse", the snake."""
    noun = next((one for one in nearby if one.path == "^acl:relcl"), None)
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
    for one in nearby:
        if one.path == "vnmod" and one.node not in taken and tree.lemma(tree.kid(one.node, "case")) == "by":
            others = [choice for choice in chosen if choice.candidate.node != one.node]
            return [*others, Choice(one, "ARG0", 0.0)]
    return chosen


def with_undergoer(
    tree: Tree, node: int, functions: Sequence[str], chosen: list[Choice], *, changes: bool
) -> list[Choice]:
    """What evaporates undergoes it: "the water evaporated" has no doer, nor has "the water's evaporation".

    `changes` says that the verb can lose its doer. People and animals are left what the model made them.
    """
    if not changes or functions[:2] != ("pag", "ppt") or any(choice.role == "ARG1" for choice in chosen):
        return chosen
    passive = tree.kid(node, "aux:pass", "nsubj:pass") >= 0
    return [
        replace(choice, role="ARG1")
        if choice.role == "ARG0"
        and not passive
        and tree.tokens[choice.candidate.node].head == node
        and not _is_living(tree, choice.candidate.node)
        else choice
        for choice in chosen
    ]


def with_object(
    tree: Tree, node: int, functions: Sequence[str], nearby: Sequence[Candidate], chosen: list[Choice]
) -> list[Choice]:
    """The of-phrase of an event noun that has no role yet is what it happens to: "the melting of the ice"."""
    if not is_event_noun(tree, node) or functions[1] != "ppt" or any(c.role == "ARG1" for c in chosen):
        return chosen
    kid = tree.kid(node, "nmod")
    taken = {choice.candidate.node for choice in chosen}
    return chosen + [Choice(one, "ARG1", 0.0) for one in nearby if one.node == kid and kid not in taken]


def _is_living(tree: Tree, node: int) -> bool:
    """Whether a word is somebody: a pronoun for people, a name, or a kind of person or animal."""
    token = tree.tokens[node]
    if token.pos == "PRON":
        return token.lemma.lower() not in ("it", "this", "that", "these", "those", "they", "which", "what")
    return token.pos == "PROPN" or is_living(tree.lemma(node))


@lru_cache(maxsize=1 << 13)
def is_living(noun: str) -> bool:
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
    return (
        token.relation == "xcomp"
        and tree.lemma(token.head) == "get"
        and tree.tokens[token.head].pos == "VERB"
    )
