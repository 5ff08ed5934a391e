"""Which sense each content word of a text has, by a walk over WordNet from the words around it."""

from __future__ import annotations

from dataclasses import dataclass

from postil.language.document import Document
from postil.language.words.walks import disambiguate
from postil.language.words.wordnet import wordnet


@dataclass(frozen=True, slots=True)
class Sense:
    """A token's sense: WordNet's name for it ("bank.n.01") and its definition."""

    token: int
    name: str
    definition: str


def find_senses(document: Document) -> tuple[Sense, ...]:
    """The senses of the words that WordNet knows, in order."""
    tokens = [token for token in document.tokens if token.wordnet_letter]
    chosen = disambiguate([(token.lemma.lower(), token.wordnet_letter) for token in tokens])
    wn = wordnet()
    return tuple(
        Sense(token.index, wn.name(synset), wn.definition(synset))
        for token, synset in zip(tokens, chosen, strict=True)
        if synset is not None
    )
