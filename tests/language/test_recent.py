"""Documents of texts analysed lately: the same as ever, and not analysed again."""

import pytest

from postil.language import pipeline
from postil.language.pipeline import analyse


@pytest.fixture(autouse=True)
def fresh():
    pipeline.forget()
    yield
    pipeline.forget()


def counted(monkeypatch) -> list[str]:
    seen: list[str] = []
    analyse_many = pipeline.analyse_many

    def count(texts):
        seen.extend(texts)
        return analyse_many(texts)

    monkeypatch.setattr(pipeline, "analyse_many", count)
    return seen


def test_each_text_is_analysed_once(monkeypatch):
    texts = ["the bulb is lit", "the wire is hot", "the bulb is lit"]
    documents = {text: analyse(text) for text in texts}
    seen = counted(monkeypatch)
    assert pipeline.documents_of(texts) == documents
    assert pipeline.documents_of(["the wire is hot", "it is dark"]).keys() == {
        "the wire is hot",
        "it is dark",
    }
    assert sorted(seen) == ["it is dark", "the bulb is lit", "the wire is hot"]


def test_only_the_latest_are_kept(monkeypatch):
    seen = counted(monkeypatch)
    monkeypatch.setattr(pipeline, "_MOST", 2)
    assert len(pipeline.documents_of(["a lamp", "a bulb", "a wire"])) == 3
    pipeline.documents_of(["a wire"])
    assert len(seen) == 3
    pipeline.documents_of(["a bulb", "a lamp"])
    assert seen[3:] == ["a bulb"] or seen[3:] == ["a lamp"]
    pipeline.forget()
    pipeline.documents_of(["a lamp"])
    assert seen[-1] == "a lamp"
