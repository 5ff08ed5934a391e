"""What the teams of the Basque task looked at around a word: its neighbours, their grammar, its context.

Every token is seen twice: as its lemma and as its form; where the corpus has no lemmas, as its form and as
the form's first letters, which stand in for one. Features are strings, in named groups; a system chooses
the groups it looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from postil.data.formats.senses import SenseInstance

STEM = 5  # letters that stand in for a lemma
REACH = 4  # positions on each side that are looked at one by one
NEAR = 5  # tokens on each side whose order does not matter
GAP = 2  # tokens that a pair of a subsequence may leave out
_EDGE = "#"  # what stands before a sentence's first token and after its last
# Positions around the word; the word itself, at 0, is left out: it is (nearly) always the same.
_SEQUENCES = ((-2, -1), (-1, 1), (1, 2), (-3, -2, -1), (-2, -1, 1), (-1, 1, 2), (1, 2, 3))


@dataclass(frozen=True, slots=True)
class Window:
    """An instance as its features see it: four views of its tokens, and where word and sentence lie."""

    words: Sequence[str]  # lemmas, or forms where there are none
    others: Sequence[str]  # forms, or their first letters
    pos: Sequence[str]
    case: Sequence[str]
    first: int
    last: int
    start: int
    end: int

    def around(self, values: Sequence[str], offset: int) -> str:
        """What stands at a place counted from the word, within its sentence."""
        place = self.first + offset if offset < 0 else self.last + offset
        return values[place] if self.start <= place < self.end else _EDGE

    def context(self, values: Sequence[str], start: int, end: int) -> list[str]:
        """What stands in a stretch around the word, without the word itself."""
        return [*values[start : self.first], *values[self.last + 1 : end]]


def window(instance: SenseInstance) -> Window:
    """Look at an instance around the first occurrence of its word."""
    first = last = instance.head[0]
    while last + 1 in instance.head:
        last += 1
    sentences = (*instance.sentences, len(instance.tokens))
    return Window(
        words=[(token.lemma or token.form).lower() for token in instance.tokens],
        others=[token.form.lower()[: None if token.lemma else STEM] for token in instance.tokens],
        pos=[token.pos for token in instance.tokens],
        case=[token.case for token in instance.tokens],
        first=first,
        last=last,
        start=max((start for start in sentences if start <= first), default=0),
        end=min((start for start in sentences if start > last), default=len(instance.tokens)),
    )


def _head(seen: Window) -> Iterator[str]:
    for name, values in (
        ("word", seen.words),
        ("other", seen.others),
        ("pos", seen.pos),
        ("case", seen.case),
    ):
        yield f"{name} {' '.join(values[seen.first : seen.last + 1])}"


def _at_places(view: str) -> Callable[[Window], Iterator[str]]:
    """What stands at each place around the word."""

    def group(seen: Window) -> Iterator[str]:
        values = getattr(seen, view)
        if not any(values):  # a corpus without tags has no edges of tags either
            return
        for offset in (*range(-REACH, 0), *range(1, REACH + 1)):
            if value := seen.around(values, offset):
                yield f"{offset} {value}"

    return group


def _sequences(view: str) -> Callable[[Window], Iterator[str]]:
    """Two and three neighbours in a row, before, after and across the word."""

    def group(seen: Window) -> Iterator[str]:
        values = getattr(seen, view)
        for offsets in _SEQUENCES:
            found = [seen.around(values, offset) for offset in offsets]
            if any(value and value != _EDGE for value in found):
                yield f"{offsets[0]} {' '.join(found)}"

    return group


def _subsequences(view: str) -> Callable[[Window], Iterator[str]]:
    """Pairs in order, near the word and across it, with tokens left out between them."""

    def group(seen: Window) -> Iterator[str]:
        values = getattr(seen, view)
        start, end = max(seen.start, seen.first - NEAR), min(seen.end, seen.last + 1 + NEAR)
        near = ["@" if seen.first <= place <= seen.last else values[place] for place in range(start, end)]
        for place, value in enumerate(near):
            for after in near[place + 1 : place + 2 + GAP]:
                if value and after:
                    yield f"{value} {after}"

    return group


def _bag(view: str) -> Callable[[Window], list[str]]:
    """All tokens of the context, whatever their order."""

    def group(seen: Window) -> list[str]:
        values = getattr(seen, view)
        return seen.context(values, 0, len(values))

    return group


def _sentence(seen: Window) -> list[str]:
    return seen.context(seen.words, seen.start, seen.end)


def _near(seen: Window) -> list[str]:
    start, end = max(seen.start, seen.first - NEAR), min(seen.end, seen.last + 1 + NEAR)
    return seen.context(seen.words, start, end)


def _relations(seen: Window) -> Iterator[str]:
    """The nearest token of each part of speech and of each case, on each side of the word."""
    sides = (("left", range(seen.first - 1, seen.start - 1, -1)), ("right", range(seen.last + 1, seen.end)))
    for side, places in sides:
        met = set()
        for place in places:
            for kind in (("pos", seen.pos[place]), ("case", seen.case[place])):
                if kind[1] and kind not in met:
                    met.add(kind)
                    yield f"{side} {' '.join(kind)} {seen.words[place]}"


def _bigrams(seen: Window) -> Iterator[str]:
    words = seen.words
    return (f"{words[place]} {words[place + 1]}" for place in range(len(words) - 1))


GROUPS: Mapping[str, Callable[[Window], Iterable[str]]] = {
    "head": _head,
    "words": _at_places("words"),
    "others": _at_places("others"),
    "pos": _at_places("pos"),
    "case": _at_places("case"),
    "word-sequences": _sequences("words"),
    "pos-sequences": _sequences("pos"),
    "near": _near,
    "sentence": _sentence,
    "bag": _bag("words"),
    "bag-others": _bag("others"),
    "relations": _relations,
    "bigrams": _bigrams,
    "word-subsequences": _subsequences("words"),
    "pos-subsequences": _subsequences("pos"),
}


def features(instance: SenseInstance, groups: Sequence[str]) -> list[list[str]]:
    """The features of an instance in each of the groups named; a bag names a word as often as it occurs."""
    seen = window(instance)
    return [list(GROUPS[name](seen)) for name in groups]
