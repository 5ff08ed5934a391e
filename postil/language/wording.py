"""A draft in words: as written, without the signs that held removed parts together."""

from __future__ import annotations

import re

from postil.language.document import Token
from postil.language.drafts import Draft
from postil.language.outline import is_step


def text_of(draft: Draft, names: frozenset[str] = frozenset()) -> str:
    """The statement as written: without what held removed parts together, and with a small first letter."""
    order = [i for i in draft.order if _stays(draft, i)]
    while (
        order
        and not draft.tokens[order[0]].text[0].isalnum()
        and draft.low(order[0]) not in ("'", '"', "‘", "“", "(", "[", "$", "£", "€", "-", "+", "<", ">", "°")
    ):
        order.pop(0)
    while order and draft.low(order[-1]) in (",", ";", ":", ".", "-", "–", "—", "!", "(", "/"):
        order.pop()
    text, last = "", None
    for index in order:
        token = draft.tokens[index]
        word = draft.words.get(index, token.text)
        joined = last is not None and index == last + 1 and token.start == draft.tokens[last].end
        tight = last is not None and token.text in (",", ".", ";", ":", ")", "'s", "’s", "%")
        text += word if joined or tight or last is None else f" {word}"
        last = index
    text = re.sub(r"\(\s*\)|\[\s*\]", "", " ".join(text.split())).strip(" ,;")
    open_ = text.count("(") - text.count(")")
    text = text + ")" * open_ if open_ > 0 else text.removesuffix(")" * -open_)
    if re.search(r"[a-z][A-Z]\.$|\w{5,}\.$", text):
        text = text[:-1]  # a stop that the last word was taken to have
    if not order or order[0] in draft.words:
        return text
    return with_small_letter(text, draft.tokens[order[0]], names)


def _stays(draft: Draft, index: int) -> bool:
    """Whether a sign stays: not a comma beside words that were left out, unless it ends a clause in front."""
    if draft.tokens[index].text[0] not in ",;:–—-":
        return True
    if index - 1 not in draft.heads:
        return False
    fronted = [kid for kid in draft.below(draft.root, "advcl") if kid < draft.root]
    return index + 1 in draft.heads or any(index - 1 in draft.subtree(kid) for kid in fronted)


def with_small_letter(text: str, first: Token, names: frozenset[str] = frozenset()) -> str:
    """A text with a small first letter, unless its first word is a name, a label or an abbreviation."""
    word = re.match(r"[^\W\d_]+", text)
    if not word or word[0] == "I" or not (word[0][1:].islower() or word[0] in ("A",)):
        return text
    if is_step(text):
        return text[0].lower() + text[1:]
    if (
        first.pos == "PROPN"
        or (word[0] in names and first.is_content)
        or (word[0] == "A" and first.pos != "DET")
    ):
        return text
    if re.match(r"[A-Z][a-z]+-[A-Z]", text):
        return text
    if re.match(r"[A-Z][a-z]+ [A-Z][a-z]", text) and first.pos not in ("DET", "ADP", "PRON", "SCONJ"):
        return text  # "Overly Orange"
    return text[0].lower() + text[1:]


def label_in_text(label: str) -> str:
    """A heading with a small first letter, unless it is a name."""
    named = any(word[:1].isupper() for word in label.split()[1:]) or not label[1:2].islower()
    return label if named else label[:1].lower() + label[1:]
