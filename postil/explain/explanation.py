"""Two texts compared in words: what both say, how they contradict each other, what is missing.

`explain` compares two aligned sentences; `justify` says why a text entails a hypothesis or does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from postil.alignment.aligner import load_aligner
from postil.data.judgements import AlignedPair
from postil.entailment.entailer import Entailment
from postil.entailment.findings import NEGATION, NUMBER, OPPOSITE
from postil.errors import PostilError
from postil.explain.alignments import words as words_at
from postil.explain.clauses import Tree
from postil.explain.differences import (
    CONTRADICTIONS,
    Difference,
    find_differences,
    is_adverb,
    quantities_in,
    words_matter,
)
from postil.explain.findings import (
    Sides,
    common_names,
    common_statement,
    contrast,
    contrasted,
    counted,
    figure,
    is_new,
    left_over,
    together,
    unsure,
    without_parts,
)
from postil.explain.hints import hints_for
from postil.explain.phrases import (
    carries_meaning,
    forms,
    heads_of,
    is_finite,
    joined,
    kind_of,
    lemma,
    listed,
    named,
    spoken,
    trimmed,
)
from postil.explain.wording import Content, Kind, Statement, Subject, Verb, write
from postil.language.document import Document

REGISTERS = ("neutral", "teacher", "student")
# The most that is said of one kind, and in all beside what both say.
_ITEMS = 2
_SENTENCES = 2
_LONGEST = 22
_QUOTED = 24  # words of a whole text that are quoted
_MOST = 0.5


def explain(
    pair: AlignedPair,
    source: Document,
    target: Document,
    *,
    register: str = "neutral",
    question: Document | None = None,
) -> str:
    """Say in one to three sentences what two aligned sentences share and how they differ.

    The register says who will read it: `neutral` compares two sentences, `teacher` compares an answer (the
    source) with a reference (the target), `student` speaks to the writer of the answer and uses no word of
    the reference that is not in the answer or the question.
    """
    if register not in REGISTERS:
        raise PostilError(f"unknown register “{register}”.", hint=f"Registers: {', '.join(REGISTERS)}.")
    plan = _empty(source, target, register)
    if not plan:
        differences, sides = find_differences(pair, source, target), Sides.of(source, target)
        if register == "student":
            plan = hints_for(differences, sides, question)
        else:
            plan = _compared(differences, sides, register)
    return write(plan, register)


def _empty(source: Document, target: Document, register: str) -> list[Statement]:
    """What to say where one of two texts has no words."""
    empty = [not any(any(map(str.isalnum, token.text)) for token in text.tokens) for text in (source, target)]
    if not any(empty):
        return []
    if register == "student":
        return [Statement(Kind.UNANSWERED if empty[0] else Kind.NOTHING_TO_COMPARE)]
    if register == "neutral" and all(empty):
        return [Statement(Kind.BOTH_EMPTY)]
    return [Statement(Kind.EMPTY, subject=Subject.FIRST if empty[0] else Subject.SECOND)]


def _compared(differences: Sequence[Difference], sides: Sides, register: str) -> list[Statement]:
    """The plan for a reader who sees both texts."""
    telling = telling_differences(differences, sides)
    if not telling:
        same = all(difference.kind == "same" for difference in differences)
        return [Statement(Kind.SAME if same else Kind.NEARLY_SAME)]
    if all(difference.kind in ("missing", "extra") for difference in differences):
        wholes = tuple(map(whole_text, (sides.source, sides.target)))
        return [Statement(Kind.NOTHING_SHARED, contents=wholes)]
    both = shared(differences, sides, register)
    common = [Statement(Kind.SHARED, contents=(both,))] if both else []
    extra = _only("extra", telling, sides) if register == "teacher" else ()
    differing = [
        *contradictions(telling, sides),
        *_one_sided(telling, sides, register),
        *_unlike(telling, sides),
        *_specific(telling, sides),
        *([Statement(Kind.ALSO, contents=extra)] if extra else ()),
    ][:_SENTENCES]
    if not differing:
        return common or [Statement(Kind.SAME_WORDS)]
    first = differing[0]
    if both and both.verb is not Verb.SAY and first.kind is Kind.LEFT_OUT and _mostly_missing(telling, sides):
        # Where nearly all is missing, one sentence says so.
        return [replace(first, kind=Kind.SHARED_BUT, contents=(both,)), *differing[1:]]
    return [*common, *differing]


def _mostly_missing(telling: Sequence[Difference], sides: Sides) -> bool:
    """Whether most of what the second sentence says is not in the first."""
    words = [token for token in sides.target.document.tokens if carries_meaning(token)]
    missing = {
        number - 1 for difference in telling if difference.kind == "missing" for number in difference.target
    }
    return sum(token.index in missing for token in words) > _MOST * len(words)


def telling_differences(differences: Sequence[Difference], sides: Sides) -> list[Difference]:
    """The differences that are worth a word.

    Where a link joins the same words, there is no difference that words could show.
    """

    def tells(difference: Difference) -> bool:
        if difference.kind == "same" or not words_matter(difference, *sides.documents):
            return False
        if difference.kind in ("missing", "extra"):
            return is_new(difference, sides)
        first, second = map(forms, contrasted(difference, sides))
        return difference.kind in CONTRADICTIONS or first != second

    return [difference for difference in differences if tells(difference)]


def shared(differences: Sequence[Difference], sides: Sides, register: str) -> Content | None:
    """What both say, or at least name."""
    neutral = register == "neutral"
    tree, other = (sides.source, sides.target) if neutral else (sides.target, sides.source)
    statement = common_statement(tree, other.document, differences, of_source=neutral)
    if statement:
        return statement
    names = common_names(tree.document, other.document, differences, of_source=neutral)
    return Content(Verb.MENTION, names) if names else None


def _of(telling: Sequence[Difference], sides: Sides, *kinds: str) -> list[Difference]:
    """The differences of these kinds in their order, adverbs last; within a kind, in that of the text."""
    chosen = [difference for difference in telling if difference.kind in kinds]
    return sorted(
        chosen,
        key=lambda difference: (kinds.index(difference.kind), is_adverb(difference, *sides.documents)),
    )


def contradictions(telling: Sequence[Difference], sides: Sides) -> list[Statement]:
    """A statement about the first two contradictions, if there are any."""
    chosen = _of(telling, sides, *CONTRADICTIONS)[:_ITEMS]
    statements = [_contradiction(difference, sides) for difference in chosen]
    return [replace(statements[0], then=statements[1])] if len(statements) > 1 else statements


def _contradiction(difference: Difference, sides: Sides) -> Statement:
    """Two things that cannot both hold, or not with the same certainty or opinion."""
    words = contrast(difference, sides)
    if difference.kind == "number":
        return _number(difference, sides)
    if difference.kind == "opposite":
        return Statement(Kind.OPPOSITE, words)
    if difference.kind == "opinion":
        return Statement(Kind.OPINION, words, subject=Subject.BOTH)
    if difference.kind == "certainty":
        doubts = [unsure(side) for side in sides.words(difference)]
        first, second = map(forms, contrasted(difference, sides))
        if first == second:
            return Statement(Kind.CERTAINTY_OF_WORDS, words, subject=Subject.BOTH)
        if doubts[0] == doubts[1]:
            return Statement(Kind.CERTAINTY, words, subject=Subject.BOTH)
        return Statement(Kind.LESS_CERTAIN if doubts[0] else Kind.MORE_CERTAIN, words)
    return Statement(Kind.NEGATED, words)


def _number(difference: Difference, sides: Sides) -> Statement:
    source, target = sides.documents
    (quantity,) = quantities_in(source, difference.source)
    (other,) = quantities_in(target, difference.target)
    first, _ = sides.words(difference)
    number = counted(sides.source, first)
    figures = figure(source, quantity), figure(target, other)
    if number:
        return Statement(Kind.NUMBER, (number, *figures))
    alone = sum(map(carries_meaning, first)) == quantity.end - quantity.start
    return Statement(Kind.UNLIKE, figures if alone else contrast(difference, sides))


def _only(kind: str, telling: Sequence[Difference], sides: Sides) -> tuple[Content, ...]:
    """The first few things that only one sentence says, statements before single words."""
    contents = [left_over(item, sides) for item in together(_of(telling, sides, kind), sides)]
    return without_parts(sorted(contents, key=lambda content: content.verb is Verb.HAVE))[:_ITEMS]


def _one_sided(telling: Sequence[Difference], sides: Sides, register: str) -> list[Statement]:
    """What only one of two sentences says, or what an answer leaves out."""
    if register != "neutral":
        missing = _only("missing", telling, sides)
        return [Statement(Kind.LEFT_OUT, missing=missing)] if missing else []
    statements = [
        Statement(Kind.ONLY, contents=contents, subject=subject)
        for kind, subject in (("extra", Subject.FIRST), ("missing", Subject.SECOND))
        if (contents := _only(kind, telling, sides))
    ]
    return [replace(statements[0], then=statements[1])] if len(statements) > 1 else statements


def _unlike(telling: Sequence[Difference], sides: Sides) -> list[Statement]:
    """Words that are near each other in meaning and not the same."""
    pairs = [contrast(difference, sides) for difference in _of(telling, sides, "related", "similar")[:_ITEMS]]
    words = tuple(word for pair in pairs for word in pair)
    return [Statement(Kind.UNLIKE_TWICE if len(pairs) > 1 else Kind.UNLIKE, words)] if pairs else []


def _specific(telling: Sequence[Difference], sides: Sides) -> list[Statement]:
    """Which side is more specific, and where."""
    chosen = _of(telling, sides, "more_general", "more_specific")[:_ITEMS]
    ours = [contrast(difference, sides) for difference in chosen if difference.kind == "more_specific"]
    theirs = [contrast(difference, sides)[::-1] for difference in chosen if difference.kind == "more_general"]
    words = tuple(word for pair in (*ours, *theirs) for word in pair)
    if ours and theirs:
        return [Statement(Kind.EACH_SPECIFIC, words)]
    kind = Kind.SPECIFIC_TWICE if len(chosen) > 1 else Kind.SPECIFIC
    return [Statement(kind, words, subject=Subject.FIRST if ours else Subject.SECOND)] if chosen else []


def whole_text(tree: Tree) -> Content:
    """What a whole text says or is about; where it is neither a statement nor a name, it is quoted."""
    tokens = trimmed(tree.document.tokens)
    if len(tokens) > _LONGEST:
        return _quotation(tree)
    kind = kind_of(tokens)
    asks = any(
        token.text == "?" or token.tag in ("WP", "WDT") or lemma(token) in ("i", "we", "you", "my")
        for token in tree.document.tokens
    )
    if kind == "sentence" and len(tree.document.sentences) == 1 and not asks:
        return Content(Verb.SAY, spoken(tokens))
    if kind == "clause" and lemma(tokens[0]) == "because" and not asks:
        return Content(Verb.SAY, spoken(tokens[1:]))
    heads = heads_of(tokens)
    is_name = len(heads) == 1 and heads[0].pos in ("NOUN", "PROPN") and not is_finite(tokens)
    if is_name and not tree.dependents(heads[0], "case", "nsubj", "cop", "mark"):
        return Content(Verb.ABOUT, named(tokens))
    return _quotation(tree)


def _quotation(tree: Tree) -> Content:
    """A whole text as it was written, cut short where it is long."""
    tokens = tree.document.tokens
    # Of a text that came in tokens, only these are known.
    came_in_tokens = tree.document.text == " ".join(token.text for token in tokens)
    words = (joined(tokens) if came_in_tokens else tree.document.text).split()
    cut = " ".join(words[:_QUOTED]).rstrip(".,;: ")
    return Content(Verb.QUOTE, cut if len(words) <= _QUOTED else f"{cut} …")


_VERDICTS = {
    "ENTAILMENT": "The text says so",
    "CONTRADICTION": "The text says otherwise",
    "UNKNOWN": "The text leaves this open",
}
_CLASHES = {
    NUMBER: "The text says “{0}” where the hypothesis says “{1}”.",
    OPPOSITE: "“{0}” is the opposite of “{1}”.",
    NEGATION: "The text negates “{0}”.",
}
_UNSETTLED = "“{0}” does not settle whether “{1}” is true."
_ALIGNED = frozenset(("EQUI", "SPE1", "SPE2", "SIMI"))
_LEAST_SCORE = 3.0  # how alike aligned parts must be to be named
_SENTENCE_QUOTED = 40  # words of a sentence that are quoted
_PARTS = 3  # parts named of each kind


def justified(hypotheses: Sequence[str], judged: Sequence[Entailment]) -> list[Entailment]:
    """The judgements, each with its justification; the best sentence is aligned with the hypothesis."""
    indices = [
        index for index, pair in enumerate(judged) if pair.findings.sentence and hypotheses[index].strip()
    ]
    texts = [(judged[index].findings.sentence, hypotheses[index]) for index in indices]
    aligned = dict(zip(indices, load_aligner().align_texts(texts), strict=True))
    return [
        replace(pair, justification=justify(pair, aligned.get(index))) for index, pair in enumerate(judged)
    ]


def justify(judged: Entailment, aligned: AlignedPair | None) -> str:
    """Say in a few sentences why a text entails a hypothesis, denies it or leaves it open."""
    verdict, findings = _VERDICTS[judged.label], judged.findings
    if aligned is None:
        return f"{verdict}: one of the two texts has no words."
    words = findings.sentence.split()
    quotation = " ".join(words[:_SENTENCE_QUOTED]) + (" …" if len(words) > _SENTENCE_QUOTED else "")
    nearest = "" if judged.label == "ENTAILMENT" else "the closest it comes is "
    sentences = [f"{verdict}: {nearest}“{quotation.rstrip('.')}”."]
    if findings.stands_for:
        names = [f"“{word}” refers to “{name}”" for word, name in findings.stands_for]
        sentences.append(f"Here {listed(names)}.")
    rephrased = list(dict.fromkeys(_rephrased(aligned)))[:_PARTS]
    if rephrased:
        sentences.append(f"It says {listed([f'“{text}” for “{part}”' for text, part in rephrased])}.")
    for clash in findings.differences[:_PARTS]:
        sentences.append(_CLASHES.get(clash.kind, _UNSETTLED).format(clash.text, clash.hypothesis))
    parts = {part for _, part in rephrased}
    missing = [f"“{part}”" for part in findings.unsupported if part not in parts][:_PARTS]
    if missing:
        follows = ", but that seems to follow" if judged.label == "ENTAILMENT" else ""
        sentences.append(f"It does not mention {listed(missing)}{follows}.")
    elif judged.label == "UNKNOWN" and not findings.differences:
        sentences.append(
            "It uses the words of the hypothesis, but does not put them together in the same way."
        )
    return " ".join(sentences)


def _rephrased(aligned: AlignedPair) -> Iterator[tuple[str, str]]:
    """Parts that mean much the same in other words: the sentence's and the hypothesis's."""
    for link in aligned.alignments:
        if link.type in _ALIGNED and link.score is not None and link.score >= _LEAST_SCORE:
            text, part = words_at(aligned.source, link.source), words_at(aligned.target, link.target)
            if text.lower().strip(" .") != part.lower().strip(" ."):
                yield text, part
