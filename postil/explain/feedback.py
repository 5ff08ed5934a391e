"""What a pupil is told of an answer: what is right, or one question that leads to what is not.

Nothing of the reference is given away, and what is asked for is not what has just been praised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from postil.data.judgements import CONTRADICTED, EXPRESSED, Pupils
from postil.data.labels import PARTLY
from postil.explain.clauses import Tree
from postil.explain.phrases import is_finite
from postil.explain.points import FEW, Point, missing_of
from postil.explain.quotations import (
    WORDS,
    content_words,
    is_bare,
    items_of,
    nearest_sentence,
    whole_quotation,
    without_numbers,
)
from postil.explain.topics import View, keeps_secret, leading_question, question_topic, thing_asked_for
from postil.explain.wording import Kind, Statement, Verb, write
from postil.language.document import Document
from postil.language.outline import asked_for

_JOINTS = frozenset(("and", "but", "so", "because", "cause", "since", "that"))
_SURE = 0.75  # how sure an outcome must be for its words to be praised
_PART = 0.7  # share of an answer's words up to which a quotation is only a part of it

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


def doubted(point: Point | None, points: Sequence[Point], written: str, about: str, *, partly: bool) -> str:
    """The words of an answer that are wrong: a short answer's all, those that contradict, or the nearest.

    Of an answer that is `partly` right only the clause; of a list what the reference does not have.
    """
    contradicts = point is not None and point.outcome.label == CONTRADICTED
    own = (point.quote if partly else point.sentence) if point is not None and contradicts else ""
    short = "" if partly else whole_quotation(written, FEW)
    quote = short or own or whole_quotation(written) or nearest_sentence(written, about)
    return _without_right_items(quote, points)


def _without_right_items(quote: str, points: Sequence[Point]) -> str:
    """A quoted list without the items that the reference has as well."""
    items, named = items_of(quote), _named(points)
    right = [item for item in items if content_words(item) and content_words(item) <= named]
    if not is_bare(quote) or not right or len(right) == len(items):
        return quote
    return f"“{', '.join(item for item in items if item not in right)}”"


def _named(points: Sequence[Point]) -> set[str]:
    """The words of the claims that are no sentences: of such the items of a list are."""
    return {
        word
        for point in points
        if point.content.verb not in (Verb.SAY, Verb.TELL)
        for word in content_words(point.content.words)
    }


def _praised(points: Sequence[Point], aim: Point | None, written: str) -> Point | None:
    """The claim whose words are quoted as right: what may be the answer to what is asked for is not."""
    asked = aim.outcome.near if aim is not None else ()
    right = [
        point
        for point in points
        if point.outcome.label == EXPRESSED
        and point.sureness >= _SURE
        and len(content_words(point.quote)) > 1
        and not point.is_given
        and _begins_clause(point.quote, written)
        and not any(
            start < last and first < end for start, end in asked for first, last in point.outcome.spans
        )
    ]
    return max(right, key=lambda point: point.sureness, default=None)


def _begins_clause(quote: str, written: str) -> bool:
    """Whether quoted words begin where a clause does, so that they can be understood by themselves."""
    before = " ".join(written.split()).partition(quote.strip("“”").removesuffix(" …"))[0].strip()
    last = before.split()[-1].lower() if before else ""
    return not before or last[-1] in ".,;:!?-–" or last in _JOINTS


def _hinted(
    label: str,
    points: Sequence[Point],
    written: str,
    view: View,
    trees: Mapping[str, Tree],
    *,
    deferred: bool,
) -> Iterator[Statement]:
    if label == "correct":
        yield _right(points, written, deferred=deferred)
        return
    wrong = [point for point in points if point.outcome.label == CONTRADICTED]
    missing = missing_of(points)
    about = view.question.text if view.question else ""
    quote = ""
    if label == "contradictory" or (label == PARTLY and wrong):
        aim = max(
            wrong or points, key=lambda point: (not point.is_given, point.outcome.contradicted), default=None
        )
        quote = doubted(aim if wrong else None, points, written, about, partly=label == PARTLY)
        yield Statement(Kind.LOOK_AGAIN, (quote,)) if quote else Statement(Kind.NOT_RIGHT)
    else:
        aim = max(missing, key=_missing_most, default=None)
        if label == PARTLY:
            best = _praised(points, aim, written)
            yield Statement(Kind.GOOD_PART, (best.quote,)) if best else Statement(Kind.GOOD_START)
        else:
            yield Statement(Kind.OFF_THE_QUESTION if label == "irrelevant" else Kind.NO_ANSWER_YET)
    yield _asked(label, aim, quote, written, view, trees)


def _missing_most(point: Point) -> tuple[bool, bool, float]:
    return not point.is_given, point.is_surely_left_out, point.sureness


def _right(points: Sequence[Point], written: str, *, deferred: bool) -> Statement:
    """That an answer is right, with the words that matter if it has many others."""
    best = _praised(points, None, written)
    words = len(best.quote.split()) if best is not None and len(points) == 1 else 0
    if deferred:
        return Statement(Kind.LOOKS_RIGHT)
    if best is not None and 0 < words <= _PART * len(written.split()):
        return Statement(Kind.RIGHT_WORDS, (best.quote,))
    return Statement(Kind.RIGHT)


def _asked(
    label: str, aim: Point | None, quote: str, written: str, view: View, trees: Mapping[str, Tree]
) -> Statement:
    """The one question, or where to look again."""
    tree = trees.get(aim.text) if aim else None
    asked = Statement(Kind.READ_AGAIN)
    if aim is not None and tree is not None:
        is_name = not any(token.pos in ("VERB", "AUX") for token in aim.content.tokens)
        claim = () if is_name else tree.document.tokens  # what is asked of a name leads nowhere
        asked = leading_question(claim, tree, view, said=label == PARTLY)
    if asked.kind is not Kind.READ_AGAIN:
        return asked
    if quote:
        return _of_wrong(quote, written, view, is_statement=aim is not None and bool(aim.outcome.spans))
    about = view.question.text if view.question else ""
    if asked_for(about) > max(1, len(items_of(written))) and label == PARTLY:
        return Statement(Kind.MORE_ITEMS)
    thing, topic = thing_asked_for(view), question_topic(view)
    if thing and label != PARTLY:
        return Statement(Kind.ASKS_FOR, (thing,))
    if topic:
        return Statement(Kind.ELSE_ABOUT if label == PARTLY else Kind.ABOUT, (topic,))
    return Statement(Kind.MORE_EXACTLY if label == PARTLY else Kind.READ_AGAIN)


def _of_wrong(quote: str, written: str, view: View, *, is_statement: bool) -> Statement:
    """What to ask of words that are wrong: of a statement whether it is so, of a list what fits."""
    tokens = view.answer.tokens
    if tokens and tokens[0].tag == "VB":
        return Statement(Kind.RIGHT_STEPS)
    count = len(items_of(written)) if is_bare(written) else 1
    if count > 1 and not is_finite(tokens):
        right = len(items_of(quote)) == 1
        return Statement(Kind.ONE_DOES_NOT_FIT if right else Kind.SOME_DO_NOT_FIT)
    says = is_statement and is_finite(tokens) and without_numbers(written) == written
    return Statement(Kind.IS_IT_SO if says else Kind.WHAT_IS_ASKED)
