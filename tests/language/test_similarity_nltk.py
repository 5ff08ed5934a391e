"""NLTK, where it is installed with Debian's WordNet, gives the same values on thousands of pairs."""

import random
import sys
from pathlib import Path

import pytest

from postil.language.words.wordnet import wordnet
from postil.language.words.wordnet_measures import synset_similarity

pytest.importorskip("nltk")
PAIRS = 2000


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_values_are_nltks_on_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import nltk_wordnet as peer

    sys.modules.pop("nltk_wordnet", None)
    if not peer.available():
        pytest.skip("Debian's WordNet is not installed")
    wn, chance = wordnet(), random.Random(5)
    parts = [[one for one in range(wn.size) if wn.letter(one) == letter] for letter in "nv"]
    with peer.nltk_wordnet() as (reader, theirs, content):
        for _ in range(PAIRS):
            part = chance.random() < 0.4
            a = chance.choice(parts[part])
            near = chance.random() < 0.3 and (wn.hypernyms(a) or wn.hyponyms(a))
            b = chance.choice(near or parts[part])
            if a == b:
                continue
            cap = synset_similarity(a, a, "jcn")
            for name in peer.NAMES:
                pairs = (theirs(a), theirs(b)), (theirs(b), theirs(a))
                # Wu–Palmer depends on the order in NLTK where one synset is above the other; ours does not.
                value = max(peer.nltk_value(name, *pair, content) for pair in pairs)
                expected = min(value, cap) if name == "jcn" else value
                assert synset_similarity(a, b, name) == pytest.approx(expected, rel=1e-9, abs=1e-12), (
                    name,
                    a,
                    b,
                )
        for word in ["dogs", "ran", "better", "mice", "attorney general", "saw", "leaves", "axes"]:
            found = [one.offset() for one in reader.synsets(word.replace(" ", "_"), "n")]
            assert found == [theirs(one).offset() for one in wn.synsets(word, "n")], word
