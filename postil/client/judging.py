"""Have texts judged at once; the server keeps nothing of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from postil.client.calls import Caller, read_items
from postil.client.judged import AlignedSentences, AnswerFacets, GradedTexts, TextEntailment

T = TypeVar("T")
Pair = tuple[str, str]
# Those with ids of their own come back with them, the others with their places.
Texts = Sequence[str] | Mapping[str, str]
Pairs = Sequence[Pair] | Mapping[str, Pair]


class Judging(Caller):
    """What a token with the scope `judge` is for."""

    def grade_class(
        self,
        question: str,
        references: Sequence[str],
        answers: Texts,
        *,
        decided: Iterable[tuple[str, str]] = (),
        scheme: str = "5way",
        explain: bool = False,
        facets: bool | Sequence[str] = False,
    ) -> GradedTexts:
        """Judge up to 200 answers to a question, given as texts or as texts by id; fewer with explanations.

        `decided` has answers that a person has labelled, with their labels.
        """
        body = {
            "question": question,
            "references": list(references),
            "answers": _answers(answers),
            "decided": [{"text": text, "label": label} for text, label in decided],
            "scheme": scheme,
            "explain": explain,
            "facets": facets if isinstance(facets, bool) else list(facets),
        }
        return self._ask(GradedTexts, "POST", "/grade", body=body, keyed=False)

    def align_pairs(self, pairs: Pairs) -> list[AlignedSentences]:
        """Align the chunks of up to 50 pairs of sentences."""
        given = [{"id": id, "source": source, "target": target} for id, (source, target) in _named(pairs)]
        return self._judged(AlignedSentences, "/align", {"pairs": given})

    def entail_pairs(self, pairs: Pairs, *, scheme: str = "3way") -> list[TextEntailment]:
        """Judge whether each of up to 50 texts implies its hypothesis."""
        given = [{"id": id, "text": text, "hypothesis": implied} for id, (text, implied) in _named(pairs)]
        return self._judged(TextEntailment, "/entail", {"pairs": given, "scheme": scheme})

    def find_facets(
        self, reference: str, answers: Texts, *, question: str = "", facets: Sequence[str] | None = None
    ) -> list[AnswerFacets]:
        """Look in up to 50 answers for the facets of a reference, or for those that are named."""
        body = {
            "question": question,
            "reference": reference,
            "answers": _answers(answers),
            "facets": None if facets is None else list(facets),
        }
        return self._judged(AnswerFacets, "/facets", body)

    def _judged(self, kind: type[T], path: str, body: Mapping[str, object]) -> list[T]:
        # Nothing is kept, so nothing is done twice: there is no need for a key.
        return read_items(kind, self._call("POST", path, body=body, keyed=False))[1]


def _answers(given: Texts) -> list[dict[str, str | None]]:
    return [{"id": id, "text": text} for id, text in _named(given)]


def _named(given: Sequence[T] | Mapping[str, T]) -> list[tuple[str | None, T]]:
    return list(given.items()) if isinstance(given, Mapping) else [(None, one) for one in given]
