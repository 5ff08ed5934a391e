"""The words that negate, the words that only look so, and the words that end what is negated."""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache


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
WEAK = frozenset(("hardly", "barely", "scarcely"))

# Two words in a row, the first as a form or a lemma.
PAIR_CUES = {
    ("no", "longer"): Reach.PREDICATE,
    ("no", "one"): Reach.PRONOUN,
    ("instead", "of"): Reach.PHRASE,
    ("rather", "than"): Reach.PHRASE,
    ("rather", "then"): Reach.PHRASE,
    ("lack", "of"): Reach.PHRASE,
    ("absence", "of"): Reach.PHRASE,
    ("fail", "to"): Reach.PHRASE,
    ("failure", "to"): Reach.PHRASE,
    ("refuse", "to"): Reach.PHRASE,
    ("refusal", "to"): Reach.PHRASE,
    ("unable", "to"): Reach.PHRASE,
    ("inability", "to"): Reach.PHRASE,
}
# Verbs that negate what comes after "from": it keeps the water from leaking.
FROM_VERBS = frozenset(("prevent", "stop", "keep", "block", "hinder"))

# A cue before one of these negates nothing: no doubt, not only, nothing but.
IDLE_BEFORE = {
    "no": frozenset(("doubt", "doubts", "matter", "wonder")),
    "not": frozenset(("only", "just", "merely", "simply")),
    "n't": frozenset(("only", "just", "merely", "simply")),
    "nt": frozenset(("only", "just", "merely", "simply")),
    "nothing": frozenset(("but",)),
    "none": frozenset(("other",)),
}

# Where a negation ends, whatever the tree says. What follows "because" is the reason, and it holds.
BECAUSE = frozenset(("because", "becuase", "becasue", "becuse", "becaus", "cuz", "coz", "bc", "b/c", "since"))
BOUNDARIES = BECAUSE | _words(
    "if when whenever unless until while whereas although though but however therefore then "
    "why how whether what where . ! ? ; :"
)
# "Not all metals are magnetic": the not belongs to the noun phrase.
QUANTIFIERS = frozenset(("all", "every", "each", "both", "many"))
PRONOUNS = frozenset(("i", "you", "he", "she", "it", "we", "they"))
NEW_SUBJECTS = PRONOUNS | {"there", "this", "that", "these", "those"}
ARTICLES = frozenset(("a", "an", "the"))

# Verbs whose negation reaches the clause they govern: "I don't think it lights", not "I don't know why".
CLAUSE_VERBS = _words("think believe mean imply suppose expect let allow make want cause require need")
# "No gap means that it lights": the lack of a gap is what acts, so the verb holds.
ACTING_VERBS = _words("mean make cause create let allow lead result imply keep help show tell give")

_UN_LOOKALIKE = re.compile(
    r"un(der|til|less|to\b|cle|anim|able|like\b|gula|dulat|canny|ct|doubt|ravel"
    r"|i(?!n[a-z]{4}|m(?!o)[a-z]{4}|dentified|lluminat))"
)
_NON_LOOKALIKE = re.compile(r"non(e|ce|cha|plus|ag|sens)")
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
_FIRST_WORDS = frozenset(WORD_CUES) | {first for first, _ in PAIR_CUES} | FROM_VERBS


def is_prefixed(word: str, pos: str) -> bool:
    """Whether a word in lower case is negative by its prefix: unequal, nonmetal, disconnected, impossible."""
    if pos not in _WORD_POS:
        return False
    if word.startswith(_STEMS):
        return True
    lookalike = _UN_LOOKALIKE.match(word) or _NON_LOOKALIKE.match(word)
    return not lookalike and _PREFIXED.fullmatch(word) is not None


def is_split_prefix(word: str) -> bool:
    """Whether a token is a negative prefix on its own, as in non-metal cut at the hyphen."""
    return word in _SPLIT_PREFIXES


def normal_form(word: str) -> str:
    """A word as cues are listed: in lower case, with a plain apostrophe."""
    return word.lower().replace("’", "'")


@lru_cache(maxsize=1 << 14)
def may_begin(text: str, lemma: str, pos: str) -> bool:
    """Whether a cue can begin at such a token; nearly all words cannot, and are passed over at once."""
    word = normal_form(text)
    known = word in _FIRST_WORDS or lemma.lower() in _FIRST_WORDS
    return known or is_split_prefix(word) or is_prefixed(word, pos)
