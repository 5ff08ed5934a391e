"""The expert reader: a public language model of 1.5 billion weights, with an adapter that judges answers.

The adapter comes with the package `postil-expert`, the model is a file that everybody can download
(`postil readers`). The model reads question, reference and answer, and its next word is the label; so the
logits of the labels are those of their words. What the answers of a class have in common is read once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Protocol
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from postil.data.arrays import Singles
from postil.errors import PostilError
from postil.language.model_files import ModelFile, Needed
from postil.language.network import EXPERT, Pair, cores

PACKAGE = "postil_expert"
ADAPTER_FILE, PROMPTS_FILE = "adapter.gguf", "prompts.json"
FORMAT = 1
_REMEMBERED = 4096  # readings, of a few numbers each
_Reading = tuple[str, str, str, str]  # head, question, reference, answer


class Runtime(Protocol):
    """What must be known of a language model: its pieces of words, and what it says after texts."""

    def pieces(self, text: str, most: int = ...) -> tuple[int, ...]:
        """The pieces of a text, up to so many."""

    def after(self, texts: Sequence[Sequence[tuple[int, ...]]], words: Sequence[int]) -> Sequence[Singles]:
        """The logits of some pieces as what comes next after each text; texts are given in parts."""

    def forget(self) -> None:
        """Forget what was read."""


@dataclass(frozen=True, slots=True)
class Task:
    """How the model is asked: what comes before each text and at the end, and the word for each label.

    It is too sure of itself by `heat`; `lift` keeps right and wrong in their places when that is taken away.
    """

    openings: tuple[str, str, str]
    closing: str
    words: tuple[str, ...]
    heat: float = 1.0
    lift: float = 0.0


@dataclass(frozen=True, slots=True)
class Asking:
    """What the package says of how the model is asked, and which model it is."""

    tasks: Mapping[str, Task]
    most_pieces: tuple[int, int, int]  # of question, reference and answer
    model: Needed

    @classmethod
    def read(cls, folder: Path) -> Asking:
        """Read it from the package's folder."""
        try:
            content = json.loads((folder / PROMPTS_FILE).read_text("utf-8"))
            card = json.loads((folder / "card.json").read_text("utf-8"))
            if card["format"] != FORMAT:
                raise PostilError(
                    "the installed postil-expert belongs to another version of Postil.",
                    hint="Install wheels of one version of both: make wheel builds them.",
                )
            return cls(
                {name: _task(task) for name, task in content["tasks"].items()},
                tuple(content["most_pieces"]),
                Needed(**content["model"]),
            )
        except (OSError, ValueError, LookupError, TypeError) as error:
            what = "the installed postil-expert is damaged."
            raise PostilError(
                what, hint="Install it again: pip install --force-reinstall postil-expert"
            ) from error


def _task(content: Mapping[str, Any]) -> Task:
    first, second, third, closing = content["prompt"]
    heat, lift = float(content.get("heat", 1)), float(content.get("lift", 0))
    return Task((first, second, third), closing, tuple(content["words"].values()), heat, lift)


def cooled(logits: NDArray[Any], heat: float, lift: float) -> NDArray[Any]:
    """Logits made less sure: of several labels, the first is the right one."""
    result: NDArray[Any] = log_softmax(logits, axis=-1) / heat
    result[:, 0] += lift
    return result


class Expert:
    """The reader; the model is loaded when it is first asked."""

    name = EXPERT
    gullible = False  # it was right about 29 in 30 answers made to fool a grader
    most_words = 150
    longest = 256  # of a text and a hypothesis; the first 220 pieces of a text are read

    def __init__(self, folder: Path, runtime: Runtime | None = None) -> None:
        self._folder = folder
        self._given = runtime
        self._lock = Lock()
        self._recent: dict[_Reading, Singles] = {}

    @cached_property
    def asking(self) -> Asking:
        """How the model is asked."""
        return Asking.read(self._folder)

    @cached_property
    def _runtime(self) -> Runtime:
        if self._given is not None:
            return self._given
        from postil.language.llama import Llama

        path = ModelFile(EXPERT, self.asking.model).demanded()
        return Llama(path, self._folder / ADAPTER_FILE, cores())

    @cached_property
    def _words(self) -> Mapping[str, list[int]]:
        """The piece that stands for each label of each task."""
        words: dict[str, list[int]] = {}
        for name, task in self.asking.tasks.items():
            spelled = [self._runtime.pieces(word) for word in task.words]
            if any(len(pieces) != 1 for pieces in spelled) or len(set(spelled)) < len(spelled):
                raise PostilError(
                    "this language model does not know the expert reader's words.",
                    hint="See which file it needs: postil readers",
                )
            words[name] = [piece for (piece,) in spelled]
        return words

    def pairs(
        self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",), question: str = ""
    ) -> Mapping[str, Singles]:
        """The logits of the heads asked for, one row per pair (an answer and a reference)."""
        logits = {}
        for head in heads:
            # Whether a text implies another does not depend on a question.
            asked = question if self.asking.tasks[head].openings[0] else ""
            # An answer is one line, so that it cannot begin a line that looks like what asks for the label.
            rows = [(head, asked, reference, " ".join(answer.split())) for answer, reference in pairs]
            with self._lock:  # one model is enough for all threads
                values = self._read(head, rows)
            task = self.asking.tasks[head]
            said = np.array([values[row] for row in rows], np.float32).reshape(len(rows), len(task.words))
            logits[head] = cooled(said, task.heat, task.lift)
        return logits

    def _read(self, head: str, rows: Sequence[_Reading]) -> dict[_Reading, Singles]:
        """The logits of each row; the last are remembered, as grading and explaining ask in turn."""
        read = {row: self._recent[row] for row in rows if row in self._recent}
        # In order of what is read first, so that what rows have in common is read once.
        missing = sorted({*rows} - read.keys())
        if missing:
            texts = [self._parts(*row) for row in missing]
            read |= zip(missing, self._runtime.after(texts, self._words[head]), strict=True)
        self._recent = dict([*self._recent.items(), *read.items()][-_REMEMBERED:])
        return read

    def _parts(self, head: str, *texts: str) -> list[tuple[int, ...]]:
        """A text in parts: the question, the reference, then the answer with what asks for the label."""
        task = self.asking.tasks[head]
        parts = [
            self._runtime.pieces(opening) + self._cut(text, most) if text.strip() else ()
            for opening, text, most in zip(task.openings, texts, self.asking.most_pieces, strict=True)
        ]
        return [*parts[:-1], parts[-1] + self._runtime.pieces(task.closing)]

    def _cut(self, text: str, most: int) -> tuple[int, ...]:
        """The first pieces of a text; letters are composed, as the model has learned them."""
        return self._runtime.pieces(normalize("NFC", text[: most * 12]), most)

    def forget(self) -> None:
        """Forget what was read, so that speed can be measured from a fresh start."""
        self._recent = {}
        self._runtime.forget()


def expert_companion() -> Path | None:
    """The folder of the expert reader's package, if it is installed."""
    spec = find_spec(PACKAGE)
    places: Iterable[str] = (spec.submodule_search_locations or ()) if spec else ()
    return next((Path(place) for place in places if Path(place, "card.json").is_file()), None)


@cache
def expert() -> Expert:
    """The expert reader; its model is loaded when it is first asked."""
    folder = expert_companion()
    if folder is None:
        raise PostilError("the package postil-expert is not installed.", hint="See: postil readers")
    return Expert(folder)
