"""How much of one text's structure the other has: its dependencies, and its predicates with their arguments.

*Dependencies*: graph subsumption after McCarthy, Rus, Crossley, Graesser & McNamara (2008). Content words are
vertices, dependencies between them labelled edges. Negation is in the graph: a word that a negation bears on
is another vertex than the same word without it, so that none of its edges match either.

*Predicates*: do two texts say that the same things happen to the same participants? Each role of an argument
is a link from the predicate to the argument's head word. Two texts overlap *exactly* (the same sense of the
predicate, role and head word) or *generalised* (verbs of one VerbNet class or synonyms, roles that share a
name or a theme, matching words). A negated predicate never matches one that is not.
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
from postil.language.measures.overlap import word_weights
from postil.language.words.relations import Relation
from postil.language.words.verbs import verbs

# What the subject and the agent of a passive are to its verb when it is active.
_VOICED = {"nsubj:pass": "obj", "csubj:pass": "obj", "obl:agent": "nsubj"}
# Relations whose meaning is in the preposition: "from the battery" is not "to the battery".
_PREPOSITIONAL = frozenset(("obl", "nmod"))
# How well two verbs match that are not one verb but behave and mean alike.
RELATED = 0.8
# "Not" is in the predicate's polarity, and "will" or "can" are no words for the content of a text.
_NOT_LINKS = frozenset(("ARGM-NEG", "ARGM-MOD"))

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Vertex:
    """A content word of a graph, negated or not."""

    word: Word
    negated: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A dependency between two content words: its label, and the numbers of the two vertices."""

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
    """The graph of a text; a repeated word is one vertex."""
    tokens = document.tokens
    negated = negated_heads(document)
    vertices: dict[Vertex, int] = {}
    vertex_of: dict[int, int] = {}  # by the index of each content word
    for token in document.content_words:
        vertex = Vertex(word_of(token), token.index in negated)
        vertex_of[token.index] = vertices.setdefault(vertex, len(vertices))
    prepositions = {token.head: token.lemma.lower() for token in tokens if token.relation == "case"}
    edges: dict[Edge, None] = {}
    for index, dependent in vertex_of.items():
        above = _governor(tokens, index)
        if above is not None and vertex_of[above] != dependent:
            label = _label(tokens[index].relation, prepositions.get(index, ""))
            edges[Edge(label, vertex_of[above], dependent)] = None
    return Graph(tuple(vertices), tuple(edges), len(negations_of(document)))


def structure_overlap(first: Document, second: Document, options: Subsumption = DEFAULT) -> float:
    """How alike two texts are in structure: the mean of how far each one's graph contains the other's."""
    left, right = graph_of(first), graph_of(second)
    return (subsumes(left, right, options) + subsumes(right, left, options)) / 2


def subsumes(text: Graph, hypothesis: Graph, options: Subsumption = DEFAULT) -> float:
    """How much of the hypothesis's graph the text's contains, from 0 to 1; 0 where one of them is empty.

    α · matched vertices of the hypothesis + β · its matched edges + γ; all on vertices if it has no edges.
    """
    if not text.vertices or not hypothesis.vertices:
        return 0.0
    if options.whole_polarity and (text.negations + hypothesis.negations) % 2:
        return 0.0
    words = [vertex.word for vertex in hypothesis.vertices]
    weights = word_weights([lemma for lemma, _, _ in words], weighted=options.weighted)
    # Vertices match as their words do, unless only one of the two is negated.
    alike: dict[tuple[int, int], float] = {}
    best = [0.0] * len(hypothesis.vertices)
    for i, j, related in relations([vertex.word for vertex in text.vertices], words):
        same = options.whole_polarity or text.vertices[i].negated == hypothesis.vertices[j].negated
        if same and related in MATCHES:
            alike[i, j] = MATCHES[related]
            best[j] = max(best[j], alike[i, j])
    matched = sum(weight * value for weight, value in zip(weights, best, strict=True)) / sum(weights)
    matched_edges = _matched_edges(text, hypothesis, alike) if hypothesis.edges else matched
    total = options.vertices * matched + options.edges * matched_edges
    return min(1.0, max(0.0, total + options.base))


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


def _governor(tokens: Sequence[Token], index: int) -> int | None:
    """The nearest content word above a token, if any."""
    for _ in tokens:
        above = tokens[index].head
        if above == index:
            return None
        if tokens[above].is_content:
            return above
        index = above
    return None


def _label(relation: str, preposition: str) -> str:
    """A dependency's name without its subtype, as in the active voice, with its preposition if it has one."""
    name = _VOICED.get(relation) or relation.split(":")[0]
    return f"{name} {preposition}" if preposition and name in _PREPOSITIONAL else name


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
        verb = (predicate.verb or predicate.lemma).lower()
        act = Act(predicate.roleset, verb, _is_negated(predicate, borne))
        acts[act] = None
        for argument in predicate.arguments:
            if argument.role not in _NOT_LINKS:
                links[Link(act, argument.role, word_of(document.tokens[argument.head]))] = None
    return Propositions(tuple(acts), tuple(links))


def predicate_overlap(first: Document, second: Document) -> float:
    """The mean of the exact and the generalised overlap, from 0 to 1; 0 where a text has no predicate."""
    left, right = propositions_of(first), propositions_of(second)
    return (overlap_of(left, right, exact=True) + overlap_of(left, right, exact=False)) / 2


def overlap_of(first: Propositions, second: Propositions, *, exact: bool) -> float:
    """The mean of how much each text has of the other: ½ predicates + ½ links; the same both ways.

    `exact`: predicates match by sense, roles by name and arguments by lemma; otherwise related ones match as
    well.
    """
    acts, links = (_exact_acts, _exact_links) if exact else (related_acts, _related_links)
    return (_covered(first, second, acts, links) + _covered(second, first, acts, links)) / 2


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
    return (covered + _mean_best(hypothesis.links, text.links, links)) / 2 if hypothesis.links else covered


def _mean_best(items: Sequence[T], others: Sequence[T], alike: Callable[[T, T], float]) -> float:
    """The best match of each item among the others, averaged."""
    return sum(max((alike(item, other) for other in others), default=0.0) for item in items) / len(items)


def _exact_acts(first: Act, second: Act) -> float:
    return float(first.roleset == second.roleset and first.negated == second.negated)


def _exact_links(first: Link, second: Link) -> float:
    same = first.role == second.role and first.word[0] == second.word[0]
    return _exact_acts(first.act, second.act) if same else 0.0


def related_acts(first: Act, second: Act) -> float:
    """How well two predicates match: 1 for one verb, RELATED for verbs alike, 0 where one is negated."""
    if first.negated != second.negated:
        return 0.0
    if first.verb == second.verb or first.roleset == second.roleset:
        return 1.0
    lower, upper = sorted(((first.roleset, first.verb), (second.roleset, second.verb)))
    return RELATED if _are_related(*lower, *upper) else 0.0


def _related_links(first: Link, second: Link) -> float:
    """The worse of how predicates and head words match, where the roles do."""
    acts = related_acts(first.act, second.act)
    if not acts or not _share_role(first.act.roleset, first.role, second.act.roleset, second.role):
        return 0.0
    return min(acts, match(first.word, second.word))


@lru_cache(maxsize=1 << 16)
def _are_related(roleset: str, verb: str, other_roleset: str, other_verb: str) -> bool:
    """Whether two verbs share a VerbNet class in these senses, or are synonyms; opposites are not related.

    Not every sense is linked to a class: where one is not, as smack.01, the verbs themselves are looked up.
    """
    related = relation((verb, "v", verb), (other_verb, "v", other_verb))
    # VerbNet puts opposites that behave alike into one class: open and close, increase and decrease.
    if related in (Relation.OPPOSITE, Relation.SYNONYM):
        return related is Relation.SYNONYM
    classes, others = _classes(roleset), _classes(other_roleset)
    return bool(classes & others) if classes and others else verbs().related(verb, other_verb)


def _classes(roleset: str) -> frozenset[str]:
    known = verbs().roleset(roleset)
    return frozenset(filter(None, map(verbs().main_class, known.classes))) if known else frozenset()


@lru_cache(maxsize=1 << 15)
def _share_role(roleset: str, role: str, other_roleset: str, other: str) -> bool:
    """Whether two roles have one name, or the two senses' arguments one theme (Agent, Patient, …)."""
    return role == other or not _themes(roleset, role).isdisjoint(_themes(other_roleset, other))


def _themes(roleset: str, role: str) -> frozenset[str]:
    known = verbs().roleset(roleset)
    argument = known.role(role) if known else None
    return frozenset(argument.themes) if argument else frozenset()


def _is_negated(predicate: Predicate, borne: Sequence[tuple[Negation, frozenset[int]]]) -> bool:
    """Whether an odd number of negations bear on a predicate or on what takes part in it.

    "No current flows" denies the flowing as "the current does not flow" does. "Lack" does not deny itself.
    An argument that negates ("not") counts where it was not found as a negation.
    """
    index = predicate.index
    parts = {index, *(arg.head for arg in predicate.arguments if not arg.role.startswith("ARGM"))}
    bearing = sum(index not in negation.cue and not heads.isdisjoint(parts) for negation, heads in borne)
    cues = {cue for negation, _ in borne for cue in negation.cue}
    marks = sum(arg.role == "ARGM-NEG" and arg.head not in cues for arg in predicate.arguments)
    return (bearing + marks) % 2 == 1
