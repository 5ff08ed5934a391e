"""Work in the background keeps its order, its errors, and little of it waits."""

from __future__ import annotations

import os
import threading

import pytest
from threadpoolctl import threadpool_info

from postil.language.network import ahead, beside, cores, one_thread_each


def test_results_come_in_order():
    assert [one.result() for one in ahead(str, range(5))] == list("01234")
    assert list(ahead(str, [])) == []


def test_no_more_than_one_is_worked_on_ahead():
    given = []

    def items():
        for number in range(9):
            given.append(number)
            yield number

    found = ahead(abs, items())
    next(found).result()
    assert given == [0, 1]
    found.close()


def test_errors_arrive():
    with pytest.raises(ZeroDivisionError):
        [one.result() for one in ahead(lambda number: 1 // number, [1, 0])]


def test_limits_end():
    before = blas_threads()
    with one_thread_each(), one_thread_each():
        assert set(blas_threads()) <= {1}
    assert blas_threads() == before


def blas_threads() -> list[int]:
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


@pytest.mark.parametrize(
    ("told", "wanted"),
    [("1", 1), ("3", 3), ("", os.cpu_count()), ("0", os.cpu_count()), ("4,2", os.cpu_count())],
)
def test_cores_are_those_that_every_library_is_told(monkeypatch, told, wanted):
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert cores() == wanted


def test_with_one_core_everything_is_done_in_its_turn(monkeypatch):
    """Several workers share a computer: none of them starts threads of its own."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    test_results_come_in_order()
    test_no_more_than_one_is_worked_on_ahead()
    test_errors_arrive()
    with beside() as pool:
        assert pool.submit(threading.get_ident).result() == threading.get_ident()
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with beside() as pool:
        assert pool.submit(threading.get_ident).result() != threading.get_ident()
