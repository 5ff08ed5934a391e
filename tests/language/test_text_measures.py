"""The fourteen text-level measures."""

import numpy as np
import pytest

from postil.language.measures.texts import TEXT_MEASURES, compare, compare_views, view
from postil.language.pipeline import analyse_many

TEXT, CLOSE, FAR = (
    "The water evaporates because the sun heats it.",
    "The sun heats the water so it turns into vapor.",
    "Seeds need soil to grow.",
)


def test_there_are_fourteen_in_four_families() -> None:
    families = [measure.family for measure in TEXT_MEASURES.values()]
    counts = {family: families.count(family) for family in dict.fromkeys(families)}
    assert counts == {"overlap": 4, "WordNet": 7, "graph": 1, "corpus": 2}


def test_a_text_is_most_like_itself() -> None:
    text, close, far = analyse_many([TEXT, CLOSE, FAR])
    same, near, distant, turned = (
        compare(one, other) for one, other in ((text, text), (text, close), (text, far), (close, text))
    )
    for name in TEXT_MEASURES:
        # Lesk squares the one shared phrase, here the whole text, and divides by both lengths.
        assert same[name] == pytest.approx(1.0, abs=1e-5), name
        assert same[name] >= near[name] > distant[name], name
        assert near[name] == pytest.approx(turned[name], abs=1e-6), name


@pytest.mark.parametrize("text", ["", "?!?", "水は蒸発する", "zorblax 🙂", "\u0000"])
def test_every_value_is_defined(text: str) -> None:
    odd, plain = (view(document) for document in analyse_many([text, "The water evaporates."]))
    values = compare_views([odd, plain, odd], [plain, odd, odd])
    assert values.shape == (3, len(TEXT_MEASURES))
    assert np.isfinite(values).all()
    assert (values >= -1).all()
    assert (values <= 1 + 1e-6).all()


def test_many_pairs_are_each_as_alone() -> None:
    documents = list(analyse_many([TEXT, CLOSE, FAR, "", "no"]))
    views = [view(document) for document in documents]
    together = compare_views(views, views[::-1])
    for row, one, other in zip(together, documents, documents[::-1], strict=True):
        assert row == pytest.approx(list(compare(one, other).values()), abs=1e-6)
