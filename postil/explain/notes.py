"""Notes on a judged answer, for the teacher and for the pupil: what it says, what is missing, what is wrong.

A note is made of claims and of nothing else: it is a function of the label, of what the answer does with each
claim, and of the texts. It never says otherwise than the label or the rubric beside it, and where there is
nothing to say, there is no note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from postil.data.judgements import (
    CONTRADICTED,
    EXPRESSED,
    UNADDRESSED,
    Explanation,
    FacetOutcome,
    Judgement,
    Pupils,
)
from postil.data.labels import PARTLY, PLAIN_NAMES
from postil.data.questions import Facet
from postil.explain.clauses import Tree
from postil.explain.highlighting import as_written
from postil.explain.phrases import base, is_punctuation, kind_of, lemma, uncapitalised
from postil.explain.quotations import (
    EDGES,
    WORDS,
    content_words,
    cut,
    nearest_sentence,
    quotation,
    whole_quotation,
)
from postil.explain.topics import View, keeps_secret, leading_question
from postil.explain.wording import Content, Kind, Statement, Verb, sentences_of, write
from postil.grading.credit import as_read, claims_of, needed_of
from postil.grading.decision import disagreement, unsaid
from postil.language.document import Document
from postil.language.pipeline import documents_of

if TYPE_CHECKING:
    from postil.grading.comparison import Comparison

PLAIN_OUTCOMES = {EXPRESSED: "said", UNADDRESSED: "left out", CONTRADICTED: "contradicted"}
_NAMED = 2  # claims named in a sentence
_LONG_CLAIM, _LONG_NAME, _LONG_POINT, _FEW = 30, 8, 20, 6  # words
_BELIEVED, _SURE = 0.6, 0.75  # how sure an outcome must be to be named, and to be named beside another
_AGAINST = 0.2  # the chance from which on a claim may be the one that a contradictory answer contradicts
_PART = 0.7  # share of an answer's words up to which a quotation is only a part of it
_SAME_WORDS = 0.6  # share of a claim's words from which on quoting an answer's shows nothing new


def facet_text(facet: Facet) -> str:
    """A facet as people read it: its two terms, or its only one."""
    return f"{facet.first} – {facet.second}" if facet.second else facet.first


def _by_outcome(outcomes: Sequence[FacetOutcome], starts: Mapping[str, str]) -> list[str]:
    """The facets of each outcome that there is, behind its words: "said: A; B"."""
    facets = {
        label: [facet_text(outcome.facet) for outcome in outcomes if outcome.label == label]
        for label in starts
    }
    return [f"{starts[label]}: {'; '.join(names)}" for label, names in facets.items() if names]


def facets_in_words(outcomes: Sequence[FacetOutcome]) -> str:
    """A sentence for each kind of outcome that there is, naming its facets."""
    if not outcomes:
        return "The reference has no points to check."
    starts = {EXPRESSED: "The answer says", UNADDRESSED: "It leaves out", CONTRADICTED: "It contradicts"}
    distinct = {(outcome.label, facet_text(outcome.facet)): outcome for outcome in outcomes}
    sentences = [f"{part}." for part in _by_outcome(list(distinct.values()), starts)]
    if all(outcome.label != EXPRESSED for outcome in outcomes):
        sentences.insert(0, "The answer makes none of the reference's points.")
    return " ".join(sentences)


def short_list(outcomes: Sequence[FacetOutcome]) -> str:
    """Every facet under its outcome, in one line: "said: A; B · left out: C · wrong: D"."""
    wrong = "; ".join(facet_text(outcome.facet) for outcome in as_read(outcomes) if outcome.facet.wrong)
    listed = _by_outcome(claims_of(outcomes), PLAIN_OUTCOMES)
    return " · ".join([*listed, *([f"wrong: {wrong}"] if wrong else [])])


def claim_in_words(facet: Facet, document: Document | None, reference: str = "") -> Content:
    """A claim as a sentence can name it: "that ice is less dense", or quoted where it is no sentence.

    What begins with a verb tells to do something where it is so written, or begins so in the `reference`;
    otherwise it is a fragment.
    """
    text = facet_text(facet).strip(EDGES)
    if document is None or facet.second:
        return Content(Verb.POINT, cut(text, _LONG_POINT))
    tokens = uncapitalised(document).tokens
    while tokens and (tokens[0].pos in ("CCONJ", "PUNCT") or lemma(tokens[0]) in ("because", "that")):
        tokens = tokens[1:]
    if all(map(is_punctuation, tokens)):
        return Content(Verb.POINT, text)
    own = (tokens[0].text + document.text[tokens[0].end :]).strip(EDGES)
    count = len(own.split())
    if len(document.sentences) == 1 and count <= _LONG_CLAIM and not document.text.rstrip().endswith("?"):
        kind = kind_of(tokens)
        # "Seeing colours would show that …" has a clause as its subject.
        if kind == "sentence" or any(base(token) == "csubj" for token in tokens):
            return Content(Verb.SAY, own, tokens)
        tells = text[:1].isupper() or tokens[0].text.capitalize() in reference.split()
        if kind == "verb" and tokens[0].tag in ("VB", "VBP") and tells:
            return Content(Verb.TELL, own[:1].lower() + own[1:], tokens)
        last = next(token for token in reversed(tokens) if not is_punctuation(token))
        if kind == "noun" and count <= _LONG_NAME and last.pos in ("NOUN", "PROPN"):
            # "A closed path" can stand in a sentence; a bare "closed path" is quoted.
            return Content(Verb.MENTION, own if tokens[0].pos == "DET" else f"“{own}”", tokens)
    return Content(Verb.POINT, cut(text, _LONG_POINT), tokens)


@dataclass(frozen=True, slots=True)
class Point:
    """A claim with what became of it, in words: the claim's, and the pupil's where these are known.

    The pupil's are quoted with their clause and, if it is short, with their whole sentence.
    """

    outcome: FacetOutcome
    content: Content
    quote: str = ""
    sentence: str = ""

    @property
    def sureness(self) -> float:
        """How sure the outcome is."""
        return self.outcome.confidence

    @property
    def is_reworded(self) -> bool:
        """Whether the pupil's words differ from the claim's so much that it helps to see them."""
        own, claim = map(content_words, (self.quote, self.content.words))
        return len(own) > 1 and len(own & claim) < _SAME_WORDS * len(claim)


def points_of(
    outcomes: Sequence[FacetOutcome],
    written: str,
    documents: Mapping[str, Document],
    reference: Document | None = None,
) -> list[Point]:
    """Outcomes, whose spans are those of the answer as it was written, with words for each.

    A reference that is only a name or an amount is named as it stands, not as a claim about the question.
    """
    fragment, told = None, "" if reference is None else reference.text
    if reference is not None and len(outcomes) == 1 and len(reference.text.split()) <= _FEW:
        content = claim_in_words(Facet("", reference.text.strip()), reference)
        bare = content.verb not in (Verb.SAY, Verb.TELL)
        fragment = Content(Verb.POINT, reference.text.strip(EDGES)) if bare else None
    return [
        Point(
            outcome,
            fragment or claim_in_words(outcome.facet, documents.get(outcome.facet.first), told),
            quotation(written, outcome.spans),
            quotation(written, outcome.spans, sentence=True),
        )
        for outcome in outcomes
    ]


def _missing(points: Sequence[Point]) -> list[Point]:
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


def _chosen(points: Sequence[Point]) -> list[Point]:
    """The surest of some points, and a second if it is sure as well, in the order of the reference."""
    ranked = sorted(points, key=lambda point: -point.sureness)[:_NAMED]
    second = [point for point in ranked[1:] if point.sureness >= _SURE and _are_short(_contents(ranked))]
    return [point for point in points if point in [*ranked[:1], *second]]


def _are_short(contents: Sequence[Content]) -> bool:
    """Whether several claims can be named in a sentence that can be read."""
    return sum(len(content.words.split()) for content in contents) <= _LONG_CLAIM


def _contents(points: Iterable[Point]) -> tuple[Content, ...]:
    return tuple(point.content for point in points)


def for_teacher(
    label: str,
    points: Sequence[Point],
    written: str,
    about: str = "",
    documents: Mapping[str, Document] = {},
    *,
    read_to: int | None = None,
) -> tuple[str, str]:
    """Say to a teacher in at most two sentences why an answer has its label, and what there is to check.

    `about` is what was asked. The second text is for whoever decides: that claims speak against the label,
    or that of a long answer only so much was read. Either text is empty where there is nothing to say.
    """
    plans = {"correct": _correct, PARTLY: _partly, "contradictory": _contradictory, "irrelevant": _irrelevant}
    against = spoken_against(label, [point.outcome for point in points], documents)
    plan = list(plans[label](points, written, about)) if label in plans else []
    if against and label == "correct":
        plan = []  # what is missing is said once
    doubts = list(against)
    if read_to is not None:
        doubts.append(Statement(Kind.READ_TO, (str(read_to),), check=True))
    return write(plan), " ".join(sentences_of(doubts))


def spoken_against(
    label: str, outcomes: Sequence[FacetOutcome], documents: Mapping[str, Document] = {}
) -> list[Statement]:
    """That claims speak against a label, for whoever decides; nothing where they do not.

    A claim whose text is not among the `documents` is quoted.
    """
    name = (f"“{PLAIN_NAMES[label]}”",)
    if not disagreement(label, outcomes):
        return []
    if label != "correct":
        return [Statement(Kind.SEEMS_COMPLETE, name, check=True)]
    doubted = unsaid(outcomes)

    def contents(outcomes: Sequence[FacetOutcome]) -> tuple[Content, ...]:
        return tuple(
            claim_in_words(outcome.facet, documents.get(outcome.facet.first)) for outcome in outcomes
        )

    wrong = [outcome for outcome in doubted if outcome.label == CONTRADICTED]
    if wrong:
        denied = _of_reference(contents(wrong)[0])
        return [Statement(Kind.NOT_IN_LINE, name, contents=(denied,), check=True)]
    missing = contents(doubted[:_NAMED])
    missing = missing if _are_short(missing) else missing[:1]
    return [Statement(Kind.NOT_FOUND, name, missing=missing, check=True)]


def _correct(points: Sequence[Point], written: str, about: str) -> Iterator[Statement]:
    """Of a correct answer only what differs and did not count."""
    missing = [point for point in _missing(points) if not point.outcome.facet.required]
    chosen = max(missing, key=lambda point: point.sureness, default=None)
    if chosen is not None and chosen.sureness >= _BELIEVED:
        yield Statement(Kind.NOT_COUNTED, missing=(chosen.content,))


def _said(points: Sequence[Point]) -> Iterator[Statement]:
    """What an answer says, as far as that is sure; the pupil's words where they are others."""
    said = [point for point in points if point.outcome.label == EXPRESSED and point.sureness >= _BELIEVED]
    chosen = _chosen(said)
    if len(chosen) == 1 and chosen[0].is_reworded:
        yield Statement(Kind.SAID_SO, (chosen[0].quote,), contents=_contents(chosen))
    elif chosen:
        yield Statement(Kind.SAID, contents=_contents(chosen))


def _partly(points: Sequence[Point], written: str, about: str) -> Iterator[Statement]:
    """What an answer says, and what it gets wrong or leaves out."""
    wrong = [point for point in points if point.outcome.label == CONTRADICTED]
    missing = _missing(points)
    if not wrong and not missing:
        return
    said = list(_said(points))
    if wrong:
        yield from said
        worst = max(wrong, key=lambda point: point.outcome.contradicted)
        yield _set_against(worst, written, about, partly=True)
    elif not said and len(points) == 1:
        yield Statement(Kind.ONLY_A_PART, (points[0].content.words,))
    else:
        yield from said
        yield Statement(Kind.LEFT_OUT, missing=_contents(_chosen(missing)))


def _contradictory(points: Sequence[Point], written: str, about: str) -> Iterator[Statement]:
    """Both sides: what the pupil writes and what the reference says."""
    wrong = [point for point in points if point.outcome.label == CONTRADICTED]
    if not wrong:
        others = [point for point in points if point.outcome.label != EXPRESSED] or list(points)
        likely = max(others, key=lambda point: point.outcome.contradicted, default=None)
        if likely is None:
            return
        sure = len(others) == 1 or likely.outcome.contradicted >= _AGAINST
        wrong = [likely] if sure else others[:1]
    yield _set_against(max(wrong, key=lambda point: point.outcome.contradicted), written, about)


def _set_against(point: Point, written: str, about: str, *, partly: bool = False) -> Statement:
    """What the pupil writes beside the claim that it contradicts."""
    quote = _doubted(point, written, about, partly=partly)
    kind, words = (Kind.WROTE, (quote,)) if quote else (Kind.AGAINST, ())
    return Statement(kind, words, contents=(_of_reference(point.content),))


def _doubted(point: Point | None, written: str, about: str, *, partly: bool) -> str:
    """The words of an answer that are wrong: a short answer's all, those that contradict, or the nearest.

    Of an answer that is `partly` right only the clause.
    """
    contradicts = point is not None and point.outcome.label == CONTRADICTED
    own = (point.quote if partly else point.sentence) if point is not None and contradicts else ""
    short = "" if partly else whole_quotation(written, _FEW)
    return short or own or whole_quotation(written) or nearest_sentence(written, about)


def _of_reference(content: Content) -> Content:
    """A claim as the reference's words, which are its own whether they are a sentence or not."""
    if content.verb in (Verb.SAY, Verb.TELL):
        return content
    return replace(content, verb=Verb.HAVE, words=content.words.strip("“”"))


def _irrelevant(points: Sequence[Point], written: str, about: str) -> Iterator[Statement]:
    """What an answer that is off the point would have to say."""
    missing = _missing(points)
    said = [point for point in points if point.outcome.label == EXPRESSED]
    wrong = [point for point in points if point.outcome.label == CONTRADICTED]
    if said and missing:
        yield from _said(points)
        yield Statement(Kind.LEFT_OUT, missing=_contents(_chosen(missing)))
    elif wrong or missing:
        quote = whole_quotation(written)
        chosen = _chosen(missing) or wrong[:1]
        if quote and not said:
            yield Statement(Kind.WROTE, (quote,), contents=(_of_reference(chosen[0].content),))
        elif missing:
            yield Statement(Kind.LEFT_OUT, missing=_contents(chosen))


# What to say to a pupil when only the label is known.
_BY_LABEL = {
    "correct": (Kind.RIGHT,),
    PARTLY: (Kind.GOOD_START, Kind.STILL_MISSING),
    "contradictory": (Kind.NOT_RIGHT,),
    "irrelevant": (Kind.OFF_THE_QUESTION, Kind.READ_AGAIN),
    "non_domain": (Kind.NO_ANSWER_YET, Kind.READ_AGAIN),
}


def feedback_by_label(label: str, pupils: Pupils = Pupils.OLDER) -> str:
    """What to say to a pupil when only the label is known."""
    return write(map(Statement, _BY_LABEL[label]), "student", pupils)


def for_student(
    label: str,
    points: Sequence[Point],
    written: str,
    view: View,
    reference: Document,
    trees: Mapping[str, Tree],
    *,
    deferred: bool = False,
    pupils: Pupils = Pupils.OLDER,
) -> str:
    """Say to a pupil what is right, or ask one question that leads to what is not; nothing is given away."""
    plan = list(_hinted(label, points, written, view, trees, deferred=deferred))
    text = write(plan, "student", pupils)
    harmless = {word for statement in plan for word in _template_words(statement, pupils)}
    return text if keeps_secret(text, reference, view, harmless) else feedback_by_label(label, pupils)


def _template_words(statement: Statement, pupils: Pupils) -> set[str]:
    """The words that a statement has whatever it is about."""
    blank = replace(statement, words=tuple("" for _ in statement.words))
    return {word.lower() for word in WORDS.findall(write([blank], "student", pupils))}


def _hinted(
    label: str,
    points: Sequence[Point],
    written: str,
    view: View,
    trees: Mapping[str, Tree],
    *,
    deferred: bool,
) -> Iterator[Statement]:
    said = [
        point
        for point in points
        if point.outcome.label == EXPRESSED
        and point.sureness >= _SURE
        and len(content_words(point.quote)) > 1
    ]
    best = max(said, key=lambda point: point.sureness, default=None)
    if label == "correct":
        words = len(best.quote.split()) if best is not None and len(points) == 1 else 0
        if deferred:
            yield Statement(Kind.LOOKS_RIGHT)
        elif best is not None and 0 < words <= _PART * len(written.split()):
            yield Statement(Kind.RIGHT_WORDS, (best.quote,))
        else:
            yield Statement(Kind.RIGHT)
        return
    wrong = [point for point in points if point.outcome.label == CONTRADICTED]
    missing = _missing(points)
    quote = ""
    if label == "contradictory" or (label == PARTLY and wrong):
        worst = max(wrong, key=lambda point: point.outcome.contradicted, default=None)
        about = view.question.text if view.question else ""
        quote = _doubted(worst, written, about, partly=label == PARTLY)
        yield Statement(Kind.LOOK_AGAIN, (quote,)) if quote else Statement(Kind.NOT_RIGHT)
        aim = worst or max(points, key=lambda point: point.outcome.contradicted, default=None)
    else:
        if label == PARTLY:
            yield Statement(Kind.GOOD_PART, (best.quote,)) if best else Statement(Kind.GOOD_START)
        else:
            yield Statement(Kind.OFF_THE_QUESTION if label == "irrelevant" else Kind.NO_ANSWER_YET)
        aim = max(missing, key=lambda point: point.sureness, default=None)
    tree = trees.get(aim.outcome.facet.first) if aim else None
    if aim is None or tree is None:
        yield Statement(Kind.MORE_EXACTLY if label == PARTLY else Kind.READ_AGAIN)
        return
    is_name = not any(token.pos in ("VERB", "AUX") for token in aim.content.tokens)
    claim = () if is_name else tree.document.tokens  # what is asked of a name leads nowhere
    asked = leading_question(claim, tree, view, said=label == PARTLY)
    general = asked.kind in (Kind.READ_AGAIN, Kind.ALL_ASKED)
    yield Statement(Kind.IS_IT_SO) if quote and general else asked


def explained(
    judgements: Sequence[Judgement],
    comparisons: Sequence[Comparison | None],
    answers: Sequence[str],
    pupils: Pupils = Pupils.OLDER,
) -> list[Judgement]:
    """The judgements with their explanations; what was not compared with a reference gets none.

    `answers` are as they were written: only their own words are quoted.
    """
    read = [comparison for comparison in comparisons if comparison is not None]
    documents = documents_of(
        outcome.facet.first
        for comparison in read
        for outcome in comparison.claims
        if not outcome.facet.second
    )
    trees = {text: Tree.of(document) for text, document in documents.items()}

    @cache
    def words(comparison: Comparison, label: str, deferred: bool, written: str) -> Explanation:
        outcomes = as_written(comparison.claims, comparison.answer.text, written)
        points = points_of(claims_of(outcomes), written, documents, comparison.reference)
        read_to = None if comparison.whole else len(comparison.answer.tokens)
        about = comparison.question.text
        note, doubt = for_teacher(label, points, written, about, documents, read_to=read_to)
        view = View(comparison.question, comparison.answer)
        student = for_student(
            label, points, written, view, comparison.reference, trees, deferred=deferred, pupils=pupils
        )
        return Explanation(comparison.alignment, note, student, outcomes, doubt)

    return [
        judgement
        if comparison is None
        else replace(judgement, explanation=words(comparison, judgement.label, judgement.deferred, written))
        for judgement, comparison, written in zip(judgements, comparisons, answers, strict=True)
    ]
