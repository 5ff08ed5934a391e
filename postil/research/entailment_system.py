"""The shipped entailer as a system of the benchmark: it has learned from RTE-1 to RTE-3 already."""

from __future__ import annotations

from collections.abc import Sequence

from postil.data.formats.rte import Pair
from postil.data.formats.rteruns import PairJudgement
from postil.data.labels import Scheme
from postil.entailment.entailer import load_entailer
from postil.errors import PostilError
from postil.research.learned import has_learned

_FEW = 0.02  # the share of known pairs that a test may have


class ShippedEntailer:
    """Judges with the encoder and stack that ship, and refuses to be tested on their own training pairs."""

    def fit(self, pairs: Sequence[Pair]) -> ShippedEntailer:
        """Learn nothing: what ships has learned."""
        return self

    def predict(self, pairs: Sequence[Pair], scheme: Scheme) -> list[PairJudgement]:
        """Judge every pair, in order."""
        known = [pair.id for pair in pairs if has_learned(pair.text, pair.hypothesis)]
        # The years share a pair now and then, which flatters nobody.
        if len(known) > _FEW * len(pairs):
            raise PostilError(
                f"the shipped entailer has learned from pair {known[0]}, so testing it there would flatter.",
                hint="Give a file of another year with --test; docs/entailment.md has cross-validated "
                "figures (training/entailment.py).",
            )
        judged = load_entailer().judge([(pair.text, pair.hypothesis) for pair in pairs])
        return [
            PairJudgement(pair.id, scheme.collapse(one.label) or one.label, one.confidence)
            for pair, one in zip(pairs, judged, strict=True)
        ]
