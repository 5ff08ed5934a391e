"""From text to Document: the shipped spaCy pipeline, loaded once, and what is built on its output.

Texts analysed recently are remembered (`documents_of`), so that grading, explaining and measuring an answer
analyse it only once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import accumulate, islice, pairwise
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from postil.errors import PostilError
from postil.language.chunks import BoundaryModel, spans_of, tags_of
from postil.language.document import Document, Span, Token
from postil.language.negation import find_negations
from postil.language.quantities import find_quantities
from postil.language.words.forms import Lemmatiser

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Item = TypeVar("Item")
Words = Sequence[tuple[str, int, bool]]  # a text in words: each with its offset, and whether a blank follows

MAX_CHARACTERS = 2_000_000
# Long texts are analysed piece by piece, so that memory does not grow with them.
_PIECE = 2000
_BATCH, _BATCH_WORDS = 256, 4_096  # texts and words analysed together
_RUN = re.compile(r"\S{200}(?=\S)")  # longer than any word or address that people write
_PIECES = re.compile(r"[^\W_]+|[^\w\s]|_")
_MOST_WORDS = 30_000  # that spaCy remembers for good
_MOST = 3_000  # texts that are remembered

# What students type for a word, but no treebank has: the network is shown the word it stands for.
STANDS_FOR = dict.fromkeys(("b/c", "bc", "cuz", "coz"), "because")
STANDS_FOR |= {"w/": "with", "w/o": "without", "&": "and"}


def beginning(text: str, most: int) -> str:
    """A text up to its first `most` words and symbols: these, not its characters, are what reading costs."""
    beyond = next(islice(_PIECES.finditer(text), most, None), None)
    return text if beyond is None else text[: beyond.start()].rstrip()


def length(text: str) -> int:
    """How many words and symbols a text has."""
    return sum(1 for _ in _PIECES.finditer(text))


def in_batches(items: Iterable[Item], size: Callable[[Item], int], most: int) -> Iterator[list[Item]]:
    """Items in batches whose sizes add up to no more than that, unless one alone is larger."""
    batch: list[Item] = []
    total = 0
    for item in items:
        if batch and total + size(item) > most:
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch


def _in_parts(text: str) -> Iterator[tuple[int, str]]:
    """The text, cut within very long runs without a blank: reading one takes the square of its length."""
    start = 0
    for run in _RUN.finditer(text):
        yield start, text[start : run.end()]
        start = run.end()
    yield start, text[start:]


@dataclass(frozen=True)
class Pipeline:
    """A loaded pipeline: spaCy's part, the tables for lemmas and iSTS chunks, its name for signatures."""

    nlp: Language
    lemmatiser: Lemmatiser
    boundaries: BoundaryModel
    name: str

    @cached_property
    def lemma(self) -> Callable[[str, str], str]:
        """The lemmatiser, remembering the words it has met: most words of a text are the same few hundred."""
        return lru_cache(maxsize=1 << 16)(self.lemmatiser)

    @cached_property
    def _name(self) -> Callable[[int], str]:
        """The name of a tag or relation by spaCy's number for it; remembered, which is ten times as fast."""
        names: Any = self.nlp.vocab.strings
        return cache(lambda number: names[number])

    def analyse_many(self, texts: Iterable[str]) -> Iterator[Document]:
        """Analyse texts in batches, in order."""
        return self._run((text, self._tokenise(text)) for text in texts)

    def analyse_tokens(self, sentences: Iterable[Sequence[str]]) -> Iterator[Document]:
        """Analyse texts that are already cut into tokens; the text is the tokens joined by blanks."""
        return self._run((" ".join(tokens), _with_offsets(tokens)) for tokens in sentences)

    def _tokenise(self, text: str) -> Words:
        """Cut a text into words, at white space and control characters among others."""
        if len(text) > MAX_CHARACTERS:
            hint = f"At most {MAX_CHARACTERS:,} are analysed at once: split it."
            raise PostilError(f"a text of {len(text):,} characters is too long.", hint=hint)
        # The same length, so that offsets still point into the original text.
        cleaned = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
        words = [
            (token.text, start + token.idx, bool(token.whitespace_))
            for start, part in _in_parts(cleaned)
            for token in self.nlp.tokenizer(part)
            if not token.is_space
        ]
        # Part a last single letter from its full stop: "bulb A." ends in a label, not in an initial.
        if words and len(words[-1][0]) == 2 and words[-1][0][0].isalpha() and words[-1][0][1] == ".":
            label, offset, space = words.pop()
            words += [(label[0], offset, False), (".", offset + 1, space)]
        return words

    def _run(self, inputs: Iterable[tuple[str, Words]]) -> Iterator[Document]:
        from spacy.tokens import Doc

        def pieces() -> Iterator[tuple[Doc, tuple[str, Words, bool]]]:
            for text, words in inputs:
                for start, end in pairwise(_cuts(words)):
                    shown = [STANDS_FOR.get(word.lower(), word) for word, _, _ in words[start:end]]
                    spaces = [space for _, _, space in words[start:end]]
                    doc = Doc(self.nlp.vocab, words=shown, spaces=spaces)
                    yield doc, (text, words, end == len(words))

        collected: list[Doc] = []
        # spaCy counts the texts of a batch; what it needs memory for are their words.
        for batch in in_batches(pieces(), lambda piece: len(piece[0]), _BATCH_WORDS):
            for doc, (text, words, last) in self.nlp.pipe(batch, as_tuples=True, batch_size=_BATCH):
                collected.append(doc)
                if last:
                    yield self._document(text, words, collected)
                    collected = []

    def _tokens(self, doc: Doc, words: Words, base: int) -> Iterator[Token]:
        """Read the annotations off spaCy's arrays: several times faster than token by token."""
        name_of = self._name
        columns = doc.to_array(["TAG", "POS", "HEAD", "DEP", "MORPH"]).tolist()
        for index, (tag_id, pos_id, offset, dep_id, morph_id) in enumerate(columns):
            word, start, _ = words[index]
            tag, morph = name_of(tag_id), name_of(morph_id)
            # Heads are relative, and negative ones come wrapped around as unsigned numbers.
            head = index + (offset if offset < 1 << 31 else offset - (1 << 64))
            yield Token(
                index=base + index,
                text=word,
                start=start,
                lemma=self.lemma(STANDS_FOR.get(word.lower(), word), tag),
                pos=name_of(pos_id),
                tag=tag,
                head=base + head,
                relation="root" if head == index else name_of(dep_id),
                morph="" if morph == "_" else morph,
            )

    def _document(self, text: str, words: Words, docs: Sequence[Doc]) -> Document:
        tokens: list[Token] = []
        sentences: list[Span] = []
        chunk_tags: list[str] = []
        margins: list[float] = []
        for doc in docs:
            base = len(tokens)
            tokens += self._tokens(doc, words[base : base + len(doc)], base)
            sentences += [Span(base + sent.start, base + sent.end) for sent in doc.sents]
            chunk_tags += doc.user_data.get("chunks", [])
            margins += doc.user_data.get("ists", [])
        frozen = tuple(tokens)
        chunks = spans_of(chunk_tags)
        return Document(
            text=text,
            tokens=frozen,
            sentences=tuple(sentences),
            chunks=chunks,
            ists_chunks=spans_of(self.boundaries(frozen, tags_of(chunks, len(frozen)), margins)),
            negations=find_negations(frozen),
            quantities=find_quantities(frozen),
            pipeline=self.name,
        )


def _with_offsets(tokens: Sequence[str]) -> Words:
    if not all(map(str.strip, tokens)):
        raise PostilError("a token is empty or blank.", hint="Tokens must be words.")
    offsets = accumulate((len(token) + 1 for token in tokens), initial=0)
    return [(token, offset, True) for token, offset in zip(tokens, offsets, strict=False)]


def _cuts(words: Words) -> list[int]:
    """Where to cut a long text into pieces: after the last full stop before the limit, else at it."""
    cuts = [0]
    while len(words) - cuts[-1] > _PIECE:
        limit = cuts[-1] + _PIECE
        stops = (i for i in range(limit, cuts[-1] + _PIECE // 2, -1) if words[i - 1][0] in ".?!")
        cuts.append(next(stops, limit))
    return [*cuts, len(words)]


def import_spacy() -> ModuleType:
    """The spacy module, without its command line: a third of the time to import, and no part of analysis.

    `spacy.cli` is imported when somebody asks for it.
    """
    if "spacy" not in sys.modules and "spacy.cli" not in sys.modules:
        stand_ins = {name: ModuleType(name) for name in ("spacy.cli", "spacy.cli.info")}
        stand_ins["spacy.cli.info"].info = _info  # type: ignore[attr-defined]
        sys.modules.update(stand_ins)
        try:
            import spacy
        finally:
            for name in stand_ins:
                sys.modules.pop(name, None)
        vars(spacy).pop("cli", None)
    import spacy

    return spacy


def _info(*arguments: Any, **options: Any) -> Any:
    """What spaCy offers as `spacy.info`, imported on first use."""
    from spacy.cli.info import info

    return info(*arguments, **options)


@cache
def load_pipeline(path: Path | None = None) -> Pipeline:
    """Load the shipped pipeline, or one from a folder, once."""
    spacy = import_spacy()
    from thinc.api import NumpyOps, get_current_ops, set_current_ops

    import postil.language.chunk_tagger  # noqa: F401 - registers the chunker

    folder: Any = path or files("postil.resources").joinpath("pipeline")
    # numpy's matrix product is about three times as fast as spaCy's default. Layers keep what they were made
    # with, so other spaCy pipelines in the same program are not affected.
    others = get_current_ops()
    set_current_ops(NumpyOps(use_blis=False))
    try:
        nlp = spacy.load(folder)
    finally:
        set_current_ops(others)
    tables = Path(str(folder))
    lemmatiser = Lemmatiser.load(tables / "lemmas.json")
    boundaries = BoundaryModel.load(tables / "boundaries.json")
    name = f"{nlp.meta['name']}-{nlp.meta['version']}"
    return Pipeline(nlp, lemmatiser, boundaries, name)


@contextmanager
def forgetting_words() -> Iterator[None]:
    """Inside this context, spaCy remembers new words only until its end; do not nest it.

    Otherwise its table of words would grow as long as a program meets new ones, by half a kilobyte each. The
    first ones stay: they are the frequent ones, and known words are quicker to read. What was analysed inside
    may be used outside: a `Document` holds nothing of spaCy's.
    """
    nlp = load_pipeline().nlp
    with nlp.memory_zone() if len(nlp.vocab.strings) > _MOST_WORDS else nullcontext():
        yield


def analyse(text: str) -> Document:
    """Analyse one text."""
    return next(analyse_many([text]))


def analyse_many(texts: Iterable[str]) -> Iterator[Document]:
    """Analyse many texts, in batches and in order."""
    return load_pipeline().analyse_many(texts)


def analyse_tokens(sentences: Iterable[Sequence[str]]) -> Iterator[Document]:
    """Analyse texts that are already cut into tokens."""
    return load_pipeline().analyse_tokens(sentences)


# The documents analysed recently, by text; replaced, never changed, as several threads may read them.
_recent: dict[str, Document] = {}


def documents_of(texts: Iterable[str]) -> dict[str, Document]:
    """The documents of texts, by text; those analysed recently are not analysed again."""
    global _recent
    distinct, known = dict.fromkeys(texts), _recent
    documents = {text: known[text] for text in distinct if text in known}
    # In alphabetical order: the same texts give the same batches, and so the same numbers to the last digit.
    new = sorted(distinct.keys() - known.keys())
    documents.update(zip(new, analyse_many(new), strict=True))
    others = [(text, document) for text, document in known.items() if text not in documents]
    _recent = dict([*others, *documents.items()][-_MOST:])
    return documents


def forget() -> None:
    """Forget the documents, so that speed can be measured from a fresh start."""
    global _recent
    _recent = {}
