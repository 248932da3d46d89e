"""Rows as bytes: what goes into a topic. A workload may bring a function of its own with the same shape."""

import importlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from penstock.errors import ConfigError
from penstock.loading.keys import Indexes

KeyedRow = tuple[str | bytes, str | bytes]  # key and value
# Ids from 0, event times in milliseconds, left and right keys: the rows, one for each id.
RowMaker = Callable[[NDArray[np.int64], NDArray[np.int64], Indexes, Indexes], Sequence[KeyedRow]]

SCHEMA = "id LONG, event_ms LONG, key STRING, pair STRING"  # of `json_rows`, for Spark's from_json


def json_rows(
    ids: NDArray[np.int64], event_ms: NDArray[np.int64], left: Indexes, right: Indexes
) -> Sequence[tuple[str, str]]:
    """JSON with `id`, `event_ms`, `key` and `pair`; Kafka's key is `key`.

    >>> one = np.array([7])
    >>> json_rows(one, one, one, one)
    [('k7', '{"id":7,"event_ms":7,"key":"k7","pair":"p7"}')]
    """
    columns = zip(ids.tolist(), event_ms.tolist(), left.tolist(), right.tolist(), strict=True)
    return [
        (f"k{key}", f'{{"id":{number},"event_ms":{at_ms},"key":"k{key}","pair":"p{pair}"}}')
        for number, at_ms, key, pair in columns
    ]


def row_maker(name: str | None) -> RowMaker:
    """The function that `module:function` names; `json_rows` for None."""
    if name is None:
        return json_rows
    module, _, function = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError("--rows", name, f"name a function as module:function ({error})") from None
    return found  # type: ignore[no-any-return]
