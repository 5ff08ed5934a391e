"""Make clean training sentences look like students' writing, labels kept right."""

from __future__ import annotations

import random
from dataclasses import replace

from treebank import Sentence


def noisy_sentence(sentence: Sentence, rng: random.Random) -> Sentence:
    """Leave half of the sentences alone; lower-case, unpunctuate or misspell the others."""
    if rng.random() < 0.5:
        return sentence
    if rng.random() < 0.6:
        sentence = replace(sentence, words=[word.lower() for word in sentence.words])
    if rng.random() < 0.3:
        sentence = replace(sentence, words=[without_apostrophe(word) for word in sentence.words])
    if rng.random() < 0.25:
        sentence = replace(
            sentence, words=[typo(word, rng) if rng.random() < 0.08 else word for word in sentence.words]
        )
    if sentence.pos and rng.random() < 0.5:
        sentence = unpunctuated(sentence)
    return sentence


def without_apostrophe(word: str) -> str:
    """`n't` becomes `nt`: what is typed when the apostrophe is too far away."""
    return (
        word.replace("'", "").replace("’", "") if len(word) > 1 and any(c.isalpha() for c in word) else word
    )


def typo(word: str, rng: random.Random) -> str:
    """Drop, double or swap letters inside a longer word."""
    if len(word) < 4 or not word.isalpha():
        return word
    spot = rng.randrange(1, len(word) - 1)
    kind = rng.randrange(3)
    if kind == 0:
        return word[:spot] + word[spot + 1 :]
    if kind == 1:
        return word[: spot + 1] + word[spot:]
    return word[:spot] + word[spot + 1] + word[spot] + word[spot + 2 :]


def unpunctuated(sentence: Sentence) -> Sentence:
    """Drop the punctuation that nothing hangs on."""
    size = len(sentence.words)
    heads = list(sentence.heads)
    drop = {i for i in range(size) if sentence.pos[i] == "PUNCT"}
    parents = {head for index, head in enumerate(heads) if head != index}
    drop = {i for i in drop if i not in parents and heads[i] != i}
    keep = [i for i in range(size) if i not in drop]
    if not keep:
        return sentence
    place = {old: new for new, old in enumerate(keep)}

    def kept(values: list) -> list:
        return [values[i] for i in keep] if values else values

    return Sentence(
        words=kept(sentence.words),
        spaces=[True] * len(keep),
        tags=kept(sentence.tags),
        pos=kept(sentence.pos),
        morphs=kept(sentence.morphs),
        lemmas=kept(sentence.lemmas),
        heads=[place[heads[i]] for i in keep],
        deps=kept(sentence.deps),
        chunks=kept(sentence.chunks),
        ists=kept(sentence.ists),
    )
