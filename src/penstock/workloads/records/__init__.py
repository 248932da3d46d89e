"""Records of the workloads, by kind: one line of JSON each, the same for the same seed and number."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from penstock.errors import ConfigError
from penstock.workloads.draws import Draws, Index, Millis
from penstock.workloads.records import ads, cars, nexmark, pages, places, senml

Maker = Callable[[Draws, Millis], list[str]]

KINDS: Mapping[str, Maker] = MappingProxyType(
    {
        "ads": ads.make,
        "cars": cars.make,
        "nexmark": nexmark.make,
        "pages": pages.make,
        "places": places.make,
        "senml": senml.make,
    }
)


def make_records(kind: str, index: Index, event_ms: Millis, seed: int = 1) -> list[str]:
    """The records of these numbers, which happened at these milliseconds since the epoch."""
    if kind not in KINDS:
        raise ConfigError("kind", kind, f"choose one of {', '.join(KINDS)}")
    return KINDS[kind](Draws(seed, index), event_ms)


def first_records(kind: str, count: int, start_ms: int = 0, step_ms: float = 10.0, seed: int = 1) -> list[str]:
    """So many records from number 0 on, one every `step_ms`.

    >>> first_records("places", 1) == first_records("places", 2)[:1]
    True
    """
    index = np.arange(count, dtype=np.int64)
    return make_records(kind, index, start_ms + (index * step_ms).astype(np.int64), seed)
