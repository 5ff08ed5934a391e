"""Kinds of arrays, named once for every room."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
AnyFloats = NDArray[np.floating[Any]]  # of either precision
Numbers = NDArray[np.intp]
Bools = NDArray[np.bool_]
