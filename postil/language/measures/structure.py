"""Syntactic structure: how much of one text's dependency graph the other's contains.

Graph subsumption after McCarthy, Rus, Crossley, Graesser & McNamara (2008). Content words are vertices,
dependencies between them labelled edges. Negation is in the graph: a word that a negation bears on is another
vertex than the same word without it, so that none of its edges match either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postil.language.document import Document, Token
from postil.language.measures.matching import MATCHES, Word, negated_heads, negations_of, relations, word_of
from postil.language.words.spaces import idf

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
