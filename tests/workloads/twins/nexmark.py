"""The right answers of Nexmark's queries, as sorted rows."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tests.workloads.twins.tables import WINDOW_MS, window_of

NexmarkEvent = Mapping[str, Any]
Row = tuple[Any, ...]
QueryTwin = Callable[[Sequence[NexmarkEvent], int], Iterator[Row]]

_SLIDE_MS = 2_000
_PAUSE_MS = 10_000


def answer(number: int, lines: Sequence[str], before_ms: int) -> list[Row]:
    """The rows of that query which are final once the stream has come so far."""
    return sorted(_ANSWERS[number]([json.loads(line) for line in lines], before_ms))


def _pass_through(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    for bid in _of("bid", events):
        yield bid["auction"], bid["bidder"], bid["price"], bid["channel"], bid["event_ms"]


def _in_euros(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    for auction, bidder, price, channel, at_ms in _pass_through(events, before_ms):
        yield auction, bidder, price * 0.908, channel, at_ms


def _of_some_auctions(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    return ((bid["auction"], bid["price"]) for bid in _of("bid", events) if bid["auction"] % 123 == 0)


def _local_items(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    people = {person["id"]: person for person in _of("person", events)}
    for auction in _of("auction", events):
        seller = people.get(auction["seller"])
        if seller is not None and auction["category"] == 10 and seller["state"] in {"OR", "ID", "CA"}:
            yield seller["name"], seller["city"], seller["state"], auction["id"]


def _price_by_category(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    prices: dict[int, list[int]] = defaultdict(list)
    for _, _, category, price in _closed(events, before_ms):
        prices[category].append(price)
    for category, paid in prices.items():
        yield category, len(paid), sum(paid) / len(paid)


def _hot_items(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    bids: dict[int, Counter[int]] = defaultdict(Counter)
    for bid in _of("bid", events):
        latest = window_of(bid["event_ms"], _SLIDE_MS)
        for start in range(latest, latest - WINDOW_MS, -_SLIDE_MS):
            if start + WINDOW_MS <= before_ms:
                bids[start][bid["auction"]] += 1
    for start, counts in bids.items():
        most = max(counts.values())
        yield from ((start, auction, most) for auction, count in counts.items() if count == most)


def _price_by_seller(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    paid: dict[int, list[int]] = defaultdict(list)
    for closed_ms, seller, _, price in sorted(
        (at, seller, c, price) for at, seller, c, price in _closed(events, before_ms)
    ):
        paid[seller].append(price)
        last = paid[seller][-10:]
        yield seller, closed_ms, sum(last) / len(last)


def _highest_bid(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    best: dict[int, Row] = {}
    for bid in _of("bid", events):
        start = window_of(bid["event_ms"])
        offered = (bid["price"], bid["auction"], bid["bidder"])
        best[start] = max(best.get(start, offered), offered)
    return ((start, *found) for start, found in best.items() if start + WINDOW_MS <= before_ms)


def _new_sellers(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    people = {person["id"]: person for person in _of("person", events)}
    for auction in _of("auction", events):
        seller = people.get(auction["seller"])
        if seller is not None and window_of(seller["event_ms"]) == window_of(auction["event_ms"]):
            yield seller["id"], seller["name"], auction["reserve"]


def _sessions(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[Row]:
    times: dict[int, list[int]] = defaultdict(list)
    for bid in _of("bid", events):
        times[bid["bidder"]].append(bid["event_ms"])
    for bidder, found in times.items():
        begun = [n for n, at_ms in enumerate(found) if n == 0 or at_ms - found[n - 1] >= _PAUSE_MS]
        for first, after in zip(begun, [*begun[1:], len(found)], strict=True):
            end_ms = found[after - 1] + _PAUSE_MS
            if end_ms <= before_ms:
                yield bidder, found[first], end_ms, after - first


def _closed(events: Sequence[NexmarkEvent], before_ms: int) -> Iterator[tuple[int, int, int, int]]:
    """(when, seller, category, highest bid) of auctions that somebody bid on and that were over by then."""
    bids: dict[int, list[NexmarkEvent]] = defaultdict(list)
    for bid in _of("bid", events):
        bids[bid["auction"]].append(bid)
    for auction in _of("auction", events):
        end_ms = auction["expires_ms"]
        offers = [b["price"] for b in bids[auction["id"]] if auction["event_ms"] <= b["event_ms"] <= end_ms]
        if offers and end_ms <= before_ms:
            yield end_ms, auction["seller"], auction["category"], max(offers)


def _of(kind: str, events: Sequence[NexmarkEvent]) -> Iterator[NexmarkEvent]:
    return (event for event in events if event["event"] == kind)


_ANSWERS: Mapping[int, QueryTwin] = MappingProxyType(
    {
        0: _pass_through,
        1: _in_euros,
        2: _of_some_auctions,
        3: _local_items,
        4: _price_by_category,
        5: _hot_items,
        6: _price_by_seller,
        7: _highest_bid,
        8: _new_sellers,
        11: _sessions,
    }
)
