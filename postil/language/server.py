"""Any language model as a reader: one behind an OpenAI-compatible server, on the school's own network.

llama.cpp's server, Ollama and vLLM are such. The model reads question, reference and answer (`prompts`), and
the server lists its likely next words with their probabilities; so those of the labels are known from one
word. A person connects a server once (`postil readers connect`); what it is, is kept in `readers.json`.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np

from postil.data.arrays import Singles
from postil.data.folders import data_folder
from postil.errors import InputError, MissingDataError, PostilError, some
from postil.language.endpoint import Address, Endpoint, Reply, allowed
from postil.language.model_files import SERVER_NOTES, note, noted, notes_file
from postil.language.network import SERVER, Pair, reader
from postil.language.prompts import PROMPTS, likely

KEY_SETTING = "POSTIL_SERVER_KEY"  # the environment variable that holds the key, unless a file does
PATIENCE, AT_ONCE = 60.0, 4  # seconds for one answer; answers that are read at the same time
_MOST_AT_ONCE, _MOST_PATIENCE = 64, 3600.0
_REMEMBERED = 4096  # readings, of a few numbers each
_LOG_FILE, _LONGEST_LOG = "readers.log", 10_000_000  # bytes, after which the log before it is replaced
_ENOUGH = 0.5  # how probable it must be that the model says one of the words, for a way of asking to be taken
_TOO_LITTLE = 0.05  # below this it does not answer with them at all
_LONGEST_NAME = 200
_ELSEWHERE = re.compile(r"[-:]cloud$")  # models that Ollama lists as its own and passes on to its makers
_NO_NAME = re.compile(r"[^\w.:/@+-]")  # what a name in a signature cannot have
_Reading = tuple[str, str, str, str]  # head, question, reference, answer


@dataclass(frozen=True, slots=True)
class Manner:
    """How a server is asked: by chat or completion, for how many likely words, and with what else."""

    chat: bool = True
    words: int = 20
    extra: Mapping[str, Any] = field(default_factory=dict)

    def request(self, model: str, text: str) -> tuple[str, dict[str, Any]]:
        """The path, and what is sent there."""
        shared = {"model": model, "max_tokens": 1, "temperature": 0, "stream": False, **self.extra}
        if not self.chat:
            return "/completions", {**shared, "prompt": text, "logprobs": self.words}
        messages = [{"role": "user", "content": text}]
        asked = {"messages": messages, "logprobs": True, "top_logprobs": self.words}
        return "/chat/completions", {**shared, **asked}


# What servers document: vLLM lists up to 20 words unless started with more, as OpenAI does in chats; some
# list 5. Models that think before they answer are told not to, by llama.cpp's and vLLM's setting for the
# template, or by Ollama's. A server that knows no chats completes texts.
_MANNERS = (
    Manner(),
    Manner(extra={"chat_template_kwargs": {"enable_thinking": False}}),
    Manner(extra={"reasoning_effort": "none"}),
    Manner(words=5),
    Manner(chat=False),
    Manner(chat=False, words=5),
)
# Asked when a server is connected; written for this, so nobody's words leave the computer.
_PROBE = ("What do plants need to grow?", "They need water and light.", "Light and water.")


@dataclass(frozen=True, slots=True)
class Connection:
    """A server and its model, as a person has connected them."""

    address: str
    model: str
    public: bool = False
    key_file: str = ""
    patience: float = PATIENCE
    at_once: int = AT_ONCE
    manner: Manner = Manner()

    @property
    def name(self) -> str:
        """What judgements and signatures call the reader; of a model's file only the name is told."""
        model = re.split(r"[\\/]", self.model)[-1] if self.model.endswith(".gguf") else self.model
        return f"{SERVER}:{_NO_NAME.sub('_', model)}"

    def endpoint(self) -> Endpoint:
        """The server, ready to be asked."""
        address = Address.parse(self.address)
        key = _key(self.key_file)
        return Endpoint(address, public=self.public, key=key, patience=self.patience, at_once=self.at_once)

    @classmethod
    def known(cls) -> Connection | None:
        """The one that is connected."""
        notes = noted(SERVER_NOTES)
        if not notes:
            return None
        try:
            connection = cls(**{**notes, "manner": Manner(**notes["manner"])})
            _demand_sensible(connection)
            Address.parse(connection.address)
        except (PostilError, LookupError, TypeError) as error:
            raise InputError(
                notes_file(),
                "what it says of the server is damaged.",
                hint="Connect it again: postil readers connect URL",
            ) from error
        return connection

    @classmethod
    def demanded(cls, name: str = SERVER) -> Connection:
        """The one that is connected; refused if nobody has connected one, or another model is asked for."""
        connection = cls.known()
        if connection is None:
            raise MissingDataError(
                "no server with a language model is connected.",
                hint="Connect yours: postil readers connect http://localhost:8080/v1",
            )
        if name not in (SERVER, connection.name):
            raise PostilError(
                f"the reader {name!r} is asked for, and {connection.name!r} is connected.",
                hint="Connect the other model: postil readers connect URL --model NAME",
            )
        return connection


def connect(
    address: str,
    model: str = "",
    *,
    public: bool = False,
    key_file: Path | None = None,
    patience: float = PATIENCE,
    at_once: int = AT_ONCE,
) -> Connection:
    """Find out whether and how a server can be asked, and keep that in the user's configuration."""
    where = Address.parse(address)
    key_path = str(key_file.absolute()) if key_file else ""
    connection = Connection(str(where), model, public, key_path, patience, at_once)
    _demand_sensible(connection)
    allowed(where, public=public)  # before anything, even a key, is sent there
    endpoint = connection.endpoint()
    try:
        connection = replace(connection, model=_chosen_model(endpoint, model))
        if _ELSEWHERE.search(connection.model) and not public:
            raise PostilError(
                f"the model {connection.model!r} runs in its maker's cloud, where answers would go.",
                hint="Take one that runs on your own server. If you may send them there: --public",
            )
        connection = replace(connection, manner=_manner(endpoint, connection.model))
    finally:
        endpoint.close()
    note(SERVER_NOTES, asdict(connection))
    reader.cache_clear()
    return connection


def disconnect() -> bool:
    """Forget the server; tell whether there was one."""
    there = bool(noted(SERVER_NOTES))
    if there:
        note(SERVER_NOTES, {})
        reader.cache_clear()
    return there


def _demand_sensible(connection: Connection) -> None:
    texts = (connection.address, connection.model, connection.key_file)
    numbers = (connection.patience, connection.at_once, connection.manner.words)
    if not all(isinstance(text, str) for text in texts) or not all(
        isinstance(number, int | float) for number in numbers
    ):
        raise TypeError("a text or a number is expected")
    if not isinstance(connection.manner.extra, Mapping) or not isinstance(connection.public, bool):
        raise TypeError("settings, and yes or no, are expected")
    if not 1 <= connection.at_once <= _MOST_AT_ONCE:
        raise PostilError(f"between 1 and {_MOST_AT_ONCE} answers can be read at the same time.")
    if not 1 <= connection.patience <= _MOST_PATIENCE:
        raise PostilError(f"one answer can have between 1 and {_MOST_PATIENCE:,.0f} seconds.")
    if len(connection.model) > _LONGEST_NAME or not connection.model.isprintable():
        raise PostilError("this is not the name of a model.")


def _key(key_file: str) -> str:
    """The key that the server asks for; it is never written anywhere else."""
    if key_file:
        try:
            key = Path(key_file).read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            raise InputError(key_file, "the server's key cannot be read from this file.") from error
    else:
        key = os.environ.get(KEY_SETTING, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise PostilError(
            "the server's key is not one word of plain letters, digits and signs.",
            hint=f"It is the only line of the file that --key-file names, or in {KEY_SETTING}.",
        )
    return key


def _chosen_model(endpoint: Endpoint, model: str) -> str:
    """The model to ask: the one that is named, if the server has it, or its only one."""
    reply = endpoint.ask("/models")
    listed = reply.content.get("data") if reply.good and isinstance(reply.content, Mapping) else None
    names = (
        [entry.get("id") for entry in listed if isinstance(entry, Mapping)]
        if isinstance(listed, list)
        else []
    )
    known = [
        name for name in names if isinstance(name, str) and name.isprintable() and len(name) <= _LONGEST_NAME
    ]
    if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise _refused(endpoint)
    if model and (not known or model in known):
        return model
    if model or len(known) != 1:
        what = f"has no model {model!r}" if model else "does not say which model to ask"
        hint = f"It has {some(known, 10)}: --model NAME" if known else "Name one: --model NAME"
        raise PostilError(f"the server at {endpoint.address} {what}.", hint=hint)
    return known[0]


def _manner(endpoint: Endpoint, model: str) -> Manner:
    """The first way of asking in which likely words are listed, and the model says one of those asked for."""
    tried: list[tuple[float, Manner]] = []
    complaint = ""
    for manner in _MANNERS:
        reply = endpoint.ask(*manner.request(model, PROMPTS["response"].text(*_PROBE)))
        if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise _refused(endpoint)
        tokens = likely(_choice(reply))
        complaint = complaint or ("" if reply.good else reply.complaint)
        if len(tokens) > 1:
            said = PROMPTS["response"].chances(tokens)[1]
            tried.append((said, manner))
            if said >= _ENOUGH:
                return manner
    if not tried:
        said_so = f" It says: {complaint}" if complaint else ""
        raise PostilError(
            f"the server at {endpoint.address} does not tell how probable words of {model!r} are.{said_so}",
            hint="Postil needs log-probabilities (logprobs): docs/readers.md says which servers give them.",
        )
    said, manner = max(tried, key=lambda entry: entry[0])
    if said < _TOO_LITTLE:
        raise PostilError(
            f"the model {model!r} does not answer with one of the words that it is asked for.",
            hint="Does it think before it answers? Turn that off on the server, or take a model that follows "
            "instructions.",
        )
    return manner


def _choice(reply: Reply) -> object:
    choices = reply.content.get("choices") if reply.good and isinstance(reply.content, Mapping) else None
    return choices[0] if isinstance(choices, list) and choices else None


def _refused(endpoint: Endpoint) -> PostilError:
    return PostilError(
        f"the server at {endpoint.address} wants a key, or another one.",
        hint=f"Write it into a file of its own, and name that: --key-file FILE (or set {KEY_SETTING}).",
    )


class Server:
    """The reader; the server is asked when there is something to read."""

    gullible = True  # nobody knows what a model of somebody's choice believes
    most_words = 150
    longest = 384  # pieces of a text and a hypothesis

    def __init__(self, connection: Connection) -> None:
        self.name = connection.name
        self._connection = connection
        self._endpoint = connection.endpoint()
        self._recent: dict[_Reading, Singles] = {}

    def pairs(
        self, pairs: Sequence[Pair], heads: Sequence[str] = ("response",), question: str = ""
    ) -> Mapping[str, Singles]:
        """The logits of the heads asked for, one row per pair (an answer and a reference)."""
        rows = [
            (head, question if PROMPTS[head].names[0] else "", reference, answer)
            for head in heads
            for answer, reference in pairs
        ]
        values = self._read(rows)
        return {
            head: np.array([values[row] for row in rows if row[0] == head], np.float32).reshape(
                len(pairs), len(PROMPTS[head].words)
            )
            for head in heads
        }

    def _read(self, rows: Sequence[_Reading]) -> Mapping[_Reading, Singles]:
        """The logits of each row; the last are remembered, as grading and explaining ask in turn."""
        recent = self._recent
        read = {row: recent[row] for row in rows if row in recent}
        # In order of what is read first: servers keep what texts have in common.
        missing = sorted({*rows} - read.keys())
        if missing:
            log_use(self._connection, len(missing))
            with ThreadPoolExecutor(min(self._connection.at_once, len(missing))) as pool:
                read |= zip(missing, pool.map(self._logits, missing), strict=True)
        self._recent = dict([*recent.items(), *read.items()][-_REMEMBERED:])
        return read

    def _logits(self, row: _Reading) -> Singles:
        head, *texts = row
        connection = self._connection
        question, reference, answer = texts
        prompt = PROMPTS[head]
        reply = self._endpoint.ask(
            *connection.manner.request(connection.model, prompt.text(question, reference, answer))
        )
        tokens = likely(_choice(reply))
        if not reply.good or not tokens:
            raise self._useless(reply)
        logits: Singles = np.log(prompt.chances(tokens)[0])
        return logits

    def _useless(self, reply: Reply) -> PostilError:
        """Why an answer cannot be used; what the server says may be a pupil's words, and is not repeated."""
        where, model = self._endpoint.address, self._connection.model
        if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return _refused(self._endpoint)
        if reply.status == HTTPStatus.NOT_FOUND:
            what = f"the server at {where} no longer has the model {model!r}."
            return PostilError(what, hint="See what it has, and connect it again: postil readers connect URL")
        if not reply.good:
            return PostilError(
                f"the server at {where} could not read a text (HTTP {reply.status}).",
                hint="Its own log says why. Does its context hold 2,000 pieces of words?",
            )
        what = f"the server at {where} sent an answer without log-probabilities of words."
        return PostilError(what, hint="Has it been changed? Connect it again: postil readers connect URL")

    def forget(self) -> None:
        """Forget what was read, so that speed can be measured from a fresh start."""
        self._recent = {}


def log_file() -> Path:
    """Where each use of a server is noted."""
    return data_folder() / _LOG_FILE


def log_use(connection: Connection, answers: int) -> None:
    """Note that texts are about to be sent, and where; never what they say.

    What cannot be noted is not sent: a log with gaps would be worth nothing.
    """
    path = log_file()
    entry = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "server": connection.address,
        "model": connection.model,
        "answers": answers,
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _LONGEST_LOG:
            path.replace(path.with_name(f"{path.name}.1"))
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except OSError as error:
        what = "the use of the server cannot be noted in this file, so nothing was sent."
        raise InputError(path, what, hint="May this user write there, and is there room?") from error
