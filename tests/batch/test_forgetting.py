"""What a worker keeps in memory: the model, but not the words of every answer it has seen."""

from __future__ import annotations

from postil.language import pipeline


def test_new_words_are_forgotten_and_documents_stay_good(monkeypatch):
    monkeypatch.setattr(pipeline, "_MOST_WORDS", 0)
    known = pipeline.load_pipeline().nlp.vocab.strings
    before = len(known)
    texts = [f"the zorblat{number} floats because it is lighter" for number in range(50)]
    with pipeline.forgetting_words():
        inside = list(pipeline.analyse_many(texts))
        assert len(known) > before + 49
    assert len(known) == before
    assert [one.tokens[1].text for one in inside] == [f"zorblat{number}" for number in range(50)]
    with pipeline.forgetting_words():
        assert list(pipeline.analyse_many(texts)) == inside


def test_few_words_are_kept(monkeypatch):
    monkeypatch.setattr(pipeline, "_MOST_WORDS", 10_000_000)
    known = pipeline.load_pipeline().nlp.vocab.strings
    with pipeline.forgetting_words():
        list(pipeline.analyse_many(["a quorvex hums"]))
    assert "quorvex" in known
