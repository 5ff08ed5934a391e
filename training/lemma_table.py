"""Learn the lemma table of postil.language.words.forms from the treebank's training part."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from treebank import Sentence

from postil.language.words.forms import LONGEST_SUFFIX, NAME_TAGS, Lemmatiser


def edit(form: str, lemma: str) -> tuple[int, str]:
    """How to get from a form to its lemma: cut so many letters, add these."""
    same = 0
    while same < min(len(form), len(lemma)) and form[same].lower() == lemma[same].lower():
        same += 1
    return len(form) - same, lemma[same:]


BASE_TAGS = {"VB": "V", "VBP": "V", "NN": "N", "JJ": "A", "RB": "A"}


def base_forms(sentences: Iterable[Sentence], silver: Iterable[Sentence]) -> dict[str, frozenset[str]]:
    """Words seen in their base form: in the treebank, or three times in what the teacher labelled."""
    counts: dict[str, Counter[str]] = {"N": Counter(), "V": Counter(), "A": Counter()}
    for group, weight in ((sentences, 3), (silver, 1)):
        for sentence in group:
            for form, tag in zip(sentence.words, sentence.tags, strict=True):
                if tag in BASE_TAGS and form.isalpha():
                    counts[BASE_TAGS[tag]][form.lower()] += weight
    return {kind: frozenset(word for word, n in count.items() if n >= 3) for kind, count in counts.items()}


EXCEPTION_TAGS = {
    "verb": ("VBD", "VBN", "VBZ", "VBG"),
    "noun": ("NNS",),
    "adj": ("JJR", "JJS"),
    "adv": ("RBR", "RBS"),
}


def irregular_forms(wordnet: Path) -> dict[str, str]:
    """WordNet's lists of irregular forms (froze freeze), under the tags such forms can have."""
    table: dict[str, str] = {}
    for name, tags in EXCEPTION_TAGS.items():
        for line in (wordnet / f"{name}.exc").read_text(encoding="utf-8").splitlines():
            form, lemma, *_ = line.split()
            if form.isalpha() and lemma.isalpha():
                table |= {f"{tag} {form}": lemma for tag in tags if form != lemma}
    return table


def learn(
    sentences: Iterable[Sentence], silver: Iterable[Sentence], wordnet: Path, *, least: int = 2
) -> Lemmatiser:
    """Count lemmas of words and edits of suffixes; keep only what a shorter suffix does not already say."""
    sentences = list(sentences)
    bases = base_forms(sentences, silver)
    words: dict[str, Counter[str]] = defaultdict(Counter)
    edits: dict[str, Counter[tuple[int, str]]] = defaultdict(Counter)
    for sentence in sentences:
        for form, tag, lemma in zip(sentence.words, sentence.tags, sentence.lemmas, strict=True):
            word = form if tag in NAME_TAGS else form.lower()
            words[f"{tag} {word}"][lemma] += 1
    for key, lemmas in words.items():
        tag, _, word = key.partition(" ")
        lemma = lemmas.most_common(1)[0][0]
        for length in range(min(LONGEST_SUFFIX, len(word)) + 1):
            # Types, not tokens: "was" should not teach how verbs in -as behave.
            edits[f"{tag} {word[len(word) - length :].lower()}"][edit(word, lemma)] += 1
    rules: dict[str, tuple[int, str]] = {}
    for key in sorted(edits, key=len):
        tag, _, suffix = key.partition(" ")
        (best, count), *_ = edits[key].most_common(1)
        shorter = next(
            (
                rules[f"{tag} {suffix[i:]}"]
                for i in range(1, len(suffix) + 1)
                if f"{tag} {suffix[i:]}" in rules
            ),
            None,
        )
        if (count >= least or not suffix) and best != shorter and best[0] <= len(suffix):
            rules[key] = best
    bare = Lemmatiser({}, rules, bases)
    irregular = irregular_forms(wordnet)
    exceptions = {
        key: lemma
        for key, lemma in irregular.items()
        if key not in words and bare(*key.split()[::-1]) != lemma
    }
    for key, lemmas in words.items():
        tag, _, word = key.partition(" ")
        lemma = lemmas.most_common(1)[0][0]
        if bare(word, tag) != lemma:
            exceptions[key] = lemma
    return Lemmatiser(exceptions, rules, bases)
