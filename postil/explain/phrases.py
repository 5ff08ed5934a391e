"""Words of a text inside another sentence: joined, trimmed, quoted, with the right capitals and articles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from postil.language.document import CONTENT_POS, Document, Token
from postil.language.words.wordnet import ancestors, wordnet

# Which words keep their capital inside a sentence: names, labels and abbreviations, not first words.

QUOTES = frozenset(("``", "''", '"', "`", "'", "“", "”", "‘", "’"))


def is_label(token: Token) -> bool:
    """Whether a token is the name of a thing in a drawing: the Z of "switch Z"."""
    return len(token.text) == 1 and token.text.isupper() and token.text != "I" and token.pos != "DET"


def uncapitalised(document: Document) -> Document:
    """A document whose sentences begin with small letters, but for names, so that parts can be quoted."""
    tokens = document.tokens
    elsewhere = {token.text for index, token in enumerate(tokens) if not _begins(tokens, index)}
    lowered = [
        token
        if (token.text in elsewhere and token.is_content) or not _is_lowered(tokens, index)
        else replace(token, text=token.text[:1].lower() + token.text[1:])
        for index, token in enumerate(tokens)
    ]
    return replace(document, tokens=tuple(lowered))


def keeps_capital(token: Token) -> bool:
    """Whether a word begins with a capital wherever it stands: a name, a label, an abbreviation, I."""
    if token.index > 0 or token.pos == "PROPN" or _stays_capital(token):
        return True
    return token.is_content and is_proper(token.text)


def is_title(word: Token, after: Token) -> bool:
    """Whether words are written with capitals as in a headline, so that the first keeps its own."""
    both = word.text[:1].isupper() and after.text[:1].isupper() and not is_label(after)
    return both and word.pos in CONTENT_POS


def _begins(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word begins a sentence, also inside of brackets or after a colon."""
    before = [token for token in tokens[:index] if token.text not in QUOTES]
    return not before or before[-1].text[-1] in ".!?:([-"


def _is_lowered(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word has its capital only because of where it stands."""
    token, after = tokens[index], tokens[index + 1] if index + 1 < len(tokens) else None
    if not token.text[:1].isupper() or _stays_capital(token):
        return False
    if not token.is_content:
        # Within a sentence, "A" is the name of something.
        inner = len(token.text) > 1 and (after is None or after.text[:1].islower())
        return inner or _begins(tokens, index)
    if not _begins(tokens, index) or (after is not None and is_title(token, after)):
        return False
    if token.pos != "PROPN":
        return not is_proper(token.text)
    common = bool(wordnet().synsets(token.text.lower(), "n")) and not is_proper(token.text)
    return common and after is not None and (is_label(after) or after.pos in ("NUM", "NOUN"))


def _stays_capital(token: Token) -> bool:
    """Whether a word is a label, an abbreviation or I."""
    word = token.text
    return (
        is_label(token)
        or word[1:] == "."
        or word.split("'")[0] == "I"
        or any(map(str.isupper, word[1:]))
        or "." in word[:-1]
    )


def is_proper(word: str) -> bool:
    """Whether a dictionary writes a word with a capital: Indian, Monday."""
    wn = wordnet()
    forms = {form for sense in wn.synsets(word)[:1] for form in wn.lemmas(sense)}
    return word in forms and word.lower() not in forms


def wordset(words: str) -> frozenset[str]:
    """A set of words, written as a line of them."""
    return frozenset(words.split())


# Words that the tagger counts as content, but that say too little to be called missing.
_IDLE = wordset(
    "be there here then so also too just both very really however therefore thus actually when where why how"
    " ’s 's"
)
_TIES = wordset("then so also therefore thus however both")
_NOUNS = frozenset(("NOUN", "PROPN", "NUM", "PRON", "SYM", "X"))
_FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
_NO_BLANK_BEFORE = re.compile(r"[,.;:!?%)\]”]+|'s|’s|n't|n’t|'(?:re|ll|ve|d|m)|-", re.IGNORECASE)
_NO_BLANK_AFTER = frozenset(("(", "[", "$", "€", "£", "“", "-"))
_EDGES = '.,;:!?"`“”‘()[]'
# Prepositions that say little by themselves: "in the wire" can be called "the wire".
_PLAIN = wordset("in on at to of with by for from into onto through about")
# A coarse tokenizer leaves the stop on the last word; an abbreviation keeps its own.
_ENDING = re.compile(r"(?<!\.\w)[.,;:!?]+$")
# "B." before an answer in words is the choice that was made.
_CHOICE = re.compile(r"[A-Z]\.")
_LONG, _SHORT = 12, 5
# A quotation may be cut before these words, and not behind those.
_OPENERS = frozenset(("ADP", "SCONJ", "CCONJ", "DET", "PRON", "AUX", "VERB"))
_CLOSERS = frozenset(("NOUN", "PROPN", "VERB", "ADV", "NUM", "ADJ"))
_VOWEL = re.compile(r"(?!eu|uni|use|one\b)[aeiou]|hour|hono|heir", re.IGNORECASE)
# What can stand behind an article: in "terminal a is", the "a" is a name.
_NAMED = re.compile(r"(?!(?:or|and|is|are|in|on|of|at|as|if)\b)[a-z]\w")


def tokens_of(document: Document, numbers: Iterable[int]) -> tuple[Token, ...]:
    """The tokens with these numbers, counted from 1, in the order of the text."""
    return tuple(document.tokens[number - 1] for number in sorted(set(numbers)))


def negation_cues(document: Document) -> set[int]:
    """The places of the words that deny something: "not", "never"."""
    return {cue for negation in document.negations for cue in negation.cue}


def forms_in(document: Document) -> set[str]:
    """The words of a text in lower case, as they are written and as a dictionary has them."""
    return {form for token in document.tokens for form in (lemma(token), token.text.lower())}


def forms(tokens: Iterable[Token]) -> tuple[str, ...]:
    """The words of a phrase in lower case, without punctuation: what two phrases are compared by."""
    return tuple(token.text.lower().strip(_EDGES) for token in tokens if not is_punctuation(token))


def lemmas(tokens: Iterable[Token]) -> tuple[str, ...]:
    """The lemmas of a phrase without its articles: "the girls" is about the same as "a girl"."""
    return tuple(lemma(token) for token in tokens if token.pos != "DET" and not is_punctuation(token))


def is_within(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether words stand side by side among others."""
    ends = range(len(words), len(others) + 1)
    return any(tuple(others[end - len(words) : end]) == tuple(words) for end in ends)


def base(token: Token) -> str:
    """The relation without its subtype: nsubj for nsubj:pass."""
    return token.relation.partition(":")[0]


def lemma(token: Token) -> str:
    """The lemma in lower case, without punctuation that a coarse tokenizer left on it."""
    return token.lemma.lower().strip(_EDGES)


def is_punctuation(token: Token) -> bool:
    """Whether a token has neither letters nor digits and is no unit either."""
    return not any(character.isalnum() or character in "$€£%°" for character in token.text)


def carries_meaning(token: Token) -> bool:
    """Whether a word says something that could be missed: not "is", "and", "the", "then"."""
    if is_punctuation(token) or lemma(token) in _IDLE:
        return False
    return token.pos in CONTENT_POS or token.pos == "X" or is_label(token)


def is_finite(tokens: Iterable[Token]) -> bool:
    """Whether there is a verb with a tense or a modal among the words."""
    return any(token.tag in _FINITE and token.pos in ("VERB", "AUX") for token in tokens)


def is_plural(tokens: Sequence[Token], head: Token) -> bool:
    """Whether a noun phrase wants "are": a plural, or two things joined by "and"."""
    joined = any(base(token) == "conj" and token.head == head.index for token in tokens)
    return head.tag in ("NNS", "NNPS") or joined or lemma(head) in ("they", "we", "you", "these", "those")


def heads_of(tokens: Sequence[Token]) -> list[Token]:
    """The words of a phrase that depend on nothing inside it, punctuation aside."""
    inside = {token.index for token in tokens}
    outer = (token for token in tokens if token.head not in inside or token.head == token.index)
    return [token for token in outer if not is_punctuation(token)]


def kind_of(tokens: Sequence[Token]) -> str:
    """What words form: noun, preposition, verb, sentence, clause, adjective, adverb or other.

    A `sentence` has a subject and a tense, a `clause` begins with because, if and the like, a `verb` is a
    predicate without its subject.
    """
    tokens = trimmed(tokens)
    heads = heads_of(tokens)
    if len(heads) != 1:
        return "other"
    head = heads[0]
    relations = {base(token) for token in tokens if token.head == head.index and token is not head}
    marked = tokens[0].pos == "SCONJ" or (tokens[0].tag == "WRB" and len(tokens) > 1)
    if marked and (relations & {"nsubj", "cop", "aux"} or head.pos == "VERB"):
        return "clause"
    if relations & {"nsubj", "expl"} and is_finite(tokens):
        return "sentence"
    if head.pos in ("VERB", "AUX") or relations & {"cop", "aux"}:
        return "verb"
    if tokens[0].pos == "ADP" and head.pos in _NOUNS and len(tokens) > 1:
        return "preposition"
    if head.pos in _NOUNS and not any(
        token.pos in ("VERB", "AUX") and base(token) != "amod" for token in tokens
    ):
        return "noun"
    return {"ADJ": "adjective", "ADV": "adverb"}.get(head.pos, "other")


def trimmed(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """A phrase without the punctuation and the conjunctions at its ends, and without quotation marks."""
    words = [token for token in tokens if token.text not in QUOTES]
    if len(words) > 1 and words[0].index == 0 and _CHOICE.fullmatch(words[0].text):
        del words[0]
    while words and (
        is_punctuation(first := words[0])
        or first.pos == "CCONJ"
        or first.tag == "POS"
        or (first.pos == "ADV" and lemma(first) in _TIES)
    ):
        del words[0]
    while words and (
        is_punctuation(last := words[-1])
        or last.pos in ("CCONJ", "SCONJ")
        # A participle whose object was cut off: "the path containing"
        or (len(words) > 1 and last.tag == "VBG" and base(last) == "acl")
    ):
        del words[-1]
    return tuple(words)


def noun_phrase(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The noun phrase that words form, a plain preposition before it left off; empty where they form none."""
    tokens = trimmed(tokens)
    kind = kind_of(tokens) if tokens else ""
    if kind not in ("noun", "preposition"):
        return ()
    head = heads_of(tokens)[0]
    if head.pos not in ("NOUN", "PROPN", "X") or head.text[0].isdigit():
        return ()
    if kind == "noun" and any(base(token) == "case" and token.head == head.index for token in tokens[1:]):
        return ()  # "still in the path" names no thing
    if any(base(token) in ("nsubj", "cop") and token.head == head.index for token in tokens):
        return ()
    if kind == "noun":
        # "Once a year" names no thing.
        return tokens if base(head) != "obl" else ()
    plain = (
        lemma(tokens[0]) in _PLAIN and tokens[1].pos != "ADP" and lemma(tokens[1]) not in ("least", "most")
    )
    return tokens[1:] if plain and (tokens[1].pos != "VERB" or base(tokens[1]) == "amod") else ()


def without_shared_start(
    first: Sequence[Token], second: Sequence[Token]
) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """Two phrases without the preposition with which both begin, for the contrast lies behind it."""
    first, second = trimmed(first), trimmed(second)
    while min(len(first), len(second)) > 1:
        if not first[0].pos == second[0].pos == "ADP" or lemma(first[0]) != lemma(second[0]):
            break
        first, second = first[1:], second[1:]
    return first, second


def joined(tokens: Sequence[Token], *, gaps: bool = True) -> str:
    """Words as they are written in a text, with … where two or more words between them are left out."""
    text = ""
    before: Token | None = None
    for token in balanced(tokens):
        if gaps and before is not None and _is_gap(before, token):
            text += " …"
        glued = before is None or _clings(before, token)
        text += token.text if glued else f" {token.text}"
        before = token
    return text


def _is_gap(before: Token, token: Token) -> bool:
    """Whether two words or more are left out between two words."""
    return token.index > before.index + 2


def _clings(before: Token, token: Token) -> bool:
    """Whether no blank stands between two words; a dash, unlike a hyphen, has one on either side."""
    if "-" in (before.text, token.text):
        return "HYPH" in (before.tag, token.tag)
    return before.text in _NO_BLANK_AFTER or bool(_NO_BLANK_BEFORE.fullmatch(token.text))


def balanced(tokens: Sequence[Token]) -> Sequence[Token]:
    """Words without brackets whose partner is not among them."""
    opened: list[int] = []
    loose: set[int] = set()
    for index, token in enumerate(tokens):
        if token.text in ("(", "["):
            opened.append(index)
        elif token.text in (")", "]"):
            if opened:
                opened.pop()
            else:
                loose.add(index)
    loose.update(opened)
    return [token for index, token in enumerate(tokens) if index not in loose]


def spoken(tokens: Sequence[Token], *, gaps: bool = True) -> str:
    """A phrase as it stands inside a sentence: trimmed, and not beginning with a capital by accident."""
    tokens = trimmed(tokens)
    if not tokens:
        return ""
    last = replace(tokens[-1], text=_ENDING.sub("", tokens[-1].text))
    text = joined(_with_articles([*tokens[:-1], last], gaps=gaps), gaps=gaps)
    if keeps_capital(tokens[0]) or (len(tokens) > 1 and is_title(tokens[0], tokens[1])):
        return text
    return text[:1].lower() + text[1:]


def article(word: str) -> str:
    """The indefinite article that a word wants before it: "a" or "an"."""
    return "an" if _VOWEL.match(word) else "a"


def _with_articles(tokens: Sequence[Token], *, gaps: bool) -> list[Token]:
    """Words with "a" and "an" put right where the word behind them is another than it was."""
    right = {
        token.index: article(after.text)
        for token, after in pairwise(balanced(tokens))
        if token.text in ("a", "an") and _NAMED.match(after.text) and not (gaps and _is_gap(token, after))
    }
    return [replace(token, text=right.get(token.index, token.text)) for token in tokens]


def quoted(tokens: Sequence[Token]) -> str:
    """A phrase in quotation marks, cut short where it is long."""
    return f"“{excerpt(tokens)}”"


def excerpt(tokens: Sequence[Token]) -> str:
    """A phrase, cut short between two chunks where it is long."""
    words = trimmed(tokens)
    beginning = shortened(words)
    return (spoken(words) or joined(tokens).lower()) if beginning == words else f"{spoken(beginning)} …"


def shortened(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """As much of a phrase as is quoted: all of it, or up to a place where a long one can be cut."""
    if len(spoken(words).split()) <= _LONG:
        return words
    cuts = [
        index
        for index in range(_SHORT, min(_LONG, len(words)))
        if words[index].pos in _OPENERS and words[index - 1].pos in _CLOSERS
    ]
    return words[: cuts[-1] if cuts else _LONG]


def listed(items: Sequence[str], word: str = "and") -> str:
    """Items as a list in a sentence: "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    # "a and b, and c" is not "a and b and c".
    comma = "," if any(" and " in item for item in items) else ""
    return f"{', '.join(items[:-1])}{comma} {word} {items[-1]}"


_COUNTED = ("artifact.n.01", "person.n.01", "animal.n.01")


def is_kind(noun: Token, *names: str) -> bool:
    """Whether the first sense of a noun is a kind of one of WordNet's synsets."""
    wn = wordnet()
    senses = wn.synsets(lemma(noun), "n") if noun.pos == "NOUN" else ()
    if not senses:
        return False
    starts, up = ancestors().rows
    above = up[starts[senses[0]] : starts[senses[0] + 1]]
    return any(wn.find(name) in above for name in names)


def wants_article(phrase: Sequence[Token], *, events: bool = False) -> bool:
    """Whether a noun phrase lacks an "a": one thing that can be counted, named without any determiner."""
    last = phrase[-1]
    if last.tag != "NN" or any(token.pos not in ("NOUN", "ADJ", "VERB", "PROPN", "ADV") for token in phrase):
        return False
    return is_kind(last, *_COUNTED, *(("event.n.01",) if events else ()))


def definite(phrase: Sequence[Token]) -> str:
    """A noun phrase as something that was spoken of before: "the bulb" for "a bulb", "each bulb", "bulb"."""
    phrase = trimmed(phrase)
    bare = [token for token in phrase if token.pos not in ("DET", "PRON")]
    if any(token.pos == "CCONJ" for token in phrase):
        return spoken(phrase, gaps=False)
    if not bare or (len(bare) == len(phrase) and not wants_article(phrase)):
        return spoken(phrase, gaps=False)
    return f"the {spoken(bare, gaps=False)}"


def named(phrase: Sequence[Token], *, gaps: bool = True) -> str:
    """A noun phrase as a sentence names it, with an article where it was written without one."""
    phrase = trimmed(phrase)
    text = spoken(phrase, gaps=gaps)
    return f"{article(text)} {text}" if phrase and wants_article(phrase) else text
