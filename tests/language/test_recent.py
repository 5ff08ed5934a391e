"""Documents of texts analysed lately: the same as ever, and not analysed again."""

import pytest

from postil.language import recent
from postil.language.pipeline import analyse


@pytest.fixture(autouse=True)
def fresh():
    recent.forget()
    yield
    recent.forget()


def counted(monkeypatch) -> list[str]:
    seen: list[str] = []
    analyse_many = recent.analyse_many

    def count(texts):
        seen.extend(texts)
        return analyse_many(texts)

    monkeypatch.setattr(recent, "analyse_many", count)
    return seen


def test_each_text_is_analysed_once(monkeypatch):
    seen = counted(monkeypatch)
    texts = ["the bulb is lit", "the wire is hot", "the bulb is lit"]
    found = recent.documents_of(texts)
    assert found == {text: analyse(text) for text in texts}
    assert recent.documents_of(["the wire is hot", "it is dark"]).keys() == {"the wire is hot", "it is dark"}
    assert sorted(seen) == ["it is dark", "the bulb is lit", "the wire is hot"]


def test_only_the_latest_are_kept(monkeypatch):
    seen = counted(monkeypatch)
    monkeypatch.setattr(recent, "_MOST", 2)
    assert len(recent.documents_of(["a lamp", "a bulb", "a wire"])) == 3
    recent.documents_of(["a wire"])
    assert len(seen) == 3
    recent.documents_of(["a bulb", "a lamp"])
    assert seen[3:] == ["a bulb"] or seen[3:] == ["a lamp"]
    recent.forget()
    recent.documents_of(["a lamp"])
    assert seen[-1] == "a lamp"
