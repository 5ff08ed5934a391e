"""Fragments in the light of the question: "less dense than water" is "ice is less dense than water"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from postil.language.clauses import drafts_of
from postil.language.document import Document
from postil.language.drafts import Draft, word_set
from postil.language.pipeline import analyse, documents_of
from postil.language.pronouns import Mention
from postil.language.statements import statement
from postil.language.wording import label_in_text, with_small_letter

LONGEST = 12  # words of one that is put into a sentence
ASKING = word_set("what which who whom whose where when why how")
AUXILIARIES = word_set("is are was were do does did can could will would should may might must has have had")
_CHOICE = re.compile(r",\s+\w+(?:,\s+\w+)*,?\s+or\s+\w+,")  # "Which container, A or B, …"
BAD_END = re.compile(
    r"\b(?:of|so|which|to|the|a|an|and|or|is|are|was|were|where|for|from|with|by|than|example|that|if|because"
    r"|can|could|will|would|should|may|might|must|has|have|had|do|does|did)$",
    re.I,
)


def completed(
    draft: Draft,
    words: str,
    question: Document | None,
    topic: Sequence[Mention],
    before: Sequence[Mention],
    *,
    alone: bool,
    label: str,
) -> str:
    """A fragment as a sentence, in the light of the question; empty where none is natural."""
    root = draft.tokens[draft.root]
    asked = _asking(question) if question else None
    low = {token.text.lower() for token in asked.tokens} if asked else set()
    first = draft.tokens[draft.order[0]]
    subject = next((m for m in topic if m.main), None)
    is_verb = root.pos in ("VERB", "AUX") and draft.order[0] in (
        draft.root,
        *draft.below(draft.root, "aux", "advmod"),
    )
    told = root.tag in ("VBZ", "VBD") or (root.tag == "VBN" and "did" in low and first.index == root.index)
    if is_verb and (told or first.tag in ("MD", "VBZ")) and first.tag != "VB":
        if (
            root.tag == "VBZ"
            and label
            and not label.split(" of ")[0].rstrip(")").endswith("s")
            and len(label.split()) < 5
        ):
            return f"{label_in_text(label)} {words}"
        earlier = next((m for m in before if m.main), None) or subject
        agrees = earlier and (root.tag != "VBZ" or not earlier.plural)
        return f"{earlier.text} {words}" if earlier and agrees else ""
    if (
        subject
        and root.pos == "ADJ"
        and not draft.below(draft.root, "cop", "det")
        and first.pos in ("ADJ", "ADV", "PART")
    ):
        past = bool(low & {"was", "were", "did"})
        be = ("were" if past else "are") if subject.plural else ("was" if past else "is")
        be = "will be" if "will" in low else be
        return f"{subject.text} {be} {words}"
    if not alone or asked is None or len(words.split()) > LONGEST or is_verb or root.tag == "VB":
        return ""
    return _stated(asked.text, words)


@lru_cache(maxsize=1 << 10)
def _stated(asked: str, words: str) -> str:
    """The statement that a question and a fragment make, if it reads as one."""
    opening = re.findall(r"[a-z']+", asked.lower())
    asking = [word for word in opening if word in ASKING]
    if not set(opening[:2]) & ASKING or len(asking) > 1 or re.search(r"[,;:\"“‘]", asked):
        return ""
    if opening[-1] in ("called", "named") or (
        asking[0] == "why" and not re.match(r"(because|due to|to|for|by) ", words)
    ):
        return ""
    whole = statement(asked, words).rstrip(".")
    if whole.lower() == words.lower() or len(whole.split()) > 30 or BAD_END.search(whole):
        return ""
    if not _keeps_order(asked, words, whole):
        return ""
    # The order of a statement: what is asked for is the subject, what something is, or follows "do".
    as_subject = whole.lower().startswith(words.lower())
    inverted = re.search(r"\b(?:do|does|did)\b", asked.lower()) and not re.search(
        r"\b(?:do|does|did)\b", whole.lower()
    )
    copula = re.match(r"(?:what|who) (?:is|are|was|were) (?:the|a|an|your|his|her|its|their) ", asked.lower())
    if not (
        as_subject
        or inverted
        or copula
        or re.match(r"how (?:many|much|long|high|tall|far|old|deep|wide|heavy)\b", asked.lower())
    ):
        return ""
    document = analyse(whole)
    if len(document.sentences) != 1 or document.tokens[0].text.lower() in ASKING:
        return ""
    (draft, *more) = drafts_of(document, document.sentences[0])
    if not more and not (draft.has_subject(draft.root) and draft.is_finite(draft.root)):
        return ""
    return with_small_letter(whole, document.tokens[0])


def _keeps_order(asked: str, words: str, whole: str) -> bool:
    """Whether a verb was put where one can stand: not "groups to are have …", "tried the king to kill"."""
    before, _, after = whole.lower().partition(words.lower())
    said, known = (re.findall(r"[\w']+", text.lower()) for text in (f"{before} | {after}", asked))
    questions = set(pairwise(known))
    doubled = [
        pair
        for pair in pairwise(said)
        if pair[1] in AUXILIARIES and pair[0] in AUXILIARIES | {"to"} and pair not in questions
    ]
    return not doubled and after.split()[:1] != ["to"]


def _asking(question: Document) -> Document | None:
    """The sentence of a question that asks with what, who, how …: the last, or the first with "which"."""
    sentences = [s for s in question.sentences if {t.text.lower() for t in question.words(s)[:2]} & ASKING]
    choosing = [
        s for s in sentences if question.words(s)[0].text.lower() in ("which", "who", "whose", "what")
    ]
    if not sentences:
        return None
    text = _CHOICE.sub("", question.text_of((choosing or sentences[-1:])[0]))
    return question if text == question.text else documents_of([text])[text]


def answered(question: Document, reply: str) -> str:
    """What "yes" or "no" says, where the question can be answered so."""
    for sentence in reversed(question.sentences):
        text = question.text_of(sentence)
        if text.split()[0].lower() in AUXILIARIES and " or " not in text:
            whole = statement(text, reply).rstrip(".")
            document = analyse(whole)
            (draft, *more) = drafts_of(document, document.sentences[0])
            stated = more or (draft.has_subject(draft.root) and draft.is_finite(draft.root))
            if (
                stated
                and whole.lower() != reply
                and len(whole.split()) > 2
                and not re.search(r"\b(?:not|is|are|was|were)$", whole)
            ):
                return with_small_letter(whole, document.tokens[0])
    return ""


def repeats(text: str, other: str) -> bool:
    """Whether a text has nearly all words of the other one."""
    words, said = (set(re.findall(r"[a-z]+", each.lower())) for each in (other, text))
    return len(words & said) >= 0.75 * len(words)
