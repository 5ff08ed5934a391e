"""A stand-in for a server with a language model: to it an answer is right if it has the reference's words."""

from __future__ import annotations

import json
import math
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

MODEL = "tiny-1b"
Reply = Callable[["Handler", Mapping[str, Any]], None]


@dataclass
class StandIn:
    """What the server is like, and what it was asked."""

    models: list[str] = field(default_factory=lambda: [MODEL])
    kind: str = "chat"  # or "completion": with the list that llama.cpp sends, or "table": with vLLM's
    most: int = 20  # words listed; asked for more, it refuses
    key: str = ""
    pause: float = 0.0
    thinks: str = ""  # the setting without which its first word is no label
    reply: Reply | None = None  # what it does instead of answering
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    connections: int = 0
    together: int = 0  # the most requests that were answered at the same time
    port: int = 0
    address: str = ""
    lock: Any = field(default_factory=Lock)
    now: int = 0

    @property
    def prompts(self) -> list[str]:
        """The texts that the model was given."""
        return list(map(prompt_of, self.asked))


def prompt_of(asked: Mapping[str, Any]) -> str:
    prompt: str = asked["messages"][0]["content"] if "messages" in asked else asked["prompt"]
    return prompt


def texts_of(prompt: str) -> dict[str, str]:
    """What stands in the fences of a prompt, by its name, read as Markdown reads fenced code."""
    texts: dict[str, str] = {}
    name, fence, lines = "", "", []
    for line in prompt.split("\n"):
        if not fence:
            if match := re.fullmatch("(`{3,})", line):
                fence, lines = match[1], []
            elif line.endswith(":"):
                name = line[:-1]
        elif re.fullmatch("`+", line) and len(line) >= len(fence):
            texts[name], fence = "\n".join(lines), ""
        else:
            lines.append(line)
    assert not fence
    return texts


def words_of(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"\w+", text)}


def likely_words(prompt: str) -> dict[str, float]:
    """What the model would say next: the last line names the words, and the first of them is "right"."""
    words = re.findall(r"\w+", prompt.rpartition("One word (")[2].replace(" or ", " "))
    texts = list(texts_of(prompt).values())
    shared = words_of(texts[-2]) & words_of(texts[-1])
    right = 0.9 * len(shared) / max(len(words_of(texts[-2])), 1)
    rest = max((0.9 - right) / (len(words) - 1), 1e-6)
    first, *others = words
    return {first: right + 1e-9, f" {first.capitalize()}": 1e-4, **dict.fromkeys(others, rest), "\n": 0.05}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, state: StandIn, *arguments: object) -> None:
        self.state = state
        state.connections += 1
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        if not self._refused():
            self.send({"data": [{"id": name} for name in self.state.models]})

    def do_POST(self) -> None:
        state = self.state
        with state.lock:
            state.now += 1
            state.together = max(state.together, state.now)
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with state.lock:
            state.asked.append(asked)
            state.headers.append(dict(self.headers))
        time.sleep(state.pause)
        try:
            if state.reply:
                state.reply(self, asked)
            elif not self._refused():
                self._answer(asked)
        finally:
            with state.lock:
                state.now -= 1

    def _refused(self) -> bool:
        refused = bool(self.state.key) and self.headers["Authorization"] != f"Bearer {self.state.key}"
        if refused:
            self.send({"error": {"message": "no"}}, 401)
        return refused

    def _answer(self, asked: Mapping[str, Any]) -> None:
        state = self.state
        is_chat = self.path.endswith("/chat/completions")
        if is_chat != (state.kind == "chat"):
            self.send({"error": {"message": "no such path"}}, 404)
        elif asked["model"] not in state.models:
            self.send({"error": {"message": "no such model"}}, 404)
        elif (asked["top_logprobs"] if is_chat else asked["logprobs"]) > state.most:
            self.send({"error": {"message": f"at most {state.most}"}}, 400)
        else:
            words = likely_words(prompt_of(asked))
            if state.thinks and state.thinks not in asked:
                words = {"<think>": 0.999, "The": 0.001}
            self.send({"choices": [{"logprobs": self.logprobs(words), "index": 0}]})

    def logprobs(self, words: Mapping[str, float]) -> dict[str, Any]:
        logs = {word: math.log(chance) for word, chance in words.items()}
        if self.state.kind == "table":
            return {"tokens": [next(iter(logs))], "top_logprobs": [logs]}
        listed = [{"token": word, "logprob": log} for word, log in logs.items()]
        return {"content": [{**listed[0], "top_logprobs": listed}]}

    def send(self, content: object, status: int = 200, **headers: str) -> None:
        self.send_bytes(json.dumps(content).encode(), status, **headers)

    def send_bytes(self, data: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *about: object) -> None:
        pass


class _Six(ThreadingHTTPServer):
    address_family = socket.AF_INET6


@contextmanager
def serving(state: StandIn, host: str = "127.0.0.1") -> Iterator[StandIn]:
    """Let the stand-in listen on this computer."""
    kind = _Six if ":" in host else ThreadingHTTPServer
    kind.daemon_threads = True
    server = kind((host, 0), partial(Handler, state))
    state.port = server.server_port
    state.address = f"http://{f'[{host}]' if ':' in host else host}:{state.port}/v1"
    thread = Thread(target=partial(server.serve_forever, poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
