"""References that do not answer their question: instructions for marking, echoes, another topic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from postil.data.questions import Question
from postil.grading.asks import A_NUMBER, YES_OR_NO, either, question_type
from postil.language.document import Document
from postil.language.pipeline import analyse_many
from postil.language.words.relations import word_relation
from postil.language.words.spaces import lsa

# A reference is off the topic below this cosine, where both sides have enough words to tell.
_UNRELATED = 0.2
_ENOUGH_WORDS = 3
_START = r"(?:^|[.;:(]\s*)"
_VARIES = either(
    r"\banswers? (?:will|may|can|might|should)? ?var(?:y|ies)\b|^\W*(?:it )?varies\W*$|\bopen[- ]ended\b",
    rf"{_START}(?:also )?(?:accept|allow) |{_START}(?:sample|possible|suggested) (?:answer|response)s?\b",
    r"\bany (?:other )?(?:reasonable|sensible|suitable|valid|correct|appropriate|plausible|acceptable|good) "
    r"(?:answer|response|reason|example|explanation|suggestion|point)",
    rf"{_START}see (?:the |your )?(?:rubric|mark scheme|answer key|textbook|notes|page|above|below)\b",
    r"^\W*(?:n/?a|tbd|to ?do|pupils?'? own (?:answer|opinion)s?|students?'? own (?:answer|opinion)s?)\W*$",
)
_RUBRIC = either(
    rf"{_START}(?:the )?(?:students?|pupils?|learners?|candidates?|answers?|responses?) "
    r"(?:(?:should|must|needs? to|will|may|correctly|clearly) )?"
    r"(?:mention|state|explain|say|identif(?:y|ie)|include|describe|note|recogni[sz]e|understand|refer)s?\b",
    r"\b(?:\d|one|two|half an?) (?:points?|marks?)(?: each)?(?: (?:for|if|per|max\w*)\b|\s*[:=)\]])",
    rf"{_START}award\b|\bfull (?:marks|credit)\b|\bpartial credit\b|\brubric\b|\b(?:points?|marks?):\s*\d",
)
_DECIDES = either(
    r"\b(?:yes|no|not|never|agree|disagree|true|false|right|wrong|correct|incorrect|depends?|always|sometimes"
    r"|only|both|neither|\w+n['’]t|cannot|hardly|maybe|probably|un\w+|impossible|possible|if|unless)\b"
)
_COUNTS = either(
    r"\d|\b(?:none|no|all|every|half|third|quarter|twice|double|dozens|hundreds|thousands|millions|many|few|most"
    r"|more|less|fewer|same|several|once|never|infinite\w*)\b"
)
_CHOICE = either(r"\bor\b", r"\bwhich\b", r"\bwhose\b", r"\bwho\b")
_EMPTY_WORDS = frozenset(("DET", "AUX", "PUNCT", "PRON", "SYM"))
_ASKING_WORDS = frozenset(("why", "how", "when", "where", "explain", "describe", "state", "say"))


def poor_references(question: Question, asks: Sequence[str], *, topical: bool) -> Iterator[str]:
    """A sentence for each reference that is no answer to the question."""
    documents = list(analyse_many([question.text, *(reference.text for reference in question.references)]))
    for place, document in enumerate(documents[1:], 1):
        others = documents[:place] + documents[place + 1 :]
        fault = _fault(document, documents[0], asks)
        if not fault and topical and _is_unrelated(document, others):
            fault = "seems to be about something else: check that it stands beside the right question."
        if fault:
            name = "The reference" if len(documents) == 2 else f"Reference {place}"
            yield f"{name} {fault}"


def _fault(reference: Document, question: Document, asks: Sequence[str]) -> str:
    """What is wrong with a reference, to be read after "the reference"; empty where nothing is."""
    text = reference.text.strip()
    letters = re.sub(r"\W|_", "", text)
    explains = question_type(question.text) != "what" and not any(map(A_NUMBER.match, asks))
    if not letters or (explains and len(letters) <= 3 and not letters.isdigit() and not _has_choice(asks)):
        return "is too short to compare answers with: write the answer as a full sentence."
    if _VARIES.search(text):
        return "does not say what is right: write out one good answer, and others as further references."
    if _RUBRIC.search(text):
        return "tells how to mark instead of answering: write it as a pupil would answer."
    if _repeats(reference, question) and not _has_choice(asks):
        return "only repeats the question: add what the answer should say."
    if any(map(A_NUMBER.match, asks)) and not (_COUNTS.search(text) or reference.quantities):
        return "has no number, though the question asks for one: add it."
    if len(asks) == 1 and YES_OR_NO.match(asks[0]) and not _settles(reference, question):
        return "says neither yes nor no, though the question asks for it: begin with one of them."
    return ""


def _has_choice(asks: Sequence[str]) -> bool:
    return any(_CHOICE.search(ask) or YES_OR_NO.match(ask) for ask in asks)


def _repeats(reference: Document, question: Document) -> bool:
    """Whether a reference has most words of its question and adds none, not even a "not"."""
    asked = {token.lemma.lower() for token in question.tokens}
    words = {token.lemma.lower() for token in reference.tokens if token.pos not in _EMPTY_WORDS}
    topic = {token.lemma.lower() for token in question.content_words} - _ASKING_WORDS
    same_negation = bool(reference.negations) == bool(question.negations)
    return bool(words) and words <= asked and 2 * len(words & topic) > len(topic) and same_negation


def _settles(reference: Document, question: Document) -> bool:
    """Whether a reference says yes or no in some way; to say again what is asked is to say yes."""
    if _DECIDES.search(reference.text):
        return True
    roots = {token.lemma.lower() for token in question.tokens if token.relation == "root"}
    return not roots.isdisjoint(token.lemma.lower() for token in reference.tokens)


def _is_unrelated(reference: Document, others: Sequence[Document]) -> bool:
    """Whether a reference has no word in common with the rest, none related in WordNet, and another topic."""
    sides = [reference.content_words, [token for one in others for token in one.content_words]]
    # What a name stands for is not in the books: "the First World War" and its alliances share no passage.
    if any(token.pos == "PROPN" and token.text[0].isupper() for side in sides for token in side):
        return False
    words, topic = ({(t.lemma.lower(), t.wordnet_letter) for t in side if t.wordnet_letter} for side in sides)
    lemmas, wanted = (sorted({lemma for lemma, _ in side}) for side in (words, topic))
    known = lsa()
    enough = min(sum(known.vocabulary.row(lemma) >= 0 for lemma in side) for side in (lemmas, wanted))
    if enough < _ENOUGH_WORDS or not set(lemmas).isdisjoint(wanted):
        return False
    if known.similarity(lemmas, wanted) >= _UNRELATED:
        return False
    return not any(word_relation(one, other) for one in words for other in topic)
