"""Records of the workloads, by kind: one line of JSON each, the same for the same seed and number."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

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
