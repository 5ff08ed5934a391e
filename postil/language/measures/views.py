"""What the text-level measures see of a document: its words, its open-class words, its content lemmas."""

from __future__ import annotations

from dataclasses import dataclass

from postil.language.document import Document
from postil.language.measures.overlap import overlap_words

TaggedWord = tuple[str, str]


@dataclass(frozen=True, slots=True)
class View:
    """The words of a text as they are written, and its open-class lemmas with their parts of speech."""

    words: tuple[str, ...]
    tagged: tuple[TaggedWord, ...]

    @property
    def lemmas(self) -> list[str]:
        """The open-class lemmas."""
        return [lemma for lemma, _ in self.tagged]

    def without(self, other: View) -> View:
        """This view without the words and lemmas of another: what an answer adds to its question."""
        words, lemmas = frozenset(other.words), frozenset(other.lemmas)
        return View(
            tuple(word for word in self.words if word not in words),
            tuple(one for one in self.tagged if one[0] not in lemmas),
        )


def view(document: Document) -> View:
    """The view of a document."""
    return View(
        tuple(overlap_words(document.text)),
        # Numbers are among them: they are compared, but WordNet is not asked about them.
        tuple((token.lemma.lower(), token.wordnet_letter) for token in document.content_words),
    )
