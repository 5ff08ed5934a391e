"""The baseline of word senses: always the sense that the word had most often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from postil.data.formats.sensekeys import SenseAnswer
from postil.data.formats.senses import SenseInstance


class MostFrequentSense:
    """Answers every instance of a word with the word's most frequent sense in training.

    An instance with several senses counts for each of them; between equally frequent senses the one met
    first wins. A word that was not in training is not answered. `senses_` holds what was learned.
    """

    def __init__(self) -> None:
        self.senses_: dict[str, str] = {}

    def fit(self, instances: Iterable[SenseInstance]) -> MostFrequentSense:
        """Count the senses of each word; unlabelled instances are passed over."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for instance in instances:
            if instance.senses:
                counts[instance.lexelt].update(instance.senses)
        # `max` takes the first of equals, and a Counter keeps the order in which senses were met.
        self.senses_ = {lexelt: max(count, key=count.__getitem__) for lexelt, count in counts.items()}
        return self

    def predict(self, instances: Iterable[SenseInstance]) -> list[SenseAnswer]:
        """Answer the instances of the words known from training, in the order given."""
        return [
            SenseAnswer(instance.id, instance.lexelt, ((self.senses_[instance.lexelt], None),))
            for instance in instances
            if instance.lexelt in self.senses_
        ]
