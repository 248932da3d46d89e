"""Arrays of figures, as types: numbers of slots and rows may be whole, rates and seconds are not."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = float | Floats  # of one thing, or of many, a place each: what is worked out of both alike
