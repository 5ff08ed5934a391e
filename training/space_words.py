"""Read the science books as modules of paragraphs of words, and find one lemma for every form in them.

The lemma of a form does not depend on its sentence: the treebank's lemma where the form is in the treebank, else
WordNet's irregular forms, else an ending undone to a word that the books themselves use. Tagging the books would
tell "leaves" of a tree from "leaves" the room, but would tie the spaces to one version of the tagger.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from treebank import read_conllu

from postil.language.words.spaces import undone

WORD = re.compile(r"[^\W\d_][^\W_]*")
BOOK = re.compile(r"# [a-z-]+")
# Parts of speech whose words are few and carry little meaning of their own.
CLOSED = frozenset(("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ", "PUNCT"))
PARTS = ("noun", "verb", "adj", "adv")

Paragraph = list[str]


def words_of(text: str) -> Paragraph:
    """The words of a text in lower case, cut where the pipeline cuts them: don't is do not, 's stands apart."""
    text = text.lower().replace("’", "'")
    text = re.sub(r"n't\b", " not", text)
    return WORD.findall(re.sub(r"'(s|re|ve|ll|d|m)\b", " ", text))


def read_modules(path: Path) -> list[list[Paragraph]]:
    """The books' modules (a section each, some pages long), each a list of paragraphs; headings are left out."""
    modules: list[list[Paragraph]] = [[]]
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("## ") or BOOK.fullmatch(line.strip()):
                modules.append([])
            else:
                modules[-1].append(words_of(line))
    return [module for module in modules if module]


@dataclass(frozen=True)
class Lexicon:
    """What is known of forms from elsewhere: lemmas in the treebank, irregular forms, base forms, closed classes."""

    lemmas: Mapping[str, Counter[str]]
    irregular: Mapping[str, set[str]]
    bases: Mapping[str, set[str]]
    closed: frozenset[str]


def read_lexicon(treebank: Path, wordnet: Path) -> Lexicon:
    """Count the treebank's lemmas and parts of speech; read WordNet's irregular and base forms."""
    lemmas: dict[str, Counter[str]] = defaultdict(Counter)
    parts: dict[str, Counter[bool]] = defaultdict(Counter)
    for sentence in read_conllu(treebank):
        for form, lemma, pos in zip(sentence.words, sentence.lemmas, sentence.pos, strict=True):
            if WORD.fullmatch(form) and WORD.fullmatch(lemma):
                parts[lemma.lower()][pos in CLOSED] += 1
                # Names keep their plural (Windows): they would teach wrong lemmas.
                if pos != "PROPN":
                    lemmas[form.lower()][lemma.lower()] += 1
    irregular: dict[str, set[str]] = defaultdict(set)
    for line in lines(wordnet / f"{part}.exc" for part in PARTS):
        form, *found = line.split()
        irregular[form] |= {lemma for lemma in found if lemma.isalpha()}
    bases = {
        part: {
            word for line in lines([wordnet / f"index.{part}"]) if (word := line.partition(" ")[0]).isalpha()
        }
        for part in PARTS
    }
    closed = frozenset(word for word, count in parts.items() if count[True] > count[False])
    return Lexicon(lemmas, irregular, bases, closed)


def lines(files: Iterable[Path]) -> Iterator[str]:
    for file in files:
        yield from file.read_text(encoding="utf-8").splitlines()


def lemma_of(form: str, counts: Mapping[str, int], lexicon: Lexicon) -> str:
    """The lemma of a form; among several that are possible, the one the books use most."""
    known = lexicon.lemmas.get(form, Counter())
    total = sum(known.values())
    if known and known[form] >= total / 2:
        return form
    possible = {lemma for lemma, count in known.items() if lemma != form and count >= total / 10}
    possible |= lexicon.irregular.get(form, set())
    met = [lemma for lemma in sorted(possible) if counts.get(lemma, 0) and lemma != form]
    if not met and not form.endswith(("ss", "us", "is")):
        met = [base for base in undone(form) if is_base(base, form, counts, lexicon)]
    if not met and form not in lexicon.bases["noun"]:
        met = [base for base in compared(form) if base in lexicon.bases["adj"] and counts.get(base, 0)]
    return max(met, key=lambda base: (base_rank(base, lexicon), counts[base]), default=form)


def base_rank(base: str, lexicon: Lexicon) -> bool:
    """Words that WordNet or the treebank know go before those that only the books have."""
    return base in lexicon.lemmas or any(base in words for words in lexicon.bases.values())


def is_base(base: str, form: str, counts: Mapping[str, int], lexicon: Lexicon) -> bool:
    """Whether the books use a word often enough for it to be the base of a form: physics has no physic."""
    least = 0.1 if form in lexicon.bases["noun"] and form.endswith("s") else 0.02
    enough = max(1 if base_rank(base, lexicon) else 3, least * counts[form])
    return len(base) > 2 and counts.get(base, 0) >= enough


def compared(form: str) -> Iterator[str]:
    """What a comparative or superlative could come from: denser, densest → dense; heavier → heavy."""
    for ending in ("er", "est"):
        if form.endswith(ending) and len(form) > len(ending) + 2:
            stem = form.removesuffix(ending)
            yield from (stem, stem + "e")
            if stem.endswith("i"):
                yield stem[:-1] + "y"


def lemma_table(counts: Mapping[str, int], lexicon: Lexicon) -> dict[str, str]:
    """Every form's lemma. Lemmas of lemmas are not followed: beings → being, as the pipeline has it, not be."""
    return {form: lemma_of(form, counts, lexicon) for form in sorted(counts)}
