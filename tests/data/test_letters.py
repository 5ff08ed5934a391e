"""The same letters get the same encoding, however long the text is."""

from __future__ import annotations

from time import perf_counter

import pytest

from postil.data.files import same_letters
from postil.data.formats.rows import key_of
from postil.workbench.groups import normal_form


def test_letters_are_composed_wherever_they_stand() -> None:
    assert same_letters("cafe\u0301 ﬁne") == "café fine"
    for before in range(195, 205):
        assert same_letters("x" * before + "e\u0323\u0302") == "x" * before + "ệ"
    assert same_letters("") == ""


@pytest.mark.parametrize("read", [same_letters, key_of, normal_form])
def test_marks_without_end_take_a_time_with_their_number(read) -> None:
    marks = "a" + "\u0300" * 50_000 + "\u0316" * 50_000  # all at once, these take half a minute
    started = perf_counter()
    read(marks)
    assert perf_counter() - started < 5
