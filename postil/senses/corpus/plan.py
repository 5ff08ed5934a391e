"""The plan of a corpus: where words occur in texts, how many examples they need, which, and who tags them.

All chance depends on a seed and on names, so that a plan can be made again.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from pathlib import Path

from postil.data.files import read_lines
from postil.data.formats.senseval import SenseInstance, Token
from postil.errors import InputError, PostilError, some
from postil.senses.corpus.items import Tagging, TagSet, by_item, lemma_of

FIRST_BATCH = 100  # occurrences of a word that are tagged before its senses are counted
SHARED_ITEMS = 100  # means over pairs of people are over those who share at least so many items
TEST_SHARE = 1 / 3  # the share of a release's items that are for testing
UNTAGGED_TIMES = 10  # untagged examples for each tagged one
SENTENCES_AROUND = 2

_NOTE = re.compile(r"#\s*(document|newdoc id|section)\s*=\s*(.*\S)\s*")
_CASE = re.compile(r"(?:^|\|)Case=([^|]+)")
_FORM = "A line is: form, lemma, pos, case, with tabs between; or the ten fields of CoNLL-U."
_OWN_FIELDS = 4
_CONLLU_FIELDS = 10

Sentence = tuple[Token, ...]


def shuffled(names: Iterable[str], *seed: object) -> list[str]:
    """Names in a random order, the same for the same seed.

    The order comes from a hash of the seed and each name, so names that are added later slip in between the
    others without changing their order.
    """
    salt = "\x1f".join(map(str, seed))

    def rank(name: str) -> tuple[bytes, str]:
        return hashlib.sha256(f"{salt}\x1e{name}".encode("utf-8", "surrogatepass")).digest(), name

    return sorted(names, key=rank)


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who tags the items of one group, and who decides where they differ ("": such items are discarded)."""

    group: str
    annotators: tuple[str, ...]
    referee: str = ""


@dataclass(frozen=True, slots=True)
class Draw:
    """The items of one group to be tagged (`needed`, or all if there are fewer), and untagged ones."""

    group: str
    needed: int
    tagged: tuple[str, ...]
    untagged: tuple[str, ...] = ()


def examples_needed(senses: int, multiwords: int) -> int:
    """How many examples a word needs by Senseval's rule: 75, and 15 a sense and 7 a multiword term."""
    return 75 + 15 * senses + 7 * multiwords


def assign(
    groups: Iterable[str], people: Sequence[str], *, annotators: int = 2, referee: bool = True, seed: int = 0
) -> list[Assignment]:
    """Draw, for each group, who tags it and who is its referee."""
    team = annotators + referee
    if len(set(people)) < len(people):
        raise PostilError("a person is named twice.", hint="Name each person once.")
    if annotators < 2 or len(people) < team:
        raise PostilError(
            f"{team} people are needed ({annotators} annotators"
            f"{' and a referee' if referee else ''}), but only {len(people)} are named: {some(people, 10)}.",
            hint="At least two people tag every item.",
        )
    assignments = []
    for group in dict.fromkeys(groups):
        order = shuffled(people, seed, "people", group)
        assignments.append(Assignment(group, tuple(order[:annotators]), order[annotators] if referee else ""))
    return assignments


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

    First comes a batch. Once its annotators have tagged all of it, the senses and multiword terms that occur
    there tell how many items are needed. The seed fixes the order, and items once tagged stay drawn.
    """
    group, people = assignment.group, assignment.annotators
    order = shuffled(items, seed, "items", group)
    batch = order[:first]
    tagged = by_item(tagging for tagging in taggings if tagging.group == group)
    needed = first
    counted = [tagging for item in batch for tagging in tagged.get(item, ()) if tagging.person in people]
    if len(counted) == len(batch) * len(people):
        needed = max(first, examples_needed(*occurring(counted, tag_set)))
    size = max([needed, *(number for number, item in enumerate(order, start=1) if item in tagged)])
    return Draw(group, needed, tuple(order[:size]), tuple(order[size : size + needed * UNTAGGED_TIMES]))


def occurring(taggings: Iterable[Tagging], tag_set: TagSet) -> tuple[int, int]:
    """Count the different senses and multiword terms among the tags."""
    tags = {tag for tagging in taggings for tag in tagging.tags}
    return sum(tag in tag_set.labels for tag in tags), sum(map(tag_set.is_multiword, tags))


def split(items: Sequence[str], *, test_share: float, seed: int, group: str) -> tuple[list[str], list[str]]:
    """Split a group's items at random into training and test items, each in the order given."""
    if not 0 <= test_share < 1:
        hint = "Give a number from 0 to below 1."
        raise PostilError(f"{test_share} is not a share of test items.", hint=hint)
    test = set(shuffled(items, seed, "split", group)[: round(len(items) * test_share)])
    return [item for item in items if item not in test], [item for item in items if item in test]


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a corpus: its name, its sentences, and the section of its newspaper, if any."""

    corpus: str
    name: str
    sentences: tuple[Sentence, ...]
    section: str = ""


def occurrences(documents: Iterable[Document], words: Sequence[str]) -> list[SenseInstance]:
    """Find words (`herri.IZE`: lemma and part of speech) in documents, each occurrence in its context.

    The context is the sentence and two on either side of it, fewer at the ends of a document. Occurrences
    come word by word, numbered as they are met; `source` is `corpus/document[/section]#sentence`.
    """
    instances: dict[str, list[SenseInstance]] = {word: [] for word in words}
    by_lemma: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for word in words:
        lemma, pos = lemma_of(word)
        by_lemma[lemma].append((word, pos))
    for document in documents:
        for number, sentence in enumerate(document.sentences):
            for position, token in enumerate(sentence):
                for word, pos in by_lemma.get(token.lemma, ()):
                    if pos in ("", token.pos):
                        id = f"{word}.{len(instances[word]) + 1:04d}"
                        instances[word].append(_instance(id, word, document, number, position))
    return list(chain.from_iterable(instances.values()))


def _instance(id: str, word: str, document: Document, sentence: int, position: int) -> SenseInstance:
    start = max(0, sentence - SENTENCES_AROUND)
    context = document.sentences[start : sentence + SENTENCES_AROUND + 1]
    starts = tuple(accumulate(map(len, context[:-1]), initial=0))
    link = "/".join(part for part in (document.corpus, document.name, document.section) if part)
    return SenseInstance(
        id=id,
        lexelt=word,
        tokens=tuple(chain.from_iterable(context)),
        head=(starts[sentence - start] + position,),
        sentences=starts,
        source=f"{link}#{sentence + 1}",
    )


def corpus_of(instance: SenseInstance) -> str:
    """The corpus that an instance comes from."""
    return instance.source.partition("/")[0]


@dataclass(slots=True)
class _Draft:
    """A document that is still being read."""

    name: str
    section: str = ""
    sentences: list[list[Token]] = field(default_factory=lambda: [[]])


def read_documents(path: Path | str) -> list[Document]:
    """Read the lemmatised documents of a file, which gives the corpus its name; a blank line ends a sentence.

    A line is `form lemma pos case`, separated by tabs, of which only the form is required, or it has the ten
    columns of CoNLL-U. `# document = NAME` starts a document, `# section = NAME` names its section.
    """
    drafts = [_Draft("1")]
    shared: dict[str, Token | None] = {}  # long texts repeat the same lines again and again
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
            if token := shared[line]:
                drafts[-1].sentences[-1].append(token)
    corpus, documents = Path(path).stem, []
    for draft in drafts:
        if sentences := tuple(tuple(sentence) for sentence in draft.sentences if sentence):
            documents.append(Document(corpus, draft.name, sentences, draft.section))
    if not documents:
        raise InputError(path, "holds no words.", hint=_FORM)
    return documents


def _token(path: Path | str, line: int, fields: list[str]) -> Token | None:
    """The token of a line; None for CoNLL-U's lines about split or empty words."""
    fields = [value.strip() for value in fields]
    if len(fields) == _CONLLU_FIELDS:
        id, form, lemma, pos, _, features, *_ = ("" if value == "_" else value for value in fields)
        if not id.isdecimal():
            return None
        case = _CASE.search(features)
        fields = [form or "_", lemma, pos, case[1] if case else ""]
    if len(fields) > _OWN_FIELDS:
        raise InputError(path, f"this line has {len(fields)} fields.", line=line, hint=_FORM)
    if not fields[0]:
        raise InputError(path, "this line has no word in its first field.", line=line)
    return Token(*fields)
