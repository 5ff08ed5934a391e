"""Occurrences of words in running text, each in its context of five sentences, with a link to its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from postil.data.formats.senses import SenseInstance, Token
from postil.senses.corpus.inventory import lemma_of

SENTENCES_AROUND = 2

Sentence = tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a corpus: its sentences, its name, and the section of the newspaper it stood in, if any."""

    corpus: str
    name: str
    sentences: tuple[Sentence, ...]
    section: str = ""


def occurrences(documents: Iterable[Document], words: Sequence[str]) -> list[SenseInstance]:
    """Find words (`herri.IZE`: lemma and part of speech) in documents, each occurrence in its context.

    The context is the sentence and two on either side of it, fewer at the ends of a document. Occurrences
    come word by word, numbered as they are met; `source` says `corpus/document[/section]#sentence`.
    """
    found: dict[str, list[SenseInstance]] = {word: [] for word in words}
    for word, document, sentence, place in _places(documents, words):
        id = f"{word}.{len(found[word]) + 1:04d}"
        found[word].append(_instance(id, word, document, sentence, place))
    return [instance for instances in found.values() for instance in instances]


def _places(documents: Iterable[Document], words: Sequence[str]) -> Iterator[tuple[str, Document, int, int]]:
    by_lemma: dict[str, list[tuple[str, str]]] = {}
    for word in words:
        lemma, pos = lemma_of(word)
        by_lemma.setdefault(lemma, []).append((word, pos))
    for document in documents:
        for number, sentence in enumerate(document.sentences):
            for place, token in enumerate(sentence):
                for word, pos in by_lemma.get(token.lemma, ()):
                    if pos in ("", token.pos):
                        yield word, document, number, place


def _instance(id: str, word: str, document: Document, sentence: int, place: int) -> SenseInstance:
    start = max(0, sentence - SENTENCES_AROUND)
    context = document.sentences[start : sentence + SENTENCES_AROUND + 1]
    starts = tuple(accumulate(map(len, context[:-1]), initial=0))
    link = "/".join(part for part in (document.corpus, document.name, document.section) if part)
    return SenseInstance(
        id=id,
        lexelt=word,
        tokens=tuple(token for each in context for token in each),
        head=(starts[sentence - start] + place,),
        sentences=starts,
        source=f"{link}#{sentence + 1}",
    )


def corpus_of(instance: SenseInstance) -> str:
    """The corpus that an instance's link names."""
    return instance.source.partition("/")[0]
