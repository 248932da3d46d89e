"""A window of a route comes back as it was, or with a word about what does not fit."""

import zlib

import pytest

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.store.codec import DoesNotFitError
from penstock.store.route_codec import pack_route, unpack_route
from tests.recorded import a_route


def test_all_kinds_of_keys_and_counts_come_back_as_they_were() -> None:
    counts = PairCounts({("a\x00", 7): 3, ((1, "x"), "\ud800"): 2.25, (7, "7"): 1e-300}, 6, 0.5)
    links = {("left", "right"): counts, ("right", "third"): PairCounts()}
    table = RoutingTable(2, {"left": {"7": 1, 7: 0, (1, "x"): 1}, "right": {}}, 0.5, 1.25, 3)
    figures = a_route(3, newest=links, basis={}, newest_before=links, table=table, table_age_s=float("inf"))
    found = unpack_route(pack_route(figures))
    assert found == figures
    assert list(found.newest["left", "right"].pairs) == list(counts.pairs)
    assert {type(key) for key, _ in found.newest["left", "right"].pairs} == {str, int, tuple}


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"links": [], "rest": 3}'])
def test_what_is_no_window_is_refused(text: str) -> None:
    with pytest.raises(DoesNotFitError):
        unpack_route(zlib.compress(text.encode()))
