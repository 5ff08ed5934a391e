"""WordNet measures lifted to texts."""

import numpy as np
import pytest

from postil.language.measures import texts as wordnet
from postil.language.measures.texts import View, lifted, view, word_matches, wordnet_similarities
from postil.language.pipeline import analyse_many
from postil.language.words.wordnet_measures import MEASURES


def views(*texts: str) -> list[View]:
    return [view(document) for document in analyse_many(texts)]


def similarity(one: View, other: View, measure: str, *, weighted: bool = False) -> float:
    return float(wordnet_similarities([one], [other], [measure], weighted=weighted)[0, 0])


def test_lifting_averages_the_best_matches_of_both_sides() -> None:
    matches = np.array([[1.0, 0.2], [0.0, 0.4], [0.5, 0.0]])[:, :, None]
    assert lifted(matches) == pytest.approx([((1 + 0.4 + 0.5) / 3 + (1 + 0.4) / 2) / 2])
    expected = ((2 + 0.4 + 0.5) / 4 + (1 + 1.2) / 4) / 2
    assert lifted(matches, np.array([2.0, 1, 1]), np.array([1.0, 3])) == pytest.approx([expected])
    assert lifted(matches, np.zeros(3)) == lifted(matches)


def test_the_same_word_matches_wholly_even_when_wordnet_does_not_have_it() -> None:
    matches = word_matches([("zorblax", "n"), ("dog", "n")], [("zorblax", "n"), ("12", "")], "lin")
    assert matches.tolist() == [[1.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("measure", MEASURES)
def test_closer_texts_score_higher(measure: str) -> None:
    reference, close, far = views(
        "The dog chased the cat.", "A puppy pursued a kitten.", "The voltage of the battery drops slowly."
    )
    same = similarity(reference, reference, measure)
    near, distant = (similarity(reference, other, measure) for other in (close, far))
    assert same == pytest.approx(1.0)
    assert same > near > distant >= 0.0
    assert near == pytest.approx(similarity(close, reference, measure))


def test_pairs_together_are_pairs_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first = views("The dog barks.", "The dog barks.", "", "Water boils quickly.", "Three seeds grow.")
    second = views("A puppy made noise.", "no", "The dog", "?!", "plants grow from seeds")
    together = wordnet_similarities(first, second)
    alone = [wordnet_similarities([one], [other])[0] for one, other in zip(first, second, strict=True)]
    assert together == pytest.approx(np.array(alone))
    monkeypatch.setattr(wordnet, "_MOST_WORDS", 1)
    assert wordnet_similarities(first, second) == pytest.approx(together)


def test_weights_make_rare_words_count_more() -> None:
    reference, answer = views("the photosynthesis thing", "a thing")
    plain = similarity(reference, answer, "wup")
    assert similarity(reference, answer, "wup", weighted=True) < plain


def test_texts_without_words_are_not_alike() -> None:
    nothing, marks, text = views("", "?!", "The dog barks.")
    for one, other in ((nothing, text), (text, marks), (nothing, marks)):
        assert similarity(one, other, "lin") == 0.0
    assert marks.tagged == ()
    assert wordnet_similarities([], []).shape == (0, len(MEASURES))


def test_a_view_without_the_words_of_another() -> None:
    question, answer = views("Why does the bulb light?", "The bulb lights because of the battery.")
    rest = answer.without(question)
    assert "battery" in rest.words
    assert not set(rest.words) & set(question.words)
    assert ("battery", "n") in rest.tagged
    assert "bulb" not in rest.lemmas
