"""How many examples a word needs, who tags them, and which they are: all by chance, all by seed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from postil.data.files import read_lines
from postil.data.formats.senseval import SenseInstance, Token
from postil.errors import InputError, PostilError, some
from postil.senses.corpus.inventory import lemma_of
from postil.senses.corpus.items import Tagging, TagSet, by_item

# Chance that can be repeated: an order, or a draw, that depends on nothing but names and a seed.


def shuffled(names: Iterable[str], *seed: object) -> list[str]:
    """Bring names into an order of chance, the same for the same seed.

    Each name's place comes from a hash of the seed and the name itself. Names that are added later therefore
    slip in between the others and leave their order as it was.
    """
    salt = "\x1f".join(map(str, seed))

    def place(name: str) -> tuple[bytes, str]:
        return hashlib.sha256(f"{salt}\x1e{name}".encode("utf-8", "surrogatepass")).digest(), name

    return sorted(names, key=place)


# The numbers that hold unless somebody says otherwise, as the papers have them.

FIRST_BATCH = 100
"""So many occurrences of a word are tagged before its senses are counted."""

SHARED_ITEMS = 100
"""Means over pairs of people are over those who share at least so many items."""

TEST_SHARE = 1 / 3
"""The share of a release's items that are for testing."""


UNTAGGED_TIMES = 10


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who tags the items of one group, and who decides where they differ (nobody: such items go)."""

    group: str
    annotators: tuple[str, ...]
    referee: str = ""


@dataclass(frozen=True, slots=True)
class Draw:
    """The items of one group that are to be tagged, `needed` of them or all there are, and untagged ones."""

    group: str
    needed: int
    tagged: tuple[str, ...]
    untagged: tuple[str, ...] = ()


def examples_needed(senses: int, multiwords: int) -> int:
    """How many examples a word needs by the rule of Senseval: 75 + 15 a sense + 7 a multiword term."""
    return 75 + 15 * senses + 7 * multiwords


def assign(
    groups: Iterable[str], people: Sequence[str], *, annotators: int = 2, referee: bool = True, seed: int = 0
) -> list[Assignment]:
    """Draw, for each group, who tags it and who is its referee."""
    wanted = annotators + referee
    if len(set(people)) < len(people):
        raise PostilError("a person is named twice.", hint="Name each once.")
    if annotators < 2 or len(people) < wanted:
        raise PostilError(
            f"{wanted} people are needed ({annotators} annotators"
            f"{' and a referee' if referee else ''}), and there are {len(people)}: {some(people, 10)}.",
            hint="At least two people tag every item.",
        )
    drawn = {group: shuffled(people, seed, "people", group) for group in groups}
    return [
        Assignment(group, tuple(order[:annotators]), order[annotators] if referee else "")
        for group, order in drawn.items()
    ]


def draw(
    items: Collection[str],
    taggings: Iterable[Tagging],
    tag_set: TagSet,
    assignment: Assignment,
    *,
    first: int = FIRST_BATCH,
    seed: int = 0,
) -> Draw:
    """Draw the items of a group that are to be tagged, and ten times as many that stay untagged.

    At first that is a batch. Once its annotators have tagged all of it, the senses and multiword terms that
    occur there say how many are needed. The order is fixed by the seed, and what somebody has tagged stays
    drawn.
    """
    group = assignment.group
    order = shuffled(items, seed, "items", group)
    batch = order[:first]
    told = by_item(one for one in taggings if one.group == group)
    needed = first
    counted = [one for item in batch for one in told.get(item, ()) if one.person in assignment.annotators]
    if len(counted) == len(batch) * len(assignment.annotators):
        senses, multiwords = occurring(counted, tag_set)
        needed = max(first, examples_needed(senses, multiwords))
    size = max([needed, *(place for place, item in enumerate(order, start=1) if item in told)])
    return Draw(group, needed, tuple(order[:size]), tuple(order[size : size + needed * UNTAGGED_TIMES]))


def occurring(taggings: Iterable[Tagging], tag_set: TagSet) -> tuple[int, int]:
    """Count the different senses and multiword terms that somebody saw."""
    tags = {tag for one in taggings for tag in one.tags}
    return sum(tag in tag_set.labels for tag in tags), sum(map(tag_set.is_multiword, tags))


def split(items: Sequence[str], *, test_share: float, seed: int, group: str) -> tuple[list[str], list[str]]:
    """Split a group's items by chance into training and test items, each in the order given."""
    if not 0 <= test_share < 1:
        raise PostilError(f"{test_share} is no share of test items.", hint="Give a number from 0 to below 1.")
    test = set(shuffled(items, seed, "split", group)[: round(len(items) * test_share)])
    return [item for item in items if item not in test], [item for item in items if item in test]


# Occurrences of words in running text, each in its context of five sentences, with a link to its source.

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


# Reads lemmatised texts: one word a line, a blank line after each sentence, in either of two forms.

_NOTE = re.compile(r"#\s*(document|newdoc id|section)\s*=\s*(.*\S)\s*")
_CASE = re.compile(r"(?:^|\|)Case=([^|]+)")
_FORM = "A line is: form, lemma, pos, case, with tabs between; or the ten fields of CoNLL-U."
_OWN_FIELDS = 4
_CONLLU_FIELDS = 10


@dataclass(slots=True)
class _Draft:
    """A document whose end has not been met yet."""

    name: str
    section: str = ""
    sentences: list[list[Token]] = field(default_factory=lambda: [[]])


def read_documents(path: Path | str) -> list[Document]:
    """Read the documents of a file; the corpus is called after the file.

    A line is `form lemma pos case`, separated by tabs, of which only the form must be there; or it has the
    ten columns of CoNLL-U. `# document = NAME` starts a document, `# section = NAME` says where it stood.
    """
    drafts = [_Draft("1")]
    shared: dict[str, Token | None] = {}  # long texts say the same words again and again
    for number, line in enumerate(read_lines(path), start=1):
        note = _NOTE.fullmatch(line)
        if note and note[1] == "section":
            drafts[-1].section = note[2]
        elif note:
            drafts.append(_Draft(note[2]))
        elif not line.strip():
            drafts[-1].sentences.append([])
        elif "\t" in line or not line.startswith("#"):
            if line not in shared:
                shared[line] = _token(path, number, line.split("\t"))
            token = shared[line]
            if token is not None:
                drafts[-1].sentences[-1].append(token)
    documents = []
    for draft in drafts:
        sentences = tuple(tuple(sentence) for sentence in draft.sentences if sentence)
        if sentences:
            documents.append(Document(Path(path).stem, draft.name, sentences, draft.section))
    if not documents:
        raise InputError(path, "holds no words.", hint=_FORM)
    return documents


def _token(path: Path | str, line: int, fields: list[str]) -> Token | None:
    """The token of a line; None for CoNLL-U's lines about words that are split or not there at all."""
    fields = [value.strip() for value in fields]
    if len(fields) == _CONLLU_FIELDS:
        id, form, lemma, pos, _, features, *_ = ("" if value == "_" else value for value in fields)
        if not id.isdecimal():
            return None
        case = _CASE.search(features)
        fields = [form or "_", lemma, pos, case[1] if case else ""]
    if len(fields) > _OWN_FIELDS:
        raise InputError(
            path,
            f"this line has {len(fields)} fields.",
            line=line,
            hint=_FORM,
        )
    if not fields[0]:
        raise InputError(path, "this line has no word in its first field.", line=line)
    return Token(*fields)
