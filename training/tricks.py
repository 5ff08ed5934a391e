"""Answers made to fool a grader, and honest ones that look a little like them; the making tells the label.

Each maker takes a right answer and gives a text, or None where the trick does not work on it. What is `not_correct`
may be wrong in any way; `contradictory` says the opposite. `benchmarks/gaming.py` has sentences of its own: what is
learned here must carry over to others.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from made_answers import negated

from postil.language.document import Document, Token
from postil.language.words.wordnet import wordnet

Maker = Callable[[Document, str, random.Random], str | None]  # of a right answer and a wrong one

_LIGHT = frozenset(("DET", "ADP", "AUX", "CCONJ", "SCONJ", "PRON", "PART", "PUNCT"))
_LEAST_WORDS = 5  # a shorter text in another order may mean the same


def _bare(text: str) -> str:
    return text.strip().rstrip(".!?")


def _lower(text: str) -> str:
    text = _bare(text)
    return text if text[:2].isupper() or text[:2] == "I " else text[:1].lower() + text[1:]


def shuffled(document: Document, _: str, rng: random.Random) -> str | None:
    words = _bare(document.text).split()
    if len(words) < _LEAST_WORDS:
        return None
    mixed = rng.sample(words, len(words))
    kept = len(set(pairwise(words)) & set(pairwise(mixed)))
    return " ".join(mixed) if 3 * kept < len(words) else None


def backwards(document: Document, _: str, rng: random.Random) -> str | None:
    words = _bare(document.text).split()
    return " ".join(reversed(words)) if len(words) >= _LEAST_WORDS else None


def bag(document: Document, _: str, rng: random.Random) -> str | None:
    """Its content words, in any order or by the alphabet."""
    words = [token.text.lower() for token in document.tokens if token.pos not in _LIGHT]
    if len(words) < 4:
        return None
    mixed = sorted(words) if rng.random() < 0.3 else rng.sample(words, len(words))
    if mixed == words:
        return None
    return rng.choice((" ", ", ", "; ")).join(mixed)


def exchanged(document: Document, _: str, rng: random.Random) -> str | None:
    """Subject and object, or the nouns on either side of a verb or preposition, in each other's place."""
    tokens = document.tokens
    for verb in tokens:
        if verb.pos not in ("VERB", "NOUN", "ADJ"):
            continue
        subject = _phrase(document, verb, ("nsubj", "nsubj:pass"))
        other = _phrase(document, verb, ("obj", "obl", "nmod"))
        if subject and other and subject[1] <= other[0]:
            first, second = document.text[slice(*subject)], document.text[slice(*other)]
            if _lower(first) != _lower(second) and not {first.lower(), second.lower()} & {
                "it",
                "they",
                "i",
                "you",
            }:
                between = document.text[subject[1] : other[0]]
                swapped = _lower(second) + between + _lower(first)
                return document.text[: subject[0]] + swapped + document.text[other[1] :]
    return None


def _phrase(document: Document, head: Token, relations: tuple[str, ...]) -> tuple[int, int] | None:
    """From where to where a dependent's own words stand, its preposition left where it is."""
    for token in document.tokens:
        if token.head == head.index and token.relation in relations and token.index != head.index:
            own = [
                one
                for one in document.tokens
                if one.head == token.index and one.relation in ("det", "amod", "compound", "nummod")
            ]
            parts = [token, *own]
            return min(one.start for one in parts), max(one.end for one in parts)
    return None


_CAPITAL = re.compile(r"[A-Z][A-Z0-9.)]|I\b|[B-Z]\b|A (?:and|or|is|are|was|has|will|can|because|does)\b")
_LOOSE = re.compile(r"^(yes|no|yeah|nope)\b|^\w[.):]|[.!?] +\w", re.I)  # more than one clause can hold
_INSIDE = re.compile(r"\w,? \{[xw]\}|[^:.\"] \{[xw]\},? [a-z]|^\{x\} and")


def _sentences(path: Path) -> dict[str, list[str]]:
    """The sentences of each trick: a line `[trick]`, then one a line."""
    sections: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            current = sections.setdefault(heading[1], [])
        elif line:
            current.append(line)
    return sections


SENTENCES = _sentences(Path(__file__).with_name("tricks.txt"))


def _said(every: Sequence[str]) -> Maker:
    """Puts the answers in one of the sentences; those with a wrong answer need one."""
    alone = [one for one in every if "{w}" not in one and "{W}" not in one]

    def maker(document: Document, wrong: str, rng: random.Random) -> str | None:
        usable = every if _bare(wrong) else alone
        if _LOOSE.search(_bare(document.text)) or ("{w}" in "".join(usable) and _LOOSE.search(_bare(wrong))):
            usable = [one for one in usable if not _INSIDE.search(one)] or usable
        return (
            _put(rng.choice(usable), document.text, wrong, rng) if usable and _bare(document.text) else None
        )

    return maker


def _inner(text: str) -> str:
    """As it stands within a sentence: names such as B and A keep their capital, the article does not."""
    text = _bare(text)
    return text if _CAPITAL.match(text) else text[:1].lower() + text[1:]


def _put(pattern: str, text: str, wrong: str, rng: random.Random) -> str:
    """The pattern with the answers in it, now and then written as carelessly as pupils do."""
    if '"' in pattern:
        first, last = rng.choice(('""', '""', "''", "“”", "‘’", "«»"))
        parts = pattern.split('"')
        pattern = "".join(part + (first, last)[i % 2] for i, part in enumerate(parts[:-1])) + parts[-1]
    values = {}
    for name, answer in (("x", text), ("w", wrong)):
        low = _inner(answer)
        if re.search(rf"\w:? [\"'“‘«]?{{{name}}}", pattern):  # no "that because", "you say I think"
            low = re.sub(r"(?i)^(because (?!of\b)|i think (that )?)", "", low)
        values[name], values[name.upper()] = low, _bare(answer)[:1].upper() + _bare(answer)[1:]
    made = pattern.format(**values)
    if rng.random() < 0.12:
        made = made.lower()
    if rng.random() < 0.15 and made.endswith("."):
        made = made[:-1]
    return made.replace("n't", "nt") if rng.random() < 0.1 else made


denied = _said(SENTENCES["denied"])
untrue = _said(SENTENCES["untrue"])
hedged = _said(SENTENCES["hedged"])
recanted = _said(SENTENCES["recanted"])
asked = _said(SENTENCES["asked"])
added = _said(SENTENCES["added"])
ordered = _said(SENTENCES["ordered"])
# Honest answers that share something with a trick.
opened = _said(SENTENCES["opened"])
repeated = _said(SENTENCES["repeated"])
_SHORT_OPENINGS = [
    sentence for sentence in SENTENCES["opened"] if sentence.endswith(" {x}.") and len(sentence) < 30
]


def _sometimes_opened(text: str, rng: random.Random) -> str:
    """Wrong answers, too, come with an "I think", which says nothing about them."""
    return _put(rng.choice(_SHORT_OPENINGS), text, "", rng) if rng.random() < 0.2 else text


def denial(document: Document, _: str, rng: random.Random) -> str | None:
    return negated(document)


_CONTRACTED = {
    "is": "isn't", "are": "aren't", "was": "wasn't", "were": "weren't", "can": "can't", "will": "won't", "has": "hasn't",
    "have": "haven't", "had": "hadn't", "would": "wouldn't", "could": "couldn't", "should": "shouldn't", "must": "mustn't",
    "does": "doesn't", "do": "don't", "did": "didn't",
}  # fmt: skip
_NEVER = ("never", "never", "no longer", "hardly", "hardly ever", "in no way", "by no means", "certainly not")


def hidden(document: Document, _: str, rng: random.Random) -> str | None:
    """A denial that is not a plain "not": contracted, or "never", "no longer", "hardly" in its place."""
    made = negated(document)
    for token in document.tokens if made else ():
        before, after = document.text[: token.start], document.text[token.end :]
        if re.match(r" (always|only|just|all)\b", after):
            continue  # "never always" says little
        if made == f"{before}{token.text} not{after}":  # is not
            ways = [f"{token.text} {one}" for one in _NEVER]
            if short := _CONTRACTED.get(token.text.lower()):
                short = token.text[0] + short[1:]
                ways += [short] * 4 + [short.replace("'", "")] * 2
        elif (
            made and made.startswith(before) and made.endswith(f" not {token.lemma}{after}")
        ):  # does not flow
            do = made[len(before) :].split()[0]
            if do not in _CONTRACTED or re.search(r"\bto $", before, re.I):
                return None
            short = _CONTRACTED[do]
            ways = [f"{short} {token.lemma}"] * 4 + [short.replace("'", "") + f" {token.lemma}"] * 2
            ways += [f"{short} {one} {token.lemma}" for one in ("really", "even", "ever")]
            if token.tag != "VB":  # no order
                ways += [
                    f"{one} {token.text}" for one in ("never", "never", "no longer", "hardly", "hardly ever")
                ]
                ways.append({"does": "fails", "did": "failed"}.get(do, "fail") + f" to {token.lemma}")
        else:
            continue
        way = rng.choice(ways)
        return _sometimes_opened(before + (way if before else way[:1].upper() + way[1:]) + after, rng)
    return None


# Words for another that need no care: the first for the second and the second for the first.
_PAIRS = (
    "greater less|more less|increase decrease|increases decreases|increased decreased|increasing decreasing|before after|"
    "above below|higher lower|highest lowest|high low|first last|always never|larger smaller|largest smallest|bigger smaller|"
    "biggest smallest|large small|big small|faster slower|fastest slowest|fast slow|quickly slowly|longer shorter|"
    "longest shortest|long short|heavier lighter|heaviest lightest|hotter colder|hottest coldest|hot cold|warmer cooler|"
    "warm cool|warmest coldest|stronger weaker|strongest weakest|strong weak|thicker thinner|thick thin|wider narrower|"
    "wide narrow|deeper shallower|deep shallow|closer farther|nearer further|older younger|oldest youngest|louder quieter|"
    "loud quiet|brighter dimmer|bright dim|harder softer|better worse|best worst|maximum minimum|taller shorter|"
    "rise fall|rises falls|rose fell|rising falling|gain lose|gains loses|gained lost|gaining losing|inside outside|"
    "top bottom|beginning end|north south|northern southern|east west|earlier later|everyone nobody|"
    "everything nothing|everywhere nowhere|often rarely|usually rarely|many few|attract repel|attracts repels|"
    "absorb release|absorbs releases|absorbed released|dense sparse|upward downward|upwards downwards|forward backward|"
    "forwards backwards|clockwise counterclockwise|horizontal vertical|horizontally vertically|"
    "positive negative|positively negatively|open closed|expand contract|expands contracts|expanded contracted|"
    "push pull|pushes pulls|add subtract|adds subtracts|added subtracted|empty full|solid liquid|full empty|"
    "possible impossible|equal unequal|equally unequally|complete incomplete|similar different|same different|"
    "connected disconnected|visible invisible|dependent independent|direct indirect|directly indirectly|"
    "internal external|input output|major minor|present absent|rough smooth|sharp blunt|hard soft|wet dry|light dark"
)  # fmt: skip
_COMPARED: dict[str, list[str]] = {}
for _first, _second in (one.split() for one in _PAIRS.split("|")):
    _COMPARED.setdefault(_first, []).append(_second)
    _COMPARED.setdefault(_second, []).append(_first)
_COMPARED |= {
    "less": ["more"], "fewer": ["more"], "shorter": ["longer"], "never": ["always"], "rarely": ["often"], "all": ["none"],
    "none": ["all"], "both": ["neither"], "further": ["nearer"], "empty": ["full"],
}  # fmt: skip
for _first in ("nothing", "nobody", "nowhere"):
    del _COMPARED[_first]
# Where a word is part of a phrase and its opposite would make no sense.
_FIXED = re.compile(
    r"\b((or not|regardless|even though|even if|no matter|although|despite|matter)\b[^,.;]*|no (longer|more|less|better)|more or less"
    r"|(any|once|even) more|as long as|so long as|long (before|after|ago)|at all|after all|first of all"
    r"|all (over|in all|right)|above all|the end|in the end|end up|as many|so many|how (many|long|high|fast|big|deep|hard)|at (first|last|best|long)"
    r"|all the same|at the same|same time|(than|as|ever|never|day|look|named|come|goes?) (before|after)|long term|in short|for short"
    r"|for long|light(er)? (bulb|source|year|wave|energy|ray)s?"
    r"|high school|last(s|ed)? (for|long)|in the (first|long)|not only|more than one|\w+ open|(has|have|be|been|had) present|present (day|time)"
    r"|better off|in common"
    r"|by (far|itself)|low and|as well|big bang|dry (ice|run)|soft(ware)|hard(ware| drive| disk)|many times|fast food)\b",
    re.I,
)  # fmt: skip


def _fixed(document: Document, token: Token) -> bool:
    return any(one.start() <= token.start < one.end() for one in _FIXED.finditer(document.text))


def compared(document: Document, _: str, rng: random.Random) -> str | None:
    """The other end of a scale, the other direction, the other one of two: more for less, before for after."""
    text = document.text
    made = []
    still = re.search(r"\b(same|constant|unchanged)\b", text, re.I) is not None
    for token in document.tokens:
        if still and token.lemma in ("increase", "decrease", "rise", "fall"):
            continue  # what stays the same as time goes on also does so backwards
        follows = document.tokens[token.index + 1 : token.index + 2]
        after = follows[0] if follows else None
        for other in _COMPARED.get(token.text.lower(), ()):
            if _fixed(document, token) or not _alike(token):
                continue
            end = token.end
            start = token.start
            low = token.text.lower()
            if other == "different":
                made.extend(_different(document, token, after))
                continue
            if low == "different":
                continue
            if low in ("less", "more") and after is not None:
                other = "fewer" if low == "more" and after.tag == "NNS" else other
            if low in ("all", "both") and after is not None:
                no = "none" if low == "all" else "neither"
                if after.text.lower() == "of":
                    other = no
                elif after.text.lower() in ("the", "these", "those", "its", "their", "our") and low == "all":
                    other = "none of"
                elif low == "all" and after.tag == "NNS":
                    other = "no"
                else:
                    continue
            elif low in ("all", "both"):
                continue
            if low == "none" and (after is None or after.text.lower() != "of"):
                continue
            other = other.capitalize() if token.text[0].isupper() else other
            made.append(_article(text[:start], other) + other + text[end:])
    return _sometimes_opened(rng.choice(made), rng) if made else None


def _alike(token: Token) -> bool:
    """Whether a word of the table is used as the table means it."""
    low = token.text.lower()
    if low in ("light", "dark", "cool", "open", "lower", "last", "long", "present", "cold", "hard", "fast", "full", "low", "wet", "dry",
               "better", "narrow", "dim", "empty", "complete", "warm", "absent", "direct", "sharp", "smooth", "similar"):  # fmt: skip
        return token.pos in ("ADJ", "ADV") and token.relation != "compound"
    if low in ("fall", "rise", "contract", "release", "push", "pull", "rose"):
        return token.pos == "VERB"
    if low in (
        "top",
        "bottom",
        "beginning",
        "end",
        "solid",
        "liquid",
        "input",
        "output",
        "east",
        "west",
        "north",
        "south",
    ):
        return token.pos in ("NOUN", "ADJ", "PROPN")
    if low in ("closer", "rising", "falling", "lost", "added", "connected", "released", "fell"):
        return token.pos in ("VERB", "ADJ", "ADV")
    return True


def _different(document: Document, token: Token, after: Token | None) -> list[str]:
    """The text with "different" for "the same"."""
    before = document.text[: token.start]
    rest = document.text[token.end :]
    if token.text.lower() == "similar":
        return [_article(before, "different") + "different" + re.sub(r"^ to\b", " from", rest)]
    if not re.search(r"\bthe $", before, re.I):
        return []
    start = before[:-4]
    capital = before[-4] == "T"
    if after is None or after.pos in ("PUNCT", "SCONJ", "CCONJ", "ADP"):
        word = "different"
        rest = re.sub(r"^ as\b", " from", rest)
    elif after.tag == "NNS":
        word = "different"
    elif after.tag == "NN":
        word = "a different"
    else:
        return []
    return [f"{start}{word.capitalize() if capital else word}{rest}"]


def _article(before: str, word: str) -> str:
    """What stands before a word, with "a" or "an" as the word wants it."""
    if re.search(r"\ban? $", before, re.I):
        stem = before[:-1].rstrip("nN") if before[-2] in "nN" else before[:-1]
        return stem + ("n " if word[0].lower() in "aeiou" else " ")
    return before


# Words whose opposites in WordNet seldom fit, and words which say nothing that can be turned round.
_NOT_TURNED = frozenset((
    "be", "have", "do", "go", "come", "make", "get", "give", "take", "let", "keep", "show", "use", "say", "know", "think", "see", "find", "look",
    "call", "want", "need", "seem", "become", "cause", "mean", "leave", "begin", "allow", "way", "thing", "man", "woman", "boy", "girl", "king",
    "father", "mother", "day", "year", "time", "part", "whole", "result", "answer", "question", "one", "other", "own", "only", "then", "there",
    "here", "now", "very", "well", "so", "still", "even", "also", "just", "too", "that", "this", "what", "when", "how", "where", "why", "not",
    "never", "no", "much", "most", "more", "less", "least", "all", "each", "some", "any", "many", "few", "different", "same", "such", "first",
    "last", "next", "second", "good", "right", "wrong", "true", "false", "real", "new", "old", "young", "certain", "sure", "like", "unlike",
    "light", "work", "play", "move", "stand", "stay", "stop", "start", "end", "level", "head", "foot", "hand", "back", "front", "side", "face",
    "person", "people", "student", "teacher", "child", "parent", "male", "female", "back", "down", "off", "on", "in", "out", "up", "over",
    "lead", "follow", "arrive", "live", "die", "meet", "plant", "animal", "body", "mind", "matter", "form", "kind", "type", "specific", "general",
    "natural", "human", "physical", "chemical", "main", "important", "able", "long", "free", "clear", "common", "full", "solid", "liquid", "gas",
    "hold", "turn", "bring", "put", "send", "set", "tell", "ask", "speak", "read", "write", "learn", "teach", "land", "sea", "sun", "air", "home",
    "away", "together", "fine", "pure", "simple", "single", "double", "actual", "current", "conductor", "experiment", "measure", "check", "base",
    "acid", "nature", "far", "near", "close", "sit", "walk", "run", "fall", "rise", "break", "pass", "hit", "miss", "try", "deny", "agree",
    "believe", "fit", "carry", "hear", "help", "happen", "particular", "individual", "original", "basic", "standard", "normal", "daily", "wave",
    "exist", "tree", "stone", "sound", "particle", "middle", "center", "centre", "line", "point", "number", "lie", "raise", "change", "wire",
    "better", "best", "bad", "worse", "worst", "ground", "big", "little", "extent", "purpose", "parallel", "domestic", "foreign", "public",
    "concentration", "color", "colour", "net", "alternate", "opposite", "indicate", "distort", "block", "mixture", "product", "source", "variable", "yes",
))  # fmt: skip
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdglmnprt]$")


def opposite(document: Document, _: str, rng: random.Random) -> str | None:
    """One word, and the opposite that WordNet has for it, in the same form."""
    words = {token.lemma.lower() for token in document.tokens} | {
        token.text.lower() for token in document.tokens
    }
    made = []
    for token in document.tokens:
        lemma = token.lemma.lower()
        letter = token.wordnet_letter
        if (
            token.pos == "PROPN"
            or not letter
            or lemma in _NOT_TURNED
            or len(lemma) < 3
            or _fixed(document, token)
        ):
            continue
        if token.relation in (
            "compound",
            "compound:prt",
            "aux",
            "aux:pass",
            "cop",
            "fixed",
            "case",
            "mark",
            "discourse",
        ):
            continue
        for other in wordnet().antonyms(lemma, letter)[:1]:
            if (
                not other.isalpha()
                or not other.islower()
                or other in words
                or other in _NOT_TURNED
                or other in ("differ", "rarefied")
            ):
                continue
            form = _inflected(token, other)
            if form is None:
                continue
            form = form.capitalize() if token.text[0].isupper() else form
            made.append(_article(document.text[: token.start], form) + form + document.text[token.end :])
    return _sometimes_opened(rng.choice(made), rng) if made else None


_IRREGULAR = {
    "find": "found", "lose": "lost", "sink": "sank", "rise": "rose", "fall": "fell", "freeze": "froze", "break": "broke", "win": "won", "buy": "bought",
    "sell": "sold", "hide": "hid", "sleep": "slept", "wake": "woke", "shrink": "shrank", "forget": "forgot", "spend": "spent", "lend": "lent",
    "withdraw": "withdrew", "undo": "undid", "unwind": "unwound", "uncover": "uncovered", "begin": "began",
}  # fmt: skip


def _inflected(token: Token, word: str) -> str | None:
    """A word in the form that another has, where regular endings will do."""
    tag, low = token.tag, token.text.lower()
    if tag in ("NN", "JJ", "RB", "VB", "VBP"):
        return word if low == token.lemma.lower() else None
    if tag in ("NNS", "VBZ"):
        if word.endswith(("s", "x", "z", "ch", "sh")):
            return word + "es"
        return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else word + "s"
    if tag in ("VBD", "VBN"):
        if word in _IRREGULAR:
            return _IRREGULAR[word] if tag == "VBD" else None
        if word.endswith("e"):
            return word + "d"
        if re.search(r"[^aeiou]y$", word):
            return word[:-1] + "ied"
        return word + (word[-1] if _short(word) else "") + "ed"
    if tag == "VBG":
        if word.endswith("e") and not word.endswith(("ee", "oe", "ye")):
            return word[:-1] + "ing"
        return word + (word[-1] if _short(word) else "") + "ing"
    if tag in ("JJR", "RBR", "JJS", "RBS") and low.endswith(("er", "est")):
        ending = "er" if tag in ("JJR", "RBR") else "est"
        if len(word) > 6:
            return f"{'more' if ending == 'er' else 'most'} {word}"
        if word.endswith("y"):
            return word[:-1] + "i" + ending
        return (word[:-1] if word.endswith("e") else word + (word[-1] if _short(word) else "")) + ending
    return None


def _short(word: str) -> bool:
    """Whether the last letter is doubled before an ending."""
    return bool(_DOUBLED.search(word)) and len(re.findall(r"[aeiou]+", word)) == 1


def telegram(document: Document, _: str, rng: random.Random) -> str | None:
    """As pupils write who hurry: no articles, no capitals, no full stop."""
    words = [
        token.text
        for token in document.tokens
        if token.tag not in ("DT", ".") or token.lemma in ("no", "all")
    ]
    return " ".join(words).lower() if len(words) > 2 else None


_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def miscounted(document: Document, _: str, rng: random.Random) -> str | None:
    """Another number in the place of one."""
    found = list(_NUMBER.finditer(document.text))
    if not found:
        return None
    one = rng.choice(found)
    value = float(one.group())
    other = rng.choice((value + rng.randint(1, 9), value * 10, value * 2 + 1))
    text = f"{other:.{len(one.group().partition('.')[2])}f}"
    return None if text == one.group() else document.text[: one.start()] + text + document.text[one.end() :]


def misspelt(document: Document, _: str, rng: random.Random) -> str | None:
    """One or two slips of the fingers in longer words, none of which makes another word."""
    places = [token for token in document.tokens if len(token.text) > 5 and token.text.isalpha()]
    text = document.text
    chosen = rng.sample(places, min(len(places), rng.choice((1, 1, 2))))
    for token in sorted(chosen, key=lambda one: -one.start):  # from the end, so that places stay right
        word = token.text
        for _try in range(5):
            at = rng.randrange(2, len(word) - 1)
            slip = rng.choice((
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
            ))  # fmt: skip
            if slip != word and not wordnet().base_forms(slip):
                text = text[: token.start] + slip + text[token.end :]
                break
    return text if text != document.text else None


_MARKS = frozenset(("because", "when", "if", "while", "since", "after", "before", "until", "although", "though", "unless", "whenever", "once"))  # fmt: skip
_POINTING = frozenset(("it", "they", "this", "that", "these", "those", "he", "she", "them", "its", "their", "which", "so", "then", "one"))  # fmt: skip


def reordered(document: Document, _: str, rng: random.Random) -> str | None:
    """A main clause and its because-, when- or if-clause in the other order, where nothing else depends on it."""
    if len(document.sentences) != 1:
        return None
    tokens = document.words(document.sentences[0])
    while tokens and tokens[-1].pos == "PUNCT":
        tokens = tokens[:-1]
    root = next((token for token in tokens if token.head == token.index), None)
    if root is None or len(tokens) < 6:
        return None
    if not any(one.head == root.index and one.relation.startswith(("nsubj", "expl")) for one in tokens):
        return None
    for verb in tokens:
        if verb.relation != "advcl" or verb.head != root.index:
            continue
        inside = _below(tokens, verb)
        first, last = inside[0], inside[-1]
        if (
            first.text.lower() not in _MARKS
            or first.head != verb.index
            or len(inside) != last.index - first.index + 1
        ):
            continue
        if not any(one.head == verb.index and one.relation.startswith(("nsubj", "expl")) for one in inside):
            continue
        if sum(one.text.lower() in _MARKS for one in tokens) > 1:
            continue
        text = document.text
        if last is tokens[-1] and first is not tokens[0]:
            main = [one for one in tokens if one.index < first.index]
            clause = text[first.start : last.end]
            if document.negations and first.text.lower() in ("because", "since", "until"):
                return None  # what is denied may be the reason
            if (
                main[0].pos in ("CCONJ", "SCONJ")
                or main[0].text.lower() in ("so", "and", "because", "by", "to", "why")
                or main[-1].text.lower() in ("only", "just", "even", "right", "shortly", "and", "is", "was")
            ):
                return None
            body = text[main[0].start : first.start].rstrip(" ,;")
            if _LOOSE.search(body):
                return None
            return f"{clause[:1].upper()}{clause[1:]}, {_inner(body)}."
        if first is tokens[0]:
            rest = [one for one in tokens if one.index > last.index and one.pos != "PUNCT"]
            if (
                len(rest) < 3
                or rest[0].pos in ("CCONJ", "SCONJ")
                or any(one.text.lower() in _POINTING for one in rest)
            ):
                return None
            if document.negations and first.text.lower() in ("because", "since", "until"):
                return None
            body = text[rest[0].start : tokens[-1].end]
            return f"{body[:1].upper()}{body[1:]} {_inner(text[first.start : last.end])}."
    return None


def _below(tokens: Sequence[Token], head: Token) -> list[Token]:
    """A token and all that depends on it, in order, the commas at its edges left out."""
    found = {head.index}
    while more := {one.index for one in tokens if one.head in found} - found:
        found |= more
    inside = [one for one in tokens if one.index in found]
    while inside and inside[-1].pos == "PUNCT":
        inside.pop()
    while inside and inside[0].pos == "PUNCT":
        inside.pop(0)
    return inside


# Label, share of the right answers that each is tried on.
TRICKS: dict[str, tuple[Maker, str, float]] = {
    "shuffled": (shuffled, "not_correct", 0.5),
    "backwards": (backwards, "not_correct", 0.25),
    "bag": (bag, "not_correct", 0.35),
    "exchanged": (exchanged, "not_correct", 0.5),
    "denied": (denied, "contradictory", 0.5),
    "untrue": (untrue, "contradictory", 0.4),
    "hedged": (hedged, "not_correct", 0.35),
    "recanted": (recanted, "contradictory", 0.35),
    "asked": (asked, "not_correct", 0.3),
    "added": (added, "not_correct", 0.45),
    "ordered": (ordered, "not_correct", 0.15),
    "negated": (denial, "contradictory", 0.5),
    "miscounted": (miscounted, "contradictory", 0.6),
    "opposite": (opposite, "not_correct", 0.5),
    "compared": (compared, "not_correct", 0.5),
    "hidden": (hidden, "contradictory", 0.4),
    "opened": (opened, "correct", 0.9),
    "telegram": (telegram, "correct", 0.9),
    "misspelt": (misspelt, "correct", 0.5),
    "reordered": (reordered, "correct", 0.5),
    "repeated": (repeated, "correct", 0.3),
}
