"""Sketches of how a column is spread over a batch, as progress tells them."""

import base64
from collections.abc import Sequence

from datasketches import kll_doubles_sketch

POINTS = 200  # of the curve, where Spark has no sketch


def sketch_of(told: str | Sequence[float]) -> bytes:
    """The sketch, as bytes; of points the one in which each stands for as many rows.

    >>> sorted(kll_doubles_sketch.deserialize(sketch_of([1.0, 2.0])))
    [(1.0, 1), (2.0, 1)]
    """
    if isinstance(told, str):
        return base64.b64decode(told)
    sketch = kll_doubles_sketch(max(8, 2 * POINTS))
    for value in told:
        sketch.update(float(value))
    return bytes(sketch.serialize())
