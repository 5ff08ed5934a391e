"""Why a text entails a hypothesis, denies it or leaves it open: the sentence, the parts, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from postil.alignment.aligner import load_aligner
from postil.data.judgements import AlignedPair
from postil.entailment.entailer import Entailment
from postil.entailment.findings import NEGATION, NUMBER, OPPOSITE, Difference
from postil.explain.alignments import words
from postil.explain.phrases import listed

_VERDICTS = {
    "ENTAILMENT": "The text says so",
    "CONTRADICTION": "The text says otherwise",
    "UNKNOWN": "The text leaves this open",
}
_ALIGNED = frozenset(("EQUI", "SPE1", "SPE2", "SIMI"))
_LEAST_SCORE = 3.0  # how alike aligned parts must be to be named
_LONGEST = 40  # words of a sentence that are quoted
_MOST = 3  # parts named of each kind


def justified(hypotheses: Sequence[str], judged: Sequence[Entailment]) -> list[Entailment]:
    """The judgements, each with its justification; the best sentence is aligned with the hypothesis."""
    places = [place for place, one in enumerate(judged) if one.found.sentence and hypotheses[place].strip()]
    texts = [(judged[place].found.sentence, hypotheses[place]) for place in places]
    aligned = dict(zip(places, load_aligner().align_texts(texts), strict=True))
    return [replace(one, justification=justify(one, aligned.get(place))) for place, one in enumerate(judged)]


def justify(judged: Entailment, aligned: AlignedPair | None) -> str:
    """Say in a few sentences why a pair was judged so."""
    if aligned is None:
        return f"{_VERDICTS[judged.label]}: one of the two texts has no words."
    found = judged.found
    sentences = [f"{_VERDICTS[judged.label]}{_source(judged)}."]
    if found.stands_for:
        sentences.append(
            f"Here {listed([f'“{word}” refers to “{name}”' for word, name in found.stands_for])}."
        )
    other_words = list(dict.fromkeys(_other_words(aligned)))[:_MOST]
    if other_words:
        sentences.append(f"It says {listed([f'“{given}” for “{wanted}”' for given, wanted in other_words])}.")
    sentences += [_difference(one) for one in found.differences[:_MOST]]
    sentences += _unsupported(judged, {wanted for _, wanted in other_words})
    return " ".join(sentences)


def _source(judged: Entailment) -> str:
    sentence = judged.found.sentence.split()
    quoted = " ".join(sentence[:_LONGEST]) + (" …" if len(sentence) > _LONGEST else "")
    nearest = "" if judged.label == "ENTAILMENT" else "the closest it comes is "
    return f": {nearest}“{quoted.rstrip('.')}”"


def _other_words(aligned: AlignedPair) -> Iterator[tuple[str, str]]:
    """Parts that mean much the same in other words: the sentence's and the hypothesis's."""
    for link in aligned.alignments:
        if link.type not in _ALIGNED or link.score is None or link.score < _LEAST_SCORE:
            continue
        given, wanted = words(aligned.source, link.source), words(aligned.target, link.target)
        if given.lower().strip(" .") != wanted.lower().strip(" ."):
            yield given, wanted


def _difference(one: Difference) -> str:
    if one.kind == NUMBER:
        return f"The text says “{one.given}” where the hypothesis says “{one.wanted}”."
    if one.kind == OPPOSITE:
        return f"“{one.given}” is the opposite of “{one.wanted}”."
    if one.kind == NEGATION:
        return f"The text negates “{one.given}”."
    return f"“{one.given}” does not settle whether “{one.wanted}” is true."


def _unsupported(judged: Entailment, aligned: set[str]) -> Iterator[str]:
    """What the text has no word for, unless a part of the sentence was aligned with it."""
    missing = [part for part in judged.found.unsupported if part not in aligned][:_MOST]
    named = listed([f"“{part}”" for part in missing])
    if missing and judged.label == "ENTAILMENT":
        yield f"It does not mention {named}, but that seems to follow."
    elif missing:
        yield f"It does not mention {named}."
    elif judged.label == "UNKNOWN" and not judged.found.differences:
        yield "It uses the words of the hypothesis, but does not put them together in the same way."
