"""The readers: networks whose heads judge two texts at once; the quick one has vectors of words as well.

The quick reader ships; the careful one comes with the package `postil-careful`; the cascade lets the
careful one read only what the quick one is unsure of; the expert one is in `expert`, and a model behind a
server in `server`. Every network is opened here (`open_network`), and here the cores are shared: matrix
products keep to one thread, and a network works while the interpreter does.

>>> from postil.language.network import encoder
>>> voltage, = encoder().words(["The battery gives a voltage."])
>>> voltage.vectors.shape
(6, 384)
>>> encoder().pairs([("the bulb is lit", "the bulb is on")])["response"].shape
(1, 5)
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp, softmax
from threadpoolctl import ThreadpoolController

from postil.data.arrays import Numbers, Singles
from postil.errors import PostilError, some
from postil.language.pieces import LinkPieces, Pieces, link_pieces_of, word_pieces

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

Pair = tuple[str, str]
_Reading = Mapping[str, Any]  # the logits of each head, and what else a reader gives
Item = TypeVar("Item")
Result = TypeVar("Result")

READERS = ("quick", "careful", "cascade", "expert", "thorough", "server")
QUICK, CAREFUL, CASCADE, EXPERT, THOROUGH, SERVER = READERS
READER_SETTING = "POSTIL_READER"  # the environment variable that names the reader, unless a caller does
COMPANION = "postil_careful"
CALIBRATION_FILE = "calibration.json"
_COMPANION_FORMAT = 1
WIDTH = 384  # numbers in a vector
_REMEMBERED = 1024  # pairs of texts, of about 20 kB each
_ARROW = "→"  # one piece in the networks' vocabularies, and hardly ever in a text
MOST_OF_A_QUESTION = 40  # words
# How sure each reader but the last must be that an answer is correct, or is not, for a cascade to believe it:
# learned by `training/thresholds.py` on answers that no training has seen (docs/decisions.md).
SURE = {CASCADE: (0.97,), THOROUGH: (0.99, 0.65)}
_SUREST = 9.0  # log odds
_LONGEST_CLAIM = 60  # words


def asked(question: str, text: str) -> str:
    """A reference or a claim behind its question, as networks read the two.

    What counts depends on what was asked. Of a long question the end is read, where most teachers ask.
    """
    words = question.split()[-MOST_OF_A_QUESTION:]
    return f"{' '.join(words)} {_ARROW} {text}" if words else text


def open_network(path: Path) -> InferenceSession:
    """Open a network in ONNX that takes one thread a call: callers share the cores among several calls."""
    # Since 1.29 onnxruntime reports every session to its makers, unless this is set before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    from onnxruntime import InferenceSession, SessionOptions, disable_telemetry_events

    disable_telemetry_events()  # in case the program around Postil had loaded it already
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return InferenceSession(path, options, providers=["CPUExecutionProvider"])


class Reader(Protocol):
    """Judges an answer beside a reference: logits of the five labels, and of inference."""

    name: str
    most_words: int  # of an answer that are read
    longest: int  # of a pair, in pieces of words
    gullible: bool  # takes a reference in disorder, denied or asked for an answer, so a person should look

    def pairs(
        self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",), question: str = ""
    ) -> Mapping[str, Singles]:
        """The logits of the heads asked for, one row per pair; not every reader reads the question."""

    def forget(self) -> None:
        """Forget what was read, so that speed can be measured from a fresh start."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far the heads of a network are believed, so that its probabilities mean what they say.

    A network that has read its lessons many times is too sure of itself, most of all beside long references:
    its log odds are divided by `heat`, and by `growth` more for each e-fold length of the reference.
    Whether an answer is correct is also asked as whether it makes the reference's claim, by another head of
    the same network, which has a `share` in the log odds; `lean` is added to them in the end. Neither is done
    beside a reference that is much longer than the claims the head has learned from.
    """

    heat: float = 1.0
    growth: float = 0.0
    share: float = 0.0
    lean: float = 0.0

    def response(self, response: Singles, claim: Singles, lengths: Numbers) -> Singles:
        """Logits of the five labels, from those of the two heads and the references' words, a row a pair."""
        heats = self.heat + self.growth * np.log(np.maximum(lengths, 1))
        logs = log_softmax(response.astype(np.float64), axis=-1)
        short = lengths <= _LONGEST_CLAIM
        share, lean = self.share * short, self.lean * short
        odds = (1 - share) * _log_odds(response) + share * _log_odds(claim)
        wrong = log_softmax(logs[:, 1:] / heats[:, None], axis=-1)
        return np.hstack([(odds / heats + lean)[:, None], wrong]).astype(np.float32)


def _log_odds(logits: Singles) -> NDArray[np.float64]:
    """The log odds of the first label, as far as a network can tell them."""
    logs = log_softmax(logits.astype(np.float64), axis=-1)
    odds: NDArray[np.float64] = np.clip(logs[:, 0] - logsumexp(logs[:, 1:], axis=-1), -_SUREST, _SUREST)
    return odds


class PairReader:
    """A network that reads two texts at once, a pair at a time, on one thread for each core that it may use.

    Each pair goes through alone: eight-bit networks scale what they compute by the greatest number in a
    batch, so that in company an answer's logits would depend on who its neighbours are.
    """

    heads: ClassVar[tuple[str, ...]] = ("response", "claim", "nli")
    reads_questions: ClassVar[bool] = True
    gullible = False  # it has learned from such answers
    # A longer text is cut: what counts comes early, and time grows with the square of the length.
    longest: int = 256
    most_words = 100  # a network believes anything of texts longer than those that it has learned from

    def __init__(self, folder: Path, name: str = CAREFUL) -> None:
        self.name = name
        file = folder / CALIBRATION_FILE
        self._calibration = Calibration(**json.loads(file.read_text("utf-8"))) if file.exists() else None
        self._folder = folder
        self._threads = cores()
        # Replaced, never changed: several threads may read it.
        self._recent: dict[Pair, _Reading] = {}

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        if self._threads == 1:
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # or it takes a thread for every core
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.longest)
        return tokenizer

    @cached_property
    def _pairs(self) -> InferenceSession:
        return open_network(self._folder / "pairs.onnx")

    def pairs(
        self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",), question: str = ""
    ) -> Mapping[str, Singles]:
        """The logits of the heads asked for, one row per pair."""
        lengths = np.array([len(second.split()) for _, second in pairs], np.intp)
        if self.reads_questions:
            pairs = [(first, asked(question, second)) for first, second in pairs]
        readings = self._read(pairs)
        logits = {head: np.array([reading[head] for reading in readings]) for head in heads}
        if readings and self._calibration and "response" in heads:
            claim = np.array([reading["claim"] for reading in readings])
            logits["response"] = self._calibration.response(logits["response"], claim, lengths)
        return logits

    def _read(self, pairs: Sequence[Pair]) -> list[_Reading]:
        """All that is said of each pair; the last are remembered, as grading and explaining ask in turn."""
        cut = [(self._beginning(first), self._beginning(second)) for first, second in pairs]
        readings = {pair: self._recent[pair] for pair in cut if pair in self._recent}
        missing = [pair for pair in dict.fromkeys(cut) if pair not in readings]
        encodings = self._tokenizer.encode_batch(missing)
        for pair, reading in zip(missing, self._readings(encodings), strict=True):
            readings[pair] = reading
        self._recent = dict([*self._recent.items(), *readings.items()][-_REMEMBERED:])
        return [readings[pair] for pair in cut]

    def _readings(self, encodings: Sequence[Encoding]) -> Iterator[_Reading]:
        for logits in self._run(self._pairs, self.heads, encodings):
            yield {head: values[0] for head, values in zip(self.heads, logits, strict=True)}

    def _readable(self, text: str) -> str:
        """As much of a text as is read; half a character, which the tokenizer refuses, becomes a "?"."""
        # More characters than the longest text can have pieces; the tokenizer need not read a whole novel.
        return text[: self.longest * 12].encode("utf-8", "replace").decode("utf-8")

    def _beginning(self, text: str) -> str:
        """As much of a text as can be read; of two long ones the tokenizer would keep all that is left over.

        What it keeps is every part of one beside every part of the other: gigabytes for Japanese.
        """
        text = self._readable(text)
        if len(text) <= self.longest:  # characters, and so no more pieces
            return text
        return text[: max(end for _, end in self._tokenizer.encode(text).offsets)]

    def forget(self) -> None:
        """Forget what was read, so that speed can be measured from a fresh start."""
        self._recent = {}

    def _run(
        self, session: InferenceSession, outputs: Sequence[str], encodings: Sequence[Encoding]
    ) -> list[Sequence[Singles]]:
        """What a network says of each text."""
        wanted = {entry.name for entry in session.get_inputs()}

        def run(encoding: Encoding) -> Sequence[Singles]:
            values = {"ids": encoding.ids, "mask": encoding.attention_mask, "kinds": encoding.type_ids}
            inputs = {name: np.array([value], np.int64) for name, value in values.items() if name in wanted}
            result: Sequence[Singles] = session.run(list(outputs), inputs)
            return result

        if len(encodings) < 2 or self._threads < 2:
            return list(map(run, encodings))
        # One thread per text wastes less than all threads on one text: the networks are small.
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(run, encodings))


class Encoder(PairReader):
    """The quick reader, which also gives vectors of words, and of the pieces of two texts read at once."""

    heads = ("response", "nli", "similarity")
    reads_questions = False
    gullible = True
    longest = 160
    most_words = 40

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, QUICK)

    @cached_property
    def _words(self) -> InferenceSession:
        return open_network(self._folder / "words.onnx")

    def words(self, texts: Sequence[str]) -> list[Pieces]:
        """The vectors of the words of each text."""
        encodings = self._tokenizer.encode_batch([self._readable(text) for text in texts])
        outputs = self._run(self._words, ("vectors",), encodings)
        return [
            word_pieces(text, encoding, output[0][0])
            for text, encoding, output in zip(texts, encodings, outputs, strict=True)
        ]

    def meanings(self, texts: Sequence[str]) -> Singles:
        """A vector of length 1 for each text, the mean of its words' vectors; zeros if it has no words."""
        means = [read.vectors.sum(axis=0) for read in self.words(texts)]
        vectors = np.array(means, np.float32).reshape(len(texts), WIDTH)
        unit: Singles = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
        return unit

    def link_pieces(self, pairs: Sequence[Pair]) -> list[LinkPieces]:
        """The pieces of each pair's texts; `link_weights` says how to compare them."""
        return [reading["pieces"] for reading in self._read(pairs)]

    def _readings(self, encodings: Sequence[Encoding]) -> Iterator[_Reading]:
        outputs = self._run(self._pairs, (*self.heads, "pieces"), encodings)
        for encoding, (*logits, pieces) in zip(encodings, outputs, strict=True):
            by_head = {head: values[0] for head, values in zip(self.heads, logits, strict=True)}
            yield {**by_head, "pieces": link_pieces_of(encoding, pieces[0])}

    @cached_property
    def link_weights(self) -> Mapping[str, Singles]:
        """The layers that compare two groups of pieces."""
        return dict(np.load(self._folder / "links.npz", allow_pickle=False))


class Cascade:
    """Lets each reader read only what those before it are unsure of: quick, careful, perhaps expert."""

    gullible = True  # as the quick reader is, which has the first word

    def __init__(self, *readers: Reader, name: str = CASCADE) -> None:
        self.name = name
        self._first, *self._others = readers
        self._sure = SURE[name]
        self.most_words = min(each.most_words for each in self._others)
        self.longest = min(each.longest for each in self._others)

    def pairs(
        self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",), question: str = ""
    ) -> Mapping[str, Singles]:
        """The logits of the heads asked for, one row per pair."""
        return self.read(pairs, heads, question)[0]

    def read(
        self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",), question: str = ""
    ) -> tuple[Mapping[str, Singles], list[str]]:
        """The logits of the heads asked for, and the name of the reader that each row comes from."""
        asked = list(dict.fromkeys([*heads, "response"]))
        first = self._first.pairs(pairs, asked, question)
        names = [self._first.name] * len(pairs)
        read = {head: values.copy() for head, values in first.items()}
        doubtful = np.arange(len(pairs))
        for other, sure in zip(self._others, self._sure, strict=True):
            correct = softmax(read["response"][doubtful], axis=-1)[:, 0] if len(doubtful) else np.zeros(0)
            doubtful = doubtful[np.maximum(correct, 1 - correct) < sure]
            if len(doubtful):
                again = other.pairs([pairs[row] for row in doubtful.tolist()], asked, question)
                for head in asked:
                    read[head][doubtful] = again[head]
                for row in doubtful.tolist():
                    names[row] = other.name
        return {head: read[head] for head in heads}, names

    def forget(self) -> None:
        """Forget what was read, so that speed can be measured from a fresh start."""
        for each in (self._first, *self._others):
            each.forget()


@cache
def encoder(folder: Path | None = None) -> Encoder:
    """The shipped encoder, or the one in a folder; loaded on first use."""
    if folder is not None:
        return Encoder(folder)
    with as_file(files("postil.resources").joinpath("encoder")) as path:
        return Encoder(path)


def companion() -> Path | None:
    """The folder of the careful reader's package, if it is installed."""
    spec = find_spec(COMPANION)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places and Path(places[0], "card.json").is_file() else None


def default_reader() -> str:
    """The reader that is used unless one is named: the careful one where it is installed."""
    named = os.environ.get(READER_SETTING, "")
    if not named:
        return CAREFUL if companion() else QUICK
    demand_reader(named)
    return full_name(named)


def kind_of(name: str) -> str:
    """The reader, whatever model it has: "server" of "server:qwen2.5"."""
    return name.partition(":")[0]


def full_name(name: str) -> str:
    """The reader's name; a server's says which model it has, since its judgements depend on that."""
    return reader(name).name if name == SERVER else name


def demand_reader(name: str) -> None:
    """Refuse a reader that does not exist or is not installed."""
    if kind_of(name) == SERVER:
        reader(name)
        return
    if name not in READERS:
        raise PostilError(f"{name!r} is not a reader.", hint=f"Readers: {some(READERS, len(READERS))}.")
    if name in (EXPERT, THOROUGH):
        from postil.language.readers import demand_expert

        demand_expert()
    if name not in (QUICK, EXPERT) and companion() is None:
        raise PostilError(
            f"the {name} reader needs the package postil-careful, which is not installed.",
            hint="Install its wheel (make wheel builds it), or use the quick reader.",
        )


def weighed_as(name: str) -> str:
    """The reader whose stack weighs what a reader says; a cascade's answers are weighed as the careful's."""
    return CAREFUL if name in (CASCADE, THOROUGH) else name


def stack_folder(name: str) -> Path | None:
    """The folder of the package that a reader comes with; the quick one and a server have none."""
    if name == EXPERT:
        from postil.language.expert import expert_companion

        return expert_companion()
    return companion() if name != QUICK and kind_of(name) != SERVER else None


@cache
def reader(name: str) -> Reader:
    """A reader by its name; loaded on first use."""
    if kind_of(name) == SERVER:
        from postil.language.server import Connection, Server

        connection = Connection.demanded(name)
        return Server(connection) if name == connection.name else reader(connection.name)
    demand_reader(name)
    if name == QUICK:
        return encoder()
    if name == CASCADE:
        return Cascade(encoder(), _careful())
    if name in (EXPERT, THOROUGH):
        from postil.language.expert import expert

        return expert() if name == EXPERT else Cascade(encoder(), _careful(), expert(), name=THOROUGH)
    return _careful()


@cache
def _careful() -> PairReader:
    demand_reader(CAREFUL)
    folder = companion() or Path()
    if json.loads((folder / "card.json").read_text("utf-8")).get("format") != _COMPANION_FORMAT:
        raise PostilError(
            "the installed postil-careful belongs to another version of Postil.",
            hint="Install wheels of one version of both: make wheel builds them.",
        )
    return PairReader(folder)


def cores() -> int:
    """How many cores this process may keep busy: what OMP_NUM_THREADS says, as for other libraries, or all.

    Where several processes share the work, each is told to take one.
    """
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return int(limit) if limit.isdecimal() and int(limit) else os.cpu_count() or 1


def one_thread_each() -> AbstractContextManager[Any]:
    """A context in which a matrix product takes one thread: ours are too small to gain from several."""
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


_libraries = cache(ThreadpoolController)  # looking for them takes a while


def beside() -> Executor:
    """An executor that works in the background if there is a core for it, otherwise at once."""
    return ThreadPoolExecutor(1) if cores() > 1 else _InTurn()


class _InTurn(Executor):
    """Runs at once what it is given."""

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """The future of something that is done already; an error is raised here."""
        done: Future[Result] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def ahead(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Future[Result]]:
    """Work on items in the background, in order, one item ahead of the result that is asked for."""
    waiting: deque[Future[Result]] = deque()
    with beside() as pool:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > 1:
                yield waiting.popleft()
        yield from waiting
