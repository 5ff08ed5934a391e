"""Negation: which words negate, and what they negate.

The tree decides what a cue negates where it can be trusted; elsewhere it is the words up to the clause's end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache

from postil.language.document import Negation, Token


class Reach(Enum):
    """What a cue negates: a predicate, a noun phrase, the clause of a pronoun, or the words that follow."""

    PREDICATE = auto()
    NOUN = auto()
    PRONOUN = auto()
    PHRASE = auto()


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _table(reach: Reach, words: str) -> dict[str, Reach]:
    return dict.fromkeys(words.split(), reach)


WORD_CUES = {
    **_table(Reach.PREDICATE, "not n't nt n`t nto never hardly barely scarcely nor"),
    # Written as one word and not cut by the tokenizer.
    **_table(Reach.PREDICATE, "dont doesnt didnt isnt arent wasnt werent cant wont aint hasnt havent cannot"),
    **_table(Reach.PREDICATE, "dosnt dosent doesent doenst doesnot donot dident diddnt isint wasent cannt"),
    **_table(Reach.NOUN, "no neither"),
    **_table(Reach.PRONOUN, "none nobody nothing nowhere noone"),
    **_table(Reach.PHRASE, "without w/o witout withought whitout lack"),
}
_WEAK = frozenset(("hardly", "barely", "scarcely"))

# Two words in a row, the first as a form or a lemma.
_PAIR_CUES = {
    ("no", "longer"): Reach.PREDICATE,
    ("no", "one"): Reach.PRONOUN,
    **{(word, "of"): Reach.PHRASE for word in ("instead", "lack", "absence")},
    **{("rather", word): Reach.PHRASE for word in ("than", "then")},
    **{(word, "to"): Reach.PHRASE for word in _words("fail failure refuse refusal unable inability")},
}
# Verbs that negate what comes after "from": it keeps the water from leaking.
_FROM_VERBS = frozenset(("prevent", "stop", "keep", "block", "hinder"))

# A cue before one of these negates nothing: no doubt, not only, nothing but.
_IDLE_BEFORE = {
    "no": frozenset(("doubt", "doubts", "matter", "wonder")),
    **dict.fromkeys(("not", "n't", "nt"), frozenset(("only", "just", "merely", "simply"))),
    "nothing": frozenset(("but",)),
    "none": frozenset(("other",)),
}

# Where a negation ends, whatever the tree says. What follows "because" is the reason, and it holds.
_BECAUSE = _words("because becuase becasue becuse becaus cuz coz bc b/c since")
_BOUNDARIES = _BECAUSE | _words(
    "if when whenever unless until while whereas although though but however therefore then "
    "why how whether what where . ! ? ; :"
)
# "Not all metals are magnetic": the not belongs to the noun phrase.
_QUANTIFIERS = frozenset(("all", "every", "each", "both", "many"))
_PRONOUNS = frozenset(("i", "you", "he", "she", "it", "we", "they"))
_NEW_SUBJECTS = _PRONOUNS | {"there", "this", "that", "these", "those"}
ARTICLES = frozenset(("a", "an", "the"))

# Verbs whose negation reaches the clause they govern: "I don't think it lights", not "I don't know why".
_CLAUSE_VERBS = _words("think believe mean imply suppose expect let allow make want cause require need")
# "No gap means that it lights": the lack of a gap is what acts, so the verb holds.
_ACTING_VERBS = _words("mean make cause create let allow lead result imply keep help show tell give")

_LOOKALIKE = re.compile(
    r"un(der|til|less|to\b|cle|anim|able|like\b|gula|dulat|canny|ct|doubt|ravel"
    r"|i(?!n[a-z]{4}|m(?!o)[a-z]{4}|dentified|lluminat))|non(e|ce|cha|plus|ag|sens)"
)
_PREFIXED = re.compile(r"(un|non)-?[a-z]{3,}")
# Stems of dis-, in-, im-, il- and ir- words: too many others only look negative for a rule to be safe.
_STEM_LIST = """
    disab disadvant disagree disallow disappear disapprov disassembl disbelie discharg discomfort
    disconect disconnect discontin disengag disequil dishonest dislik disobe disorder disorgani
    dispropor disprov disqualif dissatisf dissimilar dissociat distrust disus inaccura inactiv inadequa
    inappropriat incapab incomplet inconclusiv inconsisten incorrect independ indirect inedib ineffect
    inefficien inelastic inequal inexact inexpensiv infertil infinit inflexib infrequen inhuman
    inorganic insecur insignifican insolub instab insufficien insensitiv intoleran invalid invariab
    invertebrat invisib involuntar imbalanc immatur immeasur immobil immortal impartial impassab
    imperfect impermeab impossib impractical imprecis improbab improper impur illegal illegib illiterat
    illogical irrational irregular irrelevan irresponsib irreversib
"""
_STEMS = tuple(_STEM_LIST.split())
_SPLIT_PREFIXES = frozenset(("non", "un", "dis"))
_WORD_POS = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV"))

# Every word that a cue of more than a prefix can begin with.
_FIRST_WORDS = frozenset(WORD_CUES) | {first for first, _ in _PAIR_CUES} | _FROM_VERBS

# How many tokens after its cue a head can be, a scope can end, and a scope can end where there is no tree.
_FURTHEST = 10
_LONGEST = 60
_WINDOW = 6
_SUBJECTS = ("nsubj", "csubj")
_OUTSIDE = _words("punct cc aux cop expl discourse vocative parataxis mark reparandum")
_FINITE = frozenset(("VBZ", "VBD"))


def find_negations(tokens: tuple[Token, ...]) -> tuple[Negation, ...]:
    """Find the cues of negation and, for each, the tokens it negates; in the order of the cues.

    A negation's kind is `word`, `weak` (hardly, barely, scarcely) or `prefix` (unequal).
    """
    starts = [i for i, token in enumerate(tokens) if _may_begin(token.text, token.lemma, token.pos)]
    if not starts:
        return ()
    text = _Text.of(tokens)
    negations: list[Negation] = []
    taken: set[int] = set()
    for start in starts:
        if start not in taken and (negation := _negation_at(text, start)):
            # Two cues can claim the same second word: it belongs to the first.
            cue = tuple(index for index in negation.cue if index not in taken)
            taken.update(cue)
            negations.append(replace(negation, cue=cue))
    return tuple(negations)


def is_prefixed(word: str, pos: str) -> bool:
    """Whether a word in lower case is negative by its prefix: unequal, nonmetal, disconnected, impossible."""
    if pos not in _WORD_POS:
        return False
    return word.startswith(_STEMS) or (not _LOOKALIKE.match(word) and bool(_PREFIXED.fullmatch(word)))


def _normal_form(word: str) -> str:
    """A word as cues are listed: in lower case, with a plain apostrophe."""
    return word.lower().replace("’", "'")


@lru_cache(maxsize=1 << 14)
def _may_begin(text: str, lemma: str, pos: str) -> bool:
    """Whether a cue can begin at such a token: nearly all words cannot, and are skipped at once."""
    word = _normal_form(text)
    listed = word in _FIRST_WORDS or lemma.lower() in _FIRST_WORDS
    return listed or word in _SPLIT_PREFIXES or is_prefixed(word, pos)


@dataclass(frozen=True, slots=True)
class _Text:
    """Tokens with their words in lower case and the tree turned downwards."""

    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, tokens: tuple[Token, ...]) -> _Text:
        """Prepare tokens; heads outside the text are left out."""
        children: list[list[int]] = [[] for _ in tokens]
        for index, token in enumerate(tokens):
            if token.head != index and 0 <= token.head < len(tokens):
                children[token.head].append(index)
        return cls(tokens, tuple(_normal_form(token.text) for token in tokens), tuple(map(tuple, children)))

    def __len__(self) -> int:
        return len(self.tokens)

    def word(self, index: int) -> str:
        """The word at an index, empty outside the text."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def forms(self, index: int) -> tuple[str, str]:
        """A word as it is written and its lemma."""
        return self.words[index], self.tokens[index].lemma.lower()

    def head(self, index: int) -> int:
        """The head of a token; the token itself for a root."""
        head = self.tokens[index].head
        return head if 0 <= head < len(self.tokens) else index

    def relation_starts(self, index: int, *relations: str) -> bool:
        """Whether a token's relation is one of these, subtypes included."""
        return self.tokens[index].relation.startswith(relations)

    def has_child(self, index: int, *relations: str) -> bool:
        """Whether a token has a dependent with one of these relations, subtypes included."""
        return any(self.tokens[child].relation.startswith(relations) for child in self.children[index])

    def ends(self, index: int) -> bool:
        """Whether a clause has ended before an index: by punctuation, a boundary word or with the text."""
        return index >= len(self) or self.tokens[index].pos == "PUNCT" or self.is_boundary(index)

    def is_boundary(self, index: int) -> bool:
        """Whether a word ends what is negated before it; "so" does, except in "so bright"."""
        if self.words[index] == "so" and index + 1 < len(self):
            return self.tokens[index + 1].pos not in ("ADJ", "ADV")
        return self.words[index] in _BOUNDARIES


def _negation_at(text: _Text, start: int) -> Negation | None:
    """The negation whose cue begins at a token, if any."""
    word = text.words[start]
    if word == "neither" and (nor := _nor(text, start)):
        both = {*range(start + 1, nor), *range(nor + 1, _clause_end(text, nor + 1))}
        return _negation(text, (start, nor), both)
    for form in text.forms(start):
        if reach := _PAIR_CUES.get((form, text.word(start + 1))):
            return _negation(text, (start, start + 1), _scope(text, reach, start, start + 1))
        if form in _FROM_VERBS and (index := _from_doing(text, start)):
            return _negation(text, (start, index), _phrase_scope(text, index, index))
    reach = next((WORD_CUES[form] for form in text.forms(start) if form in WORD_CUES), None)
    if reach and not _is_idle(text, start):
        cue = (start, *(_any_more(text, start) if reach is Reach.PREDICATE else ()))
        return _negation(text, cue, _scope(text, reach, start, start), "weak" if word in _WEAK else "word")
    if word in _SPLIT_PREFIXES and not text.tokens[start].text.isupper():  # "UN" is a name
        whole = start + 1 + (text.word(start + 1) == "-")
        return None if text.ends(whole) else Negation((start,), (whole,), "prefix")
    return Negation((start,), (start,), "prefix") if is_prefixed(word, text.tokens[start].pos) else None


def _negation(text: _Text, cue: tuple[int, ...], scope: set[int], kind: str = "word") -> Negation:
    negated = (index for index in scope if index not in cue and text.tokens[index].pos != "PUNCT")
    return Negation(cue, tuple(sorted(negated)), kind)


def _nor(text: _Text, neither: int) -> int:
    """Where the "nor" of a "neither" is, or 0."""
    for index in range(neither + 1, min(neither + _FURTHEST, len(text))):
        if text.words[index] == "nor":
            return index
        if text.words[index] in ".?!;":
            break
    return 0


def _from_doing(text: _Text, verb: int) -> int:
    """Where the "from" of "prevent it from working" is, or 0."""
    for index in range(verb + 1, min(verb + _FURTHEST, len(text) - 1)):
        if text.ends(index):
            break
        if text.words[index] == "from" and text.words[index + 1].endswith("ing"):
            return index
    return 0


def _any_more(text: _Text, start: int) -> tuple[int, ...]:
    """The rest of a cue like "not … any more"."""
    for index in range(start + 1, min(start + _FURTHEST, len(text))):
        if text.ends(index):
            break
        if text.words[index] == "anymore":
            return (index,)
        if text.words[index] == "any" and text.word(index + 1) in ("more", "longer") and text.ends(index + 2):
            return index, index + 1
    return ()


def _is_idle(text: _Text, start: int) -> bool:
    """Whether a word that often negates does not do so here: not only, why not, or not, No. 5, isn't it?"""
    word, before, after = text.words[start], text.word(start - 1), text.word(start + 1)
    if after in _IDLE_BEFORE.get(word, ()):
        return True
    if word == "no":
        number = after == "." and text.word(start + 2)[:1].isdigit()
        # "No because …" answers a question and does not belong to a noun.
        is_answer = text.ends(start + 1) or after in _NEW_SUBJECTS
        if not is_answer and text.tokens[start].pos == "INTJ":
            is_answer = text.tokens[start + 1].pos in ("DET", "AUX", "PRON")
        return number or after[:1].isdigit() or is_answer
    if word == "not":
        asked = "whether" in text.words[max(0, start - _FURTHEST) : start]
        or_not = before == "or" and (text.ends(start + 1) or asked)
        return before == "why" or or_not or text.words[start + 1 : start + 3] == ("to", "mention")
    if word in ("n't", "nt"):
        asks = after in _NEW_SUBJECTS and start > 2 and text.word(start + 2) in ("", "?", ".", "!")
        return asks and text.tokens[start - 1].pos == "AUX"
    return False


def _scope(text: _Text, reach: Reach, first: int, last: int) -> set[int]:
    """The tokens that the cue from `first` to `last` negates."""
    if text.word(last + 1) == "," and (first == 0 or text.ends(first - 1)):
        return set()
    return _RULES[reach](text, first, last)


def _predicate_scope(text: _Text, first: int, last: int) -> set[int]:
    """What "not" negates: its predicate and what follows that, without the subject."""
    if text.words[last] == "not" and text.word(last + 1) in _PRONOUNS:
        return set()  # "If you do not it breaks": the verb is left out
    if text.word(last + 1) in _QUANTIFIERS:
        return _noun_scope(text, last + 1, last + 1) | {last + 1}
    top = text.head(first)
    # Climb from what only modifies or helps the negated word: not *very* bright, *does* not light.
    while text.head(top) > last and text.head(top) != top:
        if not text.relation_starts(top, "aux", "cop", "det", "advmod", "nummod"):
            break
        top = text.head(top)
    if not _is_trusted(text, top, last):
        return _window(text, last + 1)
    return _below(text, top, last + 1) or _window(text, last + 1) or {top}


def _noun_scope(text: _Text, first: int, last: int) -> set[int]:
    """What "no" negates: its noun phrase and, where that is the subject, the predicate."""
    noun = text.head(first)
    if not (noun > last and _is_trusted(text, noun, last)):
        clause = range(last + 1, _clause_end(text, last + 1))
        noun = next((index for index in clause if text.tokens[index].pos in ("NOUN", "PROPN")), -1)
    if noun < 0:
        return _pronoun_scope(text, first, last)
    scope = _below(text, noun, last + 1) | {noun}
    verb = text.head(noun)
    is_subject = text.relation_starts(noun, "nsubj") and verb > noun
    if is_subject and not _ACTING_VERBS.intersection(text.forms(verb)) and not _parted(text, last, verb):
        scope |= _below(text, verb, noun + 1)
    return scope


def _pronoun_scope(text: _Text, first: int, last: int) -> set[int]:
    """What "nothing" negates: the verb it belongs to, and what describes it."""
    pronoun = first if text.head(first) != last else last
    scope = _below(text, pronoun, last + 1)
    verb = text.head(pronoun)
    is_argument = verb != pronoun and text.relation_starts(pronoun, "nsubj", "obj", "advmod")
    is_near = abs(verb - pronoun) <= _FURTHEST and not _parted(text, min(verb, last), max(verb, last))
    if is_argument and is_near and not text.has_child(verb, "expl"):
        scope |= _below(text, verb, last + 1) | {verb}
    return scope or _window(text, last + 1)


def _phrase_scope(text: _Text, first: int, last: int) -> set[int]:
    """What "without" or "fails to" negates: the phrase that follows."""
    heads = [text.head(last), text.head(first)]
    heads += [child for child in text.children[first] if text.relation_starts(child, "obj")]
    top = next((head for head in heads if head > last and _is_trusted(text, head, last)), -1)
    return _below(text, top, last + 1) if top > 0 else _window(text, last + 1)


_RULES = {
    Reach.PREDICATE: _predicate_scope,
    Reach.NOUN: _noun_scope,
    Reach.PRONOUN: _pronoun_scope,
    Reach.PHRASE: _phrase_scope,
}


def _parted(text: _Text, first: int, second: int) -> bool:
    """Whether a clause ends between two tokens."""
    start = first + 1 + _negates_reason(text, first)
    return any(text.is_boundary(index) for index in range(start, second))


def _is_trusted(text: _Text, top: int, cue: int) -> bool:
    """Whether the tree's word for what a cue negates makes sense."""
    if top > cue:
        return top - cue <= _FURTHEST and not _parted(text, cue, top)
    # What is negated follows its cue, except in "there is not" and "it does not".
    return top < cue and cue - top <= 3 and bool({"be", "have", "do"}.intersection(text.forms(top)))


def _below(text: _Text, top: int, start: int) -> set[int]:
    """The tokens from `start` on that depend on `top`, without subjects and other clauses."""
    end = _boundary(text, start)
    scope: set[int] = set()
    waiting = [top]
    seen = {top}
    while waiting:
        index = waiting.pop()
        if start <= index < end:
            scope.add(index)
        negated = {child for child in _negated_with(text, index, top) if child not in seen and child >= start}
        seen |= negated
        waiting += negated
    return scope


def _negated_with(text: _Text, index: int, top: int) -> Iterator[int]:
    """The dependents of a token that are negated with it."""
    is_clause = index == top or text.relation_starts(index, "ccomp", "conj")
    for child in text.children[index]:
        relation = text.tokens[child].relation
        if relation.partition(":")[0] in _OUTSIDE:
            continue
        if relation.startswith(_SUBJECTS) and is_clause and not text.has_child(index, "expl"):
            continue
        if relation.startswith("conj") and not _shares(text, index, child):
            continue
        marks = map(text.word, text.children[child])
        stands_alone = text.has_child(child, *_SUBJECTS) or not _BOUNDARIES.isdisjoint(marks)
        if relation.startswith("advcl") and stands_alone:
            continue
        if relation.startswith("ccomp") and not _CLAUSE_VERBS.intersection(text.forms(index)):
            continue
        yield child


def _shares(text: _Text, index: int, conjunct: int) -> bool:
    """Whether a conjunct shares the negation of what it is joined to; "not open and is closed" does not."""
    if text.has_child(conjunct, *_SUBJECTS, "aux", "cop"):
        return False
    return text.tokens[conjunct].tag not in _FINITE or text.tokens[index].tag in _FINITE


def _negates_reason(text: _Text, cue: int) -> bool:
    """Whether a cue negates the reason itself, as in "it is not because it is heavy"."""
    return text.word(cue + 1) in _BECAUSE and (cue < 1 or "be" in text.forms(cue - 1))


def _boundary(text: _Text, start: int) -> int:
    """Where the words end that a negation can reach: before but, because, a full stop, ", it"."""
    last = min(start + _LONGEST, len(text))
    # "Its an open path" is how many write "it's an open path".
    new_clause = {",": _NEW_SUBJECTS, "its": ARTICLES}
    for index in range(start + _negates_reason(text, start - 1), last):
        if text.is_boundary(index) or text.word(index + 1) in new_clause.get(text.words[index], ()):
            return index
    return last


def _clause_end(text: _Text, start: int) -> int:
    """Where the clause from `start` ends, judged by its words alone."""
    last = min(start + _WINDOW, len(text))
    for index in range(start, last):
        if text.ends(index) or (index > start and text.words[index] == "cause"):
            return index
        is_subject = text.words[index] in _NEW_SUBJECTS and index + 1 < len(text)
        if index > start and is_subject and text.tokens[index + 1].pos in ("VERB", "AUX", "ADJ"):
            return index
    return last


def _window(text: _Text, start: int) -> set[int]:
    return set(range(start, _clause_end(text, start)))
