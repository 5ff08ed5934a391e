"""A language model in a GGUF file, run by llama.cpp on the processor: what it would say next after a text.

The same text gives the same numbers, whatever was read before: each part of a text is read by itself, right
behind the parts before it, and the parts that a text shares with the last one are not read again. Several
answers in one batch would take two thirds of the time, but a judgement would depend on who is beside it: on
one thread as on several, probabilities moved by up to .11.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from postil.data.arrays import Singles
from postil.errors import InputError, PostilError

Part = tuple[int, ...]  # pieces of words
_INSTALL = "Install it (pip install llama-cpp-python); it is compiled, which takes some minutes."
CONTEXT = 1024  # pieces of words that fit at once
MOST_SEATS = 8  # texts that are read at once; each takes 60 MB
_CHARACTERS = 12  # for each piece that is read, so that nobody spells out a novel


class Llama:
    """A model with an adapter. It reads as many texts at once as it has cores, each on one thread.

    Several threads on one text would wait for each other, for seconds where other programs keep a core busy.
    """

    def __init__(self, model: Path, adapter: Path | None = None, cores: int = 1) -> None:
        self._api = api = _library()
        self._lock = Lock()
        self._cores = max(1, min(cores, MOST_SEATS))
        self._seats: list[_Seat] = []
        settings = api.llama_model_default_params()
        settings.n_gpu_layers = 0
        # Weights in another order would be a second copy of them in memory, and are no faster here.
        settings.use_extra_bufts = False
        self._model = api.llama_model_load_from_file(str(model).encode(), settings)
        if not self._model:
            raise InputError(model, "llama.cpp cannot read this model.", hint="Is the file complete?")
        self._vocabulary = api.llama_model_get_vocab(self._model)
        self._adapter = None
        if adapter is not None:
            self._adapter = api.llama_adapter_lora_init(self._model, str(adapter).encode())
            if not self._adapter:
                raise InputError(
                    adapter, "this adapter does not belong to the model.", hint="Install both again."
                )

    def pieces(self, text: str, most: int = CONTEXT) -> tuple[int, ...]:
        """The pieces of a text, up to so many; what looks like a control word is text like any other."""
        data = text[: most * _CHARACTERS].encode("utf-8", "replace")
        room = len(data) + 1
        pieces = (ctypes.c_int32 * room)()
        count = self._api.llama_tokenize(self._vocabulary, data, len(data), pieces, room, False, False)
        return tuple(pieces[: max(0, min(count, most))])

    def after(self, texts: Sequence[Sequence[Part]], words: Sequence[int]) -> list[Singles]:
        """The logits of some pieces as what comes next after each text; texts are given in parts.

        What a text shares with the one before it is read once.
        """
        with self._lock:
            count = min(self._cores, len(texts))
            while len(self._seats) < count:
                self._seats.append(_Seat(self._api, self._model, self._vocabulary, self._adapter))
            if count < 2:
                return [self._seats[0].after(text, words) for text in texts]
            bounds = [len(texts) * number // count for number in range(count + 1)]
            shares = [texts[start:end] for start, end in pairwise(bounds)]
            with ThreadPoolExecutor(count) as pool:
                done = pool.map(
                    lambda seat, share: [seat.after(text, words) for text in share], self._seats, shares
                )
                return [logits for share in done for logits in share]

    def forget(self) -> None:
        """Forget what was read."""
        with self._lock:
            for seat in self._seats:
                seat.forget()


class _Seat:
    """Where one text is read at a time; the parts that it shares with the last one stay as they were read."""

    def __init__(self, api: Any, model: Any, vocabulary: Any, adapter: Any) -> None:
        self._api = api
        self._size = api.llama_vocab_n_tokens(vocabulary)
        self._kept: list[Part] = []
        settings = api.llama_context_default_params()
        settings.n_ctx = CONTEXT
        settings.n_batch = settings.n_ubatch = CONTEXT // 2
        settings.n_seq_max = settings.n_threads = settings.n_threads_batch = 1
        settings.flash_attn_type = 0
        settings.no_perf = True
        self._context = api.llama_init_from_model(model, settings)
        if not self._context:
            raise PostilError("the memory does not suffice for the language model.", hint="It takes 1.5 GB.")
        if adapter is not None:
            adapters = (type(adapter) * 1)(adapter)
            if api.llama_set_adapters_lora(self._context, adapters, 1, (ctypes.c_float * 1)(1.0)):
                raise PostilError("llama.cpp cannot use the adapter.", hint="Upgrade llama-cpp-python.")
        self._memory = api.llama_get_memory(self._context)
        self._batch = api.llama_batch_init(CONTEXT // 2, 0, 1)

    def after(self, text: Sequence[Part], words: Sequence[int]) -> Singles:
        parts = [part for part in text if part]
        if not parts or sum(map(len, parts)) > CONTEXT or max(map(len, parts)) > CONTEXT // 2:
            raise PostilError(f"the language model reads 1 to {CONTEXT} pieces of words at once.")
        same = 0
        while same < min(len(parts) - 1, len(self._kept)) and parts[same] == self._kept[same]:
            same += 1
        start = sum(map(len, parts[:same]))
        self._kept = self._kept[:same]
        self._api.llama_memory_seq_rm(self._memory, 0, start, -1)
        # Each part by itself, however many of them were read before: so the numbers are always the same.
        for part in parts[same:]:
            self._read(part, start)
            self._kept.append(part)
            start += len(part)
        values = self._api.llama_get_logits_ith(self._context, -1)
        logits = np.ctypeslib.as_array(values, (self._size,))
        return np.array(logits[list(words)], np.float32)

    def _read(self, part: Part, start: int) -> None:
        batch = self._batch
        batch.n_tokens = len(part)
        for place, piece in enumerate(part):
            batch.token[place] = piece
            batch.pos[place] = start + place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = 0
            batch.logits[place] = place == len(part) - 1
        if self._api.llama_decode(self._context, batch):
            self.forget()
            raise PostilError("llama.cpp could not read a text.", hint="Is there enough memory?")

    def forget(self) -> None:
        self._kept = []
        self._api.llama_memory_clear(self._memory, True)


def _library() -> Any:
    """The functions of llama.cpp, which keeps what it would tell about itself to itself."""
    try:
        import llama_cpp
    except ImportError as error:
        raise PostilError("llama-cpp-python is not installed.", hint=_INSTALL) from error
    except (OSError, RuntimeError) as error:  # its library was made for another processor, say
        raise PostilError("llama-cpp-python is installed, but does not start.", hint=_INSTALL) from error
    global _silence
    if _silence is None:
        _silence = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(_silence, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
    return llama_cpp


_silence: Any = None  # kept as long as the library may call it
