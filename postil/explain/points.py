"""The claims of a reference with what became of them, in words: the claim's, and the pupil's.

A claim is named in so few words that it can be read beside the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postil.data.judgements import EXPRESSED, UNADDRESSED, FacetOutcome
from postil.data.questions import Facet
from postil.explain.coverage import Coverage
from postil.explain.phrases import base, heads_of, is_finite, is_punctuation, kind_of, lemma, uncapitalised
from postil.explain.quotations import EDGES, content_words, cut, quotation
from postil.explain.wording import Content, Verb
from postil.grading.credit import needed_of
from postil.language.document import Document, Token

LONG_CLAIM = 30  # words of the claims that a sentence names
_LONG_NAME, LONG_POINT, _SHORT_POINT, FEW = 8, 20, 4, 6  # words
_COVERED, _DIFFERENT = 0.6, 0.6  # shares of a claim's words: to say that an answer says it; to show its own
_NEARER = 0.25  # how much more of another alternative an answer must say
_UNLIKELY, _UNCOVERED, _SPOKEN_OF = 0.3, 0.5, 0.25  # what an answer surely does not say

_NUMBER = re.compile(r"^\s*(?:\(?(?:\d{1,2}|[a-h])[.)]\s+|[-–•*]\s+)+")
_EXAMPLE = re.compile(r"\(?\b(?:for example|for instance|e\.\s?g\.?)\b[:,]?\s*\)?[:,]?\s*", re.IGNORECASE)
_SAME_AGAIN = re.compile(r",?\s*\(?\b(?:i\.\s?e\.?|that is to say|in other words)(?=[\s,:])", re.IGNORECASE)
_SECOND = re.compile(
    r"[,;]?\s+(?:or|OR)\s+(?=[A-Z][a-z]|if |when |the \w+ (?:is|are|has|have|must|can)\b)|;\s+or\s+"
)
_CLAUSE = re.compile(
    r"\s*;\s+|,\s+(?:and|but|so|or|because|which|while|whereas|although|since)\b|(?<=[a-z])\.\s+(?=[A-Z])"
    r"|\s+(?:because|which|while|whereas|although|therefore|so that)\b",
)
_LOOSE_END = re.compile(
    r"[\s,;:–-]+(?:and|or|but|so|because|i\.?e\.?|e\.?g\.?|which|that|the|a|an|to|of)$", re.I
)
_CHOICE = re.compile(r"\b(?:what|which|whose|who|will|would|or)\b|^(?:do|does|is|are|can)\b", re.IGNORECASE)


def facet_text(facet: Facet) -> str:
    """A facet as people read it: its two terms, or its only one."""
    return f"{facet.first} – {facet.second}" if facet.second else facet.first


def in_brief(text: str) -> tuple[str, ...]:
    """A claim in at most so many words as a note has room for; several where it names alternatives.

    >>> in_brief("2. The door is open i.e. not shut")
    ('The door is open',)
    """
    whole = _EXAMPLE.sub("", _NUMBER.sub("", " ".join(text.split())))
    parts = [whole]
    if len(whole.split()) > LONG_POINT:
        parts = [part for part in _SECOND.split(whole) if len(part.split()) >= _SHORT_POINT] or [whole]
    return tuple(dict.fromkeys(_shortened(_SAME_AGAIN.split(part)[0]) for part in parts)) or (text,)


def _shortened(text: str) -> str:
    """A text up to the last end of a clause that leaves it short enough."""
    if len(text.split()) > LONG_POINT:
        ends = [match.start() for match in _CLAUSE.finditer(text)]
        fitting = [end for end in ends if _SHORT_POINT < len(text[:end].split()) <= LONG_POINT]
        text = text[: fitting[-1]] if fitting else cut(text, LONG_POINT)
    if text.count("(") > text.count(")"):
        text = text.rpartition("(")[0]
    if text.endswith("…"):
        return text
    while match := _LOOSE_END.search(text):
        text = text[: match.start()]
    return text.strip(" ,;:–-")


def claim_in_words(facet: Facet, document: Document | None, reference: str = "") -> Content:
    """A claim as a sentence can name it: "that ice is less dense", or quoted where it is no sentence.

    What begins with a verb tells to do something where it is so written, or begins so in the `reference`;
    otherwise it is a fragment.
    """
    text = (facet_text(facet) if document is None or facet.second else document.text).strip(EDGES)
    if document is None or facet.second:
        return Content(Verb.POINT, cut(in_brief(text)[0].strip(EDGES), LONG_POINT))
    tokens = uncapitalised(document).tokens
    while tokens and (tokens[0].pos in ("CCONJ", "PUNCT") or lemma(tokens[0]) in ("because", "that")):
        tokens = tokens[1:]
    if all(map(is_punctuation, tokens)):
        return Content(Verb.POINT, text)
    own = (tokens[0].text + document.text[tokens[0].end :]).strip(EDGES)
    count = len(own.split())
    if len(document.sentences) == 1 and count <= LONG_CLAIM and not document.text.rstrip().endswith("?"):
        kind = kind_of(tokens)
        # "Seeing colours would show that …" has a clause as its subject.
        if kind == "sentence" or any(base(token) == "csubj" for token in tokens) or _is_conditional(tokens):
            return Content(Verb.SAY, own, tokens)
        tells = text[:1].isupper() or tokens[0].text.capitalize() in reference.split()
        if kind == "verb" and tokens[0].tag in ("VB", "VBP") and tells:
            return Content(Verb.TELL, own[:1].lower() + own[1:], tokens)
        last = next(token for token in reversed(tokens) if not is_punctuation(token))
        if kind == "noun" and count <= _LONG_NAME and last.pos in ("NOUN", "PROPN"):
            # "A closed path" can stand in a sentence; a bare "closed path" is quoted.
            return Content(Verb.MENTION, own if tokens[0].pos == "DET" else f"“{own}”", tokens)
    return Content(Verb.POINT, cut(text, LONG_POINT), tokens)


def _is_conditional(tokens: Sequence[Token]) -> bool:
    """Whether a sentence begins with its condition: "if it rains, the road is wet"."""
    heads = heads_of(tokens)
    if len(heads) != 1 or tokens[0].pos != "SCONJ" or tokens[0].head == heads[0].index:
        return False
    own = [token for token in tokens if token.head == heads[0].index]
    return any(base(token) in ("nsubj", "expl") for token in own) and is_finite([heads[0], *own])


@dataclass(frozen=True, slots=True)
class Point:
    """A claim with what became of it, in words: the claim's, and the pupil's where these are known.

    The pupil's are quoted with their clause and, if it is short, with their whole sentence.
    """

    outcome: FacetOutcome
    content: Content
    quote: str = ""
    sentence: str = ""
    coverage: Coverage | None = None
    asks_choice: bool = False
    text: str = ""

    @property
    def sureness(self) -> float:
        """How sure the outcome is."""
        return self.outcome.confidence

    @property
    def is_given(self) -> bool:
        """Whether the claim only repeats what the question says, where that leaves nothing to choose."""
        return self.coverage is not None and self.coverage.given and not self.asks_choice

    @property
    def is_covered(self) -> bool:
        """Whether the answer has most of the claim's words, so that it can be said to say it."""
        if self.coverage is None:
            own, claim = map(content_words, (self.quote, self.content.words))
            return not own or len(own & claim) >= _COVERED * len(claim)
        return self.coverage.share >= _COVERED

    @property
    def is_surely_left_out(self) -> bool:
        """Whether nothing in the answer can be taken for the claim."""
        if self.outcome.label != UNADDRESSED or self.outcome.expressed >= _UNLIKELY:
            return False
        return self.coverage is None or self.coverage.new < _UNCOVERED

    @property
    def is_spoken_of(self) -> bool:
        """Whether the answer is about the same thing as the claim."""
        return self.coverage is None or self.coverage.share >= _SPOKEN_OF

    @property
    def is_reworded(self) -> bool:
        """Whether the pupil's words differ from the claim's so much that it helps to see them."""
        own, claim = map(content_words, (self.quote, self.content.words))
        return len(own) > 1 and len(own & claim) < _DIFFERENT * len(claim)


def texts_of(facet: Facet) -> tuple[str, ...]:
    """The texts in which a claim can be named."""
    return () if facet.second else in_brief(facet.first)


def points_of(
    outcomes: Sequence[FacetOutcome],
    written: str,
    documents: Mapping[str, Document],
    reference: Document | None = None,
    *,
    coverages: Mapping[str, Coverage] = {},
    question: str = "",
) -> list[Point]:
    """Outcomes, whose spans are those of the answer as it was written, with words for each.

    A reference that is only a name or an amount is named as it stands, not as a claim about the question.
    `documents` and `coverages` are by the texts in which claims can be named.
    """
    fragment, told = None, "" if reference is None else reference.text
    if reference is not None and len(outcomes) == 1 and len(reference.text.split()) <= FEW:
        content = claim_in_words(Facet("", reference.text.strip()), reference)
        bare = content.verb not in (Verb.SAY, Verb.TELL)
        name = in_brief(reference.text)[0].strip(EDGES)
        verb = Verb.EXAMPLE if _EXAMPLE.search(reference.text) else Verb.POINT
        fragment = Content(verb, name) if bare else None
    points = []
    for outcome in outcomes:
        text = _nearest(texts_of(outcome.facet), written, coverages)
        points.append(
            Point(
                outcome,
                fragment or claim_in_words(outcome.facet, documents.get(text), told),
                quotation(written, outcome.spans),
                quotation(written, outcome.spans, sentence=True),
                coverages.get(text),
                bool(_CHOICE.search(question)),
                text,
            )
        )
    return points


def _nearest(texts: Sequence[str], written: str, coverages: Mapping[str, Coverage]) -> str:
    """Of alternatives the one of which the answer clearly says most, or else the first."""
    own, best = content_words(written), next(iter(texts), "")
    for text in texts[1:]:
        if _nearness(text, own, coverages) > _nearness(best, own, coverages) + _NEARER:
            best = text
    return best


def _nearness(text: str, own: set[str], coverages: Mapping[str, Coverage]) -> float:
    words = content_words(text)
    return coverages[text].new if text in coverages else len(own & words) / max(len(words), 1)


def missing_of(points: Sequence[Point]) -> list[Point]:
    """The claims that an answer does not make and had to; optional ones only where no other is missing.

    Of alternatives none is missing where enough of them are made.
    """
    made = Counter(point.outcome.facet.group for point in points if point.outcome.label == EXPRESSED)

    def is_enough(facet: Facet) -> bool:
        return bool(facet.group) and made[facet.group] >= needed_of([facet])

    left_out = [
        point for point in points if point.outcome.label == UNADDRESSED and not is_enough(point.outcome.facet)
    ]
    return [point for point in left_out if point.outcome.facet.required] or left_out
