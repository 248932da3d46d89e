"""The key pairs that a batch tells of, see `routing/pair_draw`: as text among what it observed, and counted."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from penstock.core.seen.pairs import Key, PairCounts
from penstock.engines.spark.watch.key_texts import key_named

SIGMAS = 5.0  # one count in a million may be farther off
NO_KEY, BETWEEN_ROWS, BETWEEN_KEYS = "\x1c", "\x1d", "\x1e"


class DrawnPairs(NamedTuple):
    """What a batch tells: its pairs hop by hop, and the cell that says how many rows the query draws."""

    pairs: tuple[PairCounts, ...] = ()
    cell: str = ""


def drawn_pairs(observed: Mapping[str, Any]) -> DrawnPairs:
    """The pairs of one batch, from what `measured` observed; none where it counted none. Keys are texts."""
    if "keys" not in observed or not observed["rows"]:
        return DrawnPairs()
    told = Counter(str(observed["pairs"] or "").split(BETWEEN_ROWS))
    drawn = sum(rows for text, rows in told.items() if text)
    met = [(text.split(BETWEEN_KEYS), rows) for text, rows in told.items()]
    pairs = tuple(_counts(_hop(met, hop), float(observed["rows"]), drawn) for hop in range(int(observed["keys"]) - 1))
    return DrawnPairs(pairs, str(observed["draw"]))


def _hop(met: Sequence[tuple[Sequence[str], int]], hop: int) -> Counter[tuple[Key, Key]]:
    """How often both keys of that number and the next were drawn together."""
    found: Counter[tuple[Key, Key]] = Counter()
    for keys, rows in met:
        pair = keys[hop : hop + 2]
        if len(pair) == 2 and NO_KEY not in pair:
            found[key_named(pair[0]), key_named(pair[1])] += rows
    return found


def _counts(met: Counter[tuple[Key, Key]], rows: float, drawn: int) -> PairCounts:
    """A row that was drawn stands for so many. The error is `SIGMAS` standard deviations of the heaviest count."""
    stands_for = rows / max(1, drawn)
    error = SIGMAS * math.sqrt(max(met.values(), default=1)) if stands_for > 1 else 0.0
    return PairCounts({pair: stands_for * n for pair, n in met.items()}, rows, stands_for * error)
