"""Share the cores: keep matrix products to one thread, and let a network work while the interpreter does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from postil.language.networks import cores

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
