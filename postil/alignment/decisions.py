"""From the chances of types and scores to one type and one score, within the guideline's rules."""

from __future__ import annotations

import numpy as np

from postil.alignment.words import Floats
from postil.data.alignments import TYPES

LINK_TYPES = TYPES[:-1]  # what aligned chunks can be
SCORES = (1, 2, 3, 4)  # of aligned chunks that are not equivalent
_EQUIVALENT = 5


def typed(types: Floats, scores: Floats) -> tuple[str, float]:
    """The type and score with the greatest expected credit: a score is worth less the farther it is off.

    Equivalent chunks score 5, others 1 to 4: no other answer can be given.
    """
    closeness = 1 - np.abs(np.subtract.outer(np.array(SCORES), np.array(SCORES))) / 5
    expected = closeness @ scores
    best = int(np.argmax([types[0], *(types[1:] * expected.max())]))
    score = _EQUIVALENT if best == 0 else SCORES[int(expected.argmax())]
    return LINK_TYPES[best], float(score)
