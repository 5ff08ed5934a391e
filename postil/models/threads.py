"""Share the cores: keep matrix products to one thread, and let a network work while the interpreter does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Found = TypeVar("Found")


def one_thread_each() -> AbstractContextManager[Any]:
    """Inside, a matrix product takes one thread: ours are small, and shared they cost more than they gain."""
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def ahead(work: Callable[[Item], Found], items: Iterable[Item]) -> Iterator[Future[Found]]:
    """Work on items in the background, in order: on the next one, too, while a result is waited for."""
    waiting: deque[Future[Found]] = deque()
    with ThreadPoolExecutor(1) as pool:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > 1:
                yield waiting.popleft()
        yield from waiting
