"""Forms of verbs from their base: the past ("wrote") and the third person ("goes")."""

from __future__ import annotations

_IRREGULAR = """
be was, become became, begin began, bend bent, bind bound, bite bit, bleed bled, blow blew,
break broke, bring brought, build built, burst burst, buy bought, catch caught, choose chose,
come came, cost cost, cut cut, deal dealt, dig dug, do did, draw drew, drink drank, drive drove,
eat ate, fall fell, feed fed, feel felt, fight fought, find found, flee fled, fly flew, forget
forgot, freeze froze, get got, give gave, go went, grow grew, hang hung, have had, hear heard,
hide hid, hit hit, hold held, hurt hurt, keep kept, know knew, lay laid, lead led, leave left,
lend lent, let let, lie lay, light lit, lose lost, make made, mean meant, meet met, pay paid,
put put, read read, ride rode, ring rang, rise rose, run ran, say said, see saw, seek sought,
sell sold, send sent, set set, shake shook, shine shone, shoot shot, show showed, shrink shrank,
shut shut, sing sang, sink sank, sit sat, sleep slept, slide slid, speak spoke, spend spent,
spin spun, split split, spread spread, stand stood, steal stole, stick stuck, sting stung,
strike struck, swear swore, sweep swept, swim swam, swing swung, take took, teach taught, tear
tore, tell told, think thought, throw threw, understand understood, wake woke, wear wore, win
won, wind wound, write wrote
"""
_PAST = dict(pair.split() for pair in _IRREGULAR.split(","))
_VOWELS = "aeiou"
_HISSING = ("s", "x", "z", "ch", "sh", "o")
_NEVER_DOUBLED = "wxy"


def past_tense(verb: str) -> str:
    """The past of a verb: "wrote", "stopped", "carried"."""
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if _ends_in_y(verb):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1:]}ed" if _doubles(verb) else f"{verb}ed"


def third_person(verb: str) -> str:
    """What he, she or it does: "goes", "carries"."""
    if verb in ("be", "have"):
        return "is" if verb == "be" else "has"
    if _ends_in_y(verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_HISSING) else f"{verb}s"


def _ends_in_y(verb: str) -> bool:
    return verb.endswith("y") and len(verb) > 1 and verb[-2] not in _VOWELS


def _doubles(verb: str) -> bool:
    """Whether a verb of one syllable ends in a single consonant behind a single vowel: stop, plan."""
    vowels = [letter in _VOWELS for letter in verb]
    return vowels[-2:] == [True, False] and sum(vowels) == 1 and verb[-1] not in _NEVER_DOUBLED
