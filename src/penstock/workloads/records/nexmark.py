"""Nexmark: people, their auctions and the bids on them, in the proportions of the benchmark's specification.

Of fifty events one is a person, three are auctions and the rest bids. Ids count up, so who exists at an event
follows from its number. Half of the bids go to the hot auction of the moment, three of four to auctions have a hot
seller, and three of four bids a hot bidder: every hundredth id is hot in its turn.
"""

import json
from collections.abc import Iterator

import numpy as np

from penstock.workloads.draws import Draws, Index, Millis

PER_EPOCH, PEOPLE, AUCTIONS = 50, 1, 3
FIRST_ID = 1000
FIRST_CATEGORY, CATEGORIES = 10, 5
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
_CITIES = ("Phoenix", "Los Angeles", "Boise", "Portland", "Seattle", "Cheyenne")
_CHANNELS = ("Apple", "Google", "Facebook", "Baidu")
_ACTIVE_PEOPLE, _IN_FLIGHT = 1000, 100
_HOT_EVERY, _HOT_AUCTION, _HOT_PERSON = 100, 2, 4
LONGEST_AUCTION_MS = 33_000

Draw = dict[str, object]


def make(draws: Draws, event_ms: Millis) -> list[str]:
    """Events, each with its `event` type and its time `event_ms`."""
    epoch, offset = np.divmod(draws.index, PER_EPOCH)
    last_person = FIRST_ID + epoch
    # Auctions that exist: three of each earlier epoch, and of this one as many as came by now.
    last_auction = FIRST_ID + epoch * AUCTIONS + np.clip(offset - PEOPLE, -1, AUCTIONS - 1)
    last_auction = np.maximum(last_auction, FIRST_ID)
    people, auctions, bids = (
        offset < PEOPLE,
        (offset >= PEOPLE) & (offset < PEOPLE + AUCTIONS),
        offset >= PEOPLE + AUCTIONS,
    )
    made: dict[int, str] = {}
    for rows, events in (
        (people, _people(_only(draws, people), last_person[people])),
        (
            auctions,
            _auctions(_only(draws, auctions), last_auction[auctions], last_person[auctions], event_ms[auctions]),
        ),
        (bids, _bids(_only(draws, bids), last_auction[bids], last_person[bids])),
    ):
        for row, event in zip(np.flatnonzero(rows).tolist(), events, strict=True):
            made[row] = json.dumps({**event, "event_ms": int(event_ms[row])}, separators=(",", ":"))
    return [made[row] for row in range(len(draws.index))]


def _only(draws: Draws, rows: np.ndarray) -> Draws:
    return Draws(draws.seed, draws.index[rows])


def _people(draws: Draws, ids: Index) -> Iterator[Draw]:
    places = draws.below("city", len(_CITIES))
    for number, place, card in zip(ids.tolist(), places.tolist(), draws.hexadecimal("card"), strict=True):
        yield {
            "event": "person",
            "id": number,
            "name": f"Person {number}",
            "email": f"person{number}@example.org",
            "credit_card": card,
            "city": _CITIES[place],
            "state": STATES[place],
        }


def _auctions(draws: Draws, ids: Index, last_person: Index, event_ms: Millis) -> Iterator[Draw]:
    initial = _prices(draws, "initial bid")
    reserve = initial + _prices(draws, "reserve")
    sellers = _person(draws, "seller", last_person)
    expires = event_ms + 1 + draws.below("length", LONGEST_AUCTION_MS)
    category = FIRST_CATEGORY + draws.below("category", CATEGORIES)
    columns = (ids, initial, reserve, sellers, expires, category)
    for number, first, least, seller, end_ms, kind in zip(*(column.tolist() for column in columns), strict=True):
        yield {
            "event": "auction",
            "id": number,
            "item": f"Item {number}",
            "initial_bid": first,
            "reserve": least,
            "expires_ms": end_ms,
            "seller": seller,
            "category": kind,
        }


def _bids(draws: Draws, last_auction: Index, last_person: Index) -> Iterator[Draw]:
    hot = (last_auction // _HOT_EVERY) * _HOT_EVERY
    some = last_auction - draws.below("auction", np.minimum(_IN_FLIGHT, last_auction - FIRST_ID + 1))
    auction = np.where(draws.below("hot auction", _HOT_AUCTION) > 0, hot, some)
    bidder = _person(draws, "bidder", last_person)
    channel = draws.below("channel", len(_CHANNELS))
    columns = (auction, bidder, _prices(draws, "price"), channel)
    for item, person, price, via in zip(*(column.tolist() for column in columns), strict=True):
        yield {"event": "bid", "auction": item, "bidder": person, "price": price, "channel": _CHANNELS[via]}


def _person(draws: Draws, what: str, last: Index) -> Index:
    hot = (last // _HOT_EVERY) * _HOT_EVERY
    some = last - draws.below(what, np.minimum(_ACTIVE_PEOPLE, last - FIRST_ID + 1))
    return np.where(draws.below(f"hot {what}", _HOT_PERSON) > 0, hot, some)


def _prices(draws: Draws, what: str) -> Index:
    """Cents: one to a million dollars, each order of magnitude as likely."""
    return np.round(10.0 ** (6.0 * draws.uniform(what)) * 100.0).astype(np.int64)
