"""The packing behind `best`: valid, never worse than SAM, and proven where it says so."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.known.allocation import Allocation
from penstock.planning.provision.packing import pack
from penstock.planning.provision.place import place_on_fewest
from penstock.planning.provision.settings import PlaceSettings
from tests.planning.provision.paper import SHARES, allocations

ITEMS = st.lists(st.tuples(SHARES, SHARES), max_size=5)


def fewest(items: list[tuple[float, float]]) -> int:
    """By trying every way."""
    ways = product(range(len(items)), repeat=len(items))
    return min((len(set(way)) for way in ways if _fits(items, way)), default=0)


def _fits(items: list[tuple[float, float]], way: tuple[int, ...]) -> bool:
    return all(
        sum(item[k] for item, b in zip(items, way, strict=True) if b == bin_) <= 1 + 1e-9
        for bin_ in set(way)
        for k in (0, 1)
    )


@settings(max_examples=30)
@given(ITEMS)
def test_it_finds_the_fewest_bins_and_knows_it(items: list[tuple[float, float]]) -> None:
    found = pack(items, time_limit_s=10)
    assert sorted(number for content in found.bins for number in content) == list(range(len(items)))
    assert len(found.bins) == found.at_least == fewest(items)


def test_a_case_where_best_fit_needs_a_bin_too_many() -> None:
    items = [(0.6, 0.1), (0.5, 0.1), (0.4, 0.1), (0.2, 0.1), (0.2, 0.1), (0.1, 0.1)]
    assert len(pack(items, time_limit_s=10).bins) == 2


@settings(max_examples=20)
@given(allocations())
def test_best_never_uses_more_slots_than_sam(allocation: Allocation) -> None:
    best = place_on_fewest(allocation, [1], "best", PlaceSettings(time_limit_s=2))
    assert best.least_slots is not None
    assert best.least_slots <= best.slots_used <= place_on_fewest(allocation, [1], "sam-by-need").slots_used
