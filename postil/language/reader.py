"""The shipped encoder: vectors of a text's words, and what its heads say of two texts read at once.

>>> from postil.language.reader import encoder
>>> voltage, = encoder().words(["The battery gives a voltage."])
>>> voltage.vectors.shape
(6, 384)
>>> encoder().pairs([("the bulb is lit", "the bulb is on")])["response"].shape
(1, 5)
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from postil.data.arrays import Singles

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

# Open a network that ships, as ONNX, to be run by onnxruntime, and say how many may run at a time.


def cores() -> int:
    """How many cores this process may keep busy: what OMP_NUM_THREADS says, as for other libraries, or all.

    Where several processes share the work, each is told to take one.
    """
    told = os.environ.get("OMP_NUM_THREADS", "")
    return int(told) if told.isdecimal() and int(told) else os.cpu_count() or 1


def open_network(path: Path) -> InferenceSession:
    """A network that takes one thread a call: callers share the cores among several calls."""
    # Since 1.29 onnxruntime tells its makers of every session, unless this is set before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    from onnxruntime import InferenceSession, SessionOptions, disable_telemetry_events

    disable_telemetry_events()  # and where the program around Postil had loaded it already

    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return InferenceSession(path, options, providers=["CPUExecutionProvider"])


Pair = tuple[str, str]

HEADS = ("response", "nli", "similarity")
WIDTH = 384  # numbers in a vector
# A longer text is cut: what counts in a short answer comes early, and time grows with the square of length.
LONGEST = 160
_KEPT = 1024  # pairs of texts, of about 20 kB each
# More characters than the longest text can have pieces; the tokenizer need not read a whole novel.
_MOST_CHARACTERS = LONGEST * 12


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The pieces of a text's words: the word each belongs to, where it stands, and its vector of length 1."""

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    owners: NDArray[np.intp]  # for each piece, the word it is of
    vectors: Singles


@dataclass(frozen=True, slots=True, eq=False)
class LinkPieces:
    """The pieces of two texts read at once: where each starts, and a vector to compare parts by."""

    starts: tuple[NDArray[np.intp], NDArray[np.intp]]
    vectors: tuple[Singles, Singles]


@dataclass(frozen=True, slots=True, eq=False)
class _ReadPair:
    """What the network says of two texts."""

    logits: Mapping[str, Singles]
    pieces: LinkPieces


class Encoder:
    """Runs the two networks, a text at a time, on as many threads as it may keep cores busy.

    Each text goes through alone: eight-bit networks scale what they compute by the greatest number in a
    batch, so that in company an answer's logits would depend on who its neighbours are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._threads = cores()
        # Replaced, never changed: several threads may read it.
        self._kept: dict[Pair, _ReadPair] = {}

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        if self._threads == 1:
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # or it takes a thread for every core
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(LONGEST)
        return tokenizer

    @cached_property
    def _words(self) -> InferenceSession:
        return open_network(self._folder / "words.onnx")

    @cached_property
    def _pairs(self) -> InferenceSession:
        return open_network(self._folder / "pairs.onnx")

    def words(self, texts: Sequence[str]) -> list[Pieces]:
        """The vectors of the words of each text."""
        encodings = self._tokenizer.encode_batch([_readable(text) for text in texts])
        found = self._run(self._words, ("vectors",), encodings)
        return [
            _pieces(text, one, rows[0][0]) for text, one, rows in zip(texts, encodings, found, strict=True)
        ]

    def pairs(self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",)) -> Mapping[str, Singles]:
        """The logits of the heads asked for, a row a pair."""
        found = self._both(pairs)
        return {head: np.array([one.logits[head] for one in found]) for head in heads}

    def link_pieces(self, pairs: Sequence[Pair]) -> list[LinkPieces]:
        """The pieces of each pair's texts; `link_weights` says how to compare them."""
        return [one.pieces for one in self._both(pairs)]

    def _both(self, pairs: Sequence[Pair]) -> list[_ReadPair]:
        """All that is said of each pair; the last ones are kept, as grading and explaining ask one by one."""
        cut = [(_readable(first), _readable(second)) for first, second in pairs]
        known = {pair: self._kept[pair] for pair in cut if pair in self._kept}
        missing = [pair for pair in dict.fromkeys(cut) if pair not in known]
        encodings = self._tokenizer.encode_batch(missing)
        found = self._run(self._pairs, (*HEADS, "pieces"), encodings)
        for pair, encoding, rows in zip(missing, encodings, found, strict=True):
            logits = {head: rows[place][0] for place, head in enumerate(HEADS)}
            known[pair] = _ReadPair(logits, link_pieces_of(encoding, rows[-1][0]))
        self._keep(known)
        return [known[pair] for pair in cut]

    def forget(self) -> None:
        """Keep nothing of what was read, as speed is measured from a fresh start."""
        self._kept = {}

    def _keep(self, known: Mapping[Pair, _ReadPair]) -> None:
        self._kept = dict([*self._kept.items(), *known.items()][-_KEPT:])

    @cached_property
    def link_weights(self) -> Mapping[str, Singles]:
        """The layers that compare two groups of pieces."""
        return dict(np.load(self._folder / "links.npz", allow_pickle=False))

    def _run(
        self, session: InferenceSession, outputs: Sequence[str], encodings: Sequence[Encoding]
    ) -> list[Sequence[Singles]]:
        """What a network says of each text."""

        def run(encoding: Encoding) -> Sequence[Singles]:
            found: Sequence[Singles] = session.run(list(outputs), _inputs(encoding))
            return found

        if len(encodings) < 2 or self._threads < 2:
            return list(map(run, encodings))
        # One thread a text wastes less than all threads on one: the networks are small.
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(run, encodings))


def _readable(text: str) -> str:
    """As much of a text as is read; half a character, which the tokenizer refuses, becomes a "?"."""
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _inputs(encoding: Encoding) -> dict[str, NDArray[np.int64]]:
    values = {"ids": encoding.ids, "mask": encoding.attention_mask, "kinds": encoding.type_ids}
    return {name: np.array([value], np.int64) for name, value in values.items()}


def _pieces(text: str, encoding: Encoding, vectors: NDArray[Any]) -> Pieces:
    owners: list[int] = []
    spans: list[tuple[int, int]] = []
    last = None
    for word, (start, end) in zip(encoding.word_ids[1:-1], encoding.offsets[1:-1], strict=True):
        if word != last:
            spans.append((start, end))
            last = word
        else:
            spans[-1] = (spans[-1][0], end)
        owners.append(len(spans) - 1)
    found = vectors[1 : 1 + len(owners)]
    lengths = np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-6)
    words = tuple(text[start:end].lower() for start, end in spans)
    return Pieces(words, tuple(spans), np.array(owners, np.intp), (found / lengths).astype(np.float32))


def link_pieces_of(encoding: Encoding, vectors: NDArray[Any]) -> LinkPieces:
    """The pieces of the two texts of an encoding, told apart."""
    sides = np.array([-1 if side is None else side for side in encoding.sequence_ids])
    starts = np.array([start for start, _ in encoding.offsets], np.intp)
    first, second = (np.flatnonzero(sides == side) for side in (0, 1))
    return LinkPieces((starts[first], starts[second]), (vectors[first], vectors[second]))


@cache
def encoder(folder: Path | None = None) -> Encoder:
    """The shipped encoder, or the one in a folder; loaded when first asked for something."""
    if folder is not None:
        return Encoder(folder)
    with as_file(files("postil.resources").joinpath("encoder")) as path:
        return Encoder(path)


# Share the cores: keep matrix products to one thread, and let a network work while the interpreter does.

Item = TypeVar("Item")
Found = TypeVar("Found")


def one_thread_each() -> AbstractContextManager[Any]:
    """Inside, a matrix product takes one thread: ours are small, and shared they cost more than they gain."""
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def beside() -> Executor:
    """What does one thing beside another, where there is a core for it; else everything in its turn."""
    return ThreadPoolExecutor(1) if cores() > 1 else _InTurn()


class _InTurn(Executor):
    """Does at once what it is given."""

    def submit(self, fn: Callable[..., Found], /, *args: Any, **kwargs: Any) -> Future[Found]:
        """The future of something that is done already; an error is raised here."""
        done: Future[Found] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def ahead(work: Callable[[Item], Found], items: Iterable[Item]) -> Iterator[Future[Found]]:
    """Work on items in the background, in order: on the next one, too, while a result is waited for."""
    waiting: deque[Future[Found]] = deque()
    with beside() as pool:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > 1:
                yield waiting.popleft()
        yield from waiting
