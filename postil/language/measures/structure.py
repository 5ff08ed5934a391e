"""Syntactic structure: how much of one text's dependency graph the other's contains.

Graph subsumption after McCarthy, Rus, Crossley, Graesser & McNamara (2008). Content words are vertices,
dependencies between them labelled edges. Negation is in the graph: a word that a negation bears on is another
vertex than the same word without it, so that none of its edges match either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from postil.language.document import Document, Negation, Predicate, Token
from postil.language.measures.matching import (
    MATCHES,
    Word,
    bearings,
    match,
    negated_heads,
    negations_of,
    relation,
    relations,
    word_of,
)
from postil.language.words.relations import Relation
from postil.language.words.spaces import idf
from postil.language.words.verbs import verbs

# What the subject and the agent of a passive are to its verb when it is active.
_VOICED = {"nsubj:pass": "obj", "csubj:pass": "obj", "obl:agent": "nsubj"}
# Relations whose meaning is in the preposition: "from the battery" is not "to the battery".
_PREPOSITIONAL = frozenset(("obl", "nmod"))


@dataclass(frozen=True, slots=True, order=True)
class Vertex:
    """A content word of a graph, negated or not."""

    word: Word
    negated: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A dependency between two content words: which one, and the places of the two among the vertices."""

    label: str
    governor: int
    dependent: int


@dataclass(frozen=True, slots=True)
class Graph:
    """A text's content words and the dependencies between them, each once; how many negations it has."""

    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    negations: int = 0


@dataclass(frozen=True, slots=True)
class Subsumption:
    """How vertices and edges are weighed: `vertices` is α, `edges` β and `base` γ of the formula.

    With `weighted`, rare words count more than common ones (idf). With `whole_polarity`, as in the original,
    an odd difference in the number of negations makes the score 0, and vertices match whether negated or not.
    """

    vertices: float = 0.5
    edges: float = 0.5
    base: float = 0.0
    weighted: bool = False
    whole_polarity: bool = False


DEFAULT = Subsumption()


def graph_of(document: Document) -> Graph:
    """The graph of a text; a word that is there twice is one vertex."""
    tokens = document.tokens
    negated = negated_heads(document)
    vertices: dict[Vertex, int] = {}
    # The vertex of each content word.
    places: dict[int, int] = {}
    for token in tokens:
        if token.is_content:
            vertex = Vertex(word_of(token), token.index in negated)
            places[token.index] = vertices.setdefault(vertex, len(vertices))
    prepositions = {token.head: token.lemma.lower() for token in tokens if token.relation == "case"}
    edges: dict[Edge, None] = {}
    for index, place in places.items():
        above = _governor(tokens, index)
        if above is not None and places[above] != place:
            label = _label(tokens[index].relation, prepositions.get(index, ""))
            edges[Edge(label, places[above], place)] = None
    return Graph(tuple(vertices), tuple(edges), len(negations_of(document)))


def structure_overlap(first: Document, second: Document, options: Subsumption = DEFAULT) -> float:
    """How alike two texts are in structure: the mean of how far each one's graph contains the other's."""
    one, other = graph_of(first), graph_of(second)
    return (subsumes(one, other, options) + subsumes(other, one, options)) / 2


def subsumption(text: Document, hypothesis: Document, options: Subsumption = DEFAULT) -> float:
    """How much of the hypothesis's graph the text's contains, from 0 to 1."""
    return subsumes(graph_of(text), graph_of(hypothesis), options)


def subsumes(text: Graph, hypothesis: Graph, options: Subsumption = DEFAULT) -> float:
    """α · matched vertices of the hypothesis + β · its matched edges + γ; all on vertices if it has no edges.

    An empty graph neither contains anything nor is contained: 0.
    """
    if not text.vertices or not hypothesis.vertices:
        return 0.0
    if options.whole_polarity and (text.negations + hypothesis.negations) % 2:
        return 0.0
    weights = _weights(hypothesis.vertices) if options.weighted else [1.0] * len(hypothesis.vertices)
    alike = _alike(text.vertices, hypothesis.vertices, signed=not options.whole_polarity)
    best = [0.0] * len(hypothesis.vertices)
    for (_, place), value in alike.items():
        best[place] = max(best[place], value)
    matched = sum(weight * value for weight, value in zip(weights, best, strict=True)) / sum(weights)
    if not hypothesis.edges:
        total = (options.vertices + options.edges) * matched
    else:
        total = options.vertices * matched + options.edges * _matched_edges(text, hypothesis, alike)
    return min(1.0, max(0.0, total + options.base))


def _alike(
    vertices: Sequence[Vertex], others: Sequence[Vertex], *, signed: bool
) -> dict[tuple[int, int], float]:
    """How well vertices match, by their places: as their words do, unless only one of the two is negated."""
    found = relations([vertex.word for vertex in vertices], [vertex.word for vertex in others])
    return {
        (i, j): MATCHES[how]
        for i, j, how in found
        if how in MATCHES and not (signed and vertices[i].negated != others[j].negated)
    }


def _matched_edges(text: Graph, hypothesis: Graph, alike: Mapping[tuple[int, int], float]) -> float:
    """The share of the hypothesis's edges in the text; an edge is as alike as the worse of its two ends."""
    by_label: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in text.edges:
        by_label[edge.label].append(edge)
    total = 0.0
    for edge in hypothesis.edges:
        best = 0.0
        for other in by_label.get(edge.label, ()):
            governor = alike.get((other.governor, edge.governor), 0.0)
            if governor > best:
                best = max(best, min(governor, alike.get((other.dependent, edge.dependent), 0.0)))
        total += best
    return total / len(hypothesis.edges)


def _weights(vertices: Sequence[Vertex]) -> list[float]:
    """The idf of each word; all the same where every one of them is 0."""
    weigh = idf()
    weights = [max(0.0, weigh(vertex.word[0])) for vertex in vertices]
    return weights if any(weights) else [1.0] * len(vertices)


def _governor(tokens: Sequence[Token], index: int) -> int | None:
    """The nearest content word above a token, if there is one."""
    for _ in tokens:
        above = tokens[index].head
        if above == index:
            return None
        if tokens[above].is_content:
            return above
        index = above
    return None


def _label(relation: str, preposition: str) -> str:
    """A dependency's name without its subtype, as in the active voice, with the preposition where one is."""
    name = _VOICED.get(relation) or relation.split(":")[0]
    return f"{name} {preposition}" if preposition and name in _PREPOSITIONAL else name


# Predicate–argument overlap: do two texts say that the same things happen, with the same taking part?
#
# A text becomes a graph: predicates are nodes, and each role of an argument is a link from the predicate to
# the argument's head word. Two graphs overlap *exactly* (the same sense of the predicate, role and head
# word) or *generalised* (verbs of one VerbNet class or synonyms, roles that share a name or a theme,
# matching words). A negated predicate never matches one that is not.

T = TypeVar("T")

# How well two verbs match that are not one verb but behave and mean alike.
RELATED = 0.8
# "Not" is in the predicate's polarity, and "will" or "can" are no words for the content of a text.
_NOT_LINKS = frozenset(("ARGM-NEG", "ARGM-MOD"))


@dataclass(frozen=True, slots=True)
class Act:
    """A predicate as it is compared: its sense, its verb, whether it is negated."""

    roleset: str
    verb: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Link:
    """A role that a word plays for a predicate."""

    act: Act
    role: str
    word: Word


@dataclass(frozen=True, slots=True)
class Propositions:
    """What a text says: its predicates, and the links from them to their arguments, each once."""

    acts: tuple[Act, ...]
    links: tuple[Link, ...]


def propositions_of(document: Document) -> Propositions:
    """The predicates and links of a text; auxiliaries ("are connected") are not predicates of their own."""
    acts: dict[Act, None] = {}
    links: dict[Link, None] = {}
    borne = list(zip(negations_of(document), bearings(document), strict=True))
    for predicate in document.predicates:
        if document.tokens[predicate.index].relation.split(":")[0] == "aux":
            continue
        act = Act(
            predicate.roleset, (predicate.verb or predicate.lemma).lower(), _is_negated(predicate, borne)
        )
        acts[act] = None
        for argument in predicate.arguments:
            if argument.role not in _NOT_LINKS:
                links[Link(act, argument.role, word_of(document.tokens[argument.head]))] = None
    return Propositions(tuple(acts), tuple(links))


def predicate_overlap(first: Document, second: Document) -> float:
    """The mean of the exact and the generalised overlap, from 0 to 1; 0 where a text has no predicate."""
    one, other = propositions_of(first), propositions_of(second)
    return (overlap_of(one, other, exact=True) + overlap_of(one, other, exact=False)) / 2


def exact_overlap(first: Document, second: Document) -> float:
    """The overlap of two texts when predicates match by sense, roles by name and arguments by lemma."""
    return overlap_of(propositions_of(first), propositions_of(second), exact=True)


def generalised_overlap(first: Document, second: Document) -> float:
    """The overlap of two texts when related verbs, roles and words match too."""
    return overlap_of(propositions_of(first), propositions_of(second), exact=False)


def overlap_of(one: Propositions, other: Propositions, *, exact: bool) -> float:
    """The mean of how much each graph has of the other: ½ predicates + ½ links; the same both ways."""
    acts, links = (_exact_acts, _exact_links) if exact else (related_acts, _related_links)
    return (_covered(one, other, acts, links) + _covered(other, one, acts, links)) / 2


def _covered(
    text: Propositions,
    hypothesis: Propositions,
    acts: Callable[[Act, Act], float],
    links: Callable[[Link, Link], float],
) -> float:
    """How much of the hypothesis the text has; predicates alone where there are no links."""
    if not text.acts or not hypothesis.acts:
        return 0.0
    covered = _mean_best(hypothesis.acts, text.acts, acts)
    if not hypothesis.links:
        return covered
    return (covered + _mean_best(hypothesis.links, text.links, links)) / 2


def _mean_best(wanted: Sequence[T], found: Sequence[T], alike: Callable[[T, T], float]) -> float:
    """The best match of each thing wanted among those found, averaged."""
    return sum(max((alike(one, other) for other in found), default=0.0) for one in wanted) / len(wanted)


def _exact_acts(one: Act, other: Act) -> float:
    return float(one.roleset == other.roleset and one.negated == other.negated)


def _exact_links(one: Link, other: Link) -> float:
    same = one.role == other.role and one.word[0] == other.word[0]
    return _exact_acts(one.act, other.act) if same else 0.0


def related_acts(one: Act, other: Act) -> float:
    """How well two predicates match: 1 for one verb, RELATED for verbs alike, 0 where one is negated."""
    if one.negated != other.negated:
        return 0.0
    if one.verb == other.verb or one.roleset == other.roleset:
        return 1.0
    first, second = sorted(((one.roleset, one.verb), (other.roleset, other.verb)))
    return RELATED if _are_related(*first, *second) else 0.0


def _related_links(one: Link, other: Link) -> float:
    """The worse of how predicates and head words match, where the roles do."""
    acts = related_acts(one.act, other.act)
    if not acts or not _share_role(one.act.roleset, one.role, other.act.roleset, other.role):
        return 0.0
    return min(acts, match(one.word, other.word))


@lru_cache(maxsize=1 << 16)
def _are_related(roleset: str, verb: str, other_roleset: str, other_verb: str) -> bool:
    """Whether two verbs share a VerbNet class in these senses, or are synonyms; opposites are not related.

    Not every sense is linked to a class: where one is not, as smack.01, the verbs themselves are looked up.
    """
    found = relation((verb, "v", verb), (other_verb, "v", other_verb))
    if found is Relation.OPPOSITE:
        # VerbNet puts opposites that behave alike into one class: open and close, increase and decrease.
        return False
    if found is Relation.SYNONYM:
        return True
    one, other = _classes(roleset), _classes(other_roleset)
    return bool(one & other) if one and other else verbs().related(verb, other_verb)


def _classes(roleset: str) -> frozenset[str]:
    known = verbs().roleset(roleset)
    return frozenset(filter(None, map(verbs().main_class, known.classes))) if known else frozenset()


@lru_cache(maxsize=1 << 15)
def _share_role(roleset: str, role: str, other_roleset: str, other: str) -> bool:
    """Whether two roles have one name, or the two senses' arguments one theme (Agent, Patient, …)."""
    return role == other or not _themes(roleset, role).isdisjoint(_themes(other_roleset, other))


def _themes(roleset: str, role: str) -> frozenset[str]:
    known = verbs().roleset(roleset)
    found = known.role(role) if known else None
    return frozenset(found.themes) if found else frozenset()


def _is_negated(predicate: Predicate, borne: Sequence[tuple[Negation, frozenset[int]]]) -> bool:
    """Whether an odd number of negations bear on a predicate or on what takes part in it.

    "No current flows" denies the flowing as "the current does not flow" does. "Lack" does not deny itself.
    An argument that negates ("not") tells too where it was not found as a negation.
    """
    parts = {argument.head for argument in predicate.arguments if not argument.role.startswith("ARGM")}
    parts.add(predicate.index)
    bearing = sum(predicate.index not in one.cue and not heads.isdisjoint(parts) for one, heads in borne)
    cues = {index for one, _ in borne for index in one.cue}
    marks = sum(arg.role == "ARGM-NEG" and arg.head not in cues for arg in predicate.arguments)
    return (bearing + marks) % 2 == 1
