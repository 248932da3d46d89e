"""Heavy key pairs in bounded memory: DataSketches' frequent items over pairs, mergeable over batches and executors.

The algorithm family is that of the routing paper (section 3.2): a fixed number of counters, an error that is known.
A sketch is for one window: it is restarted after each re-routing, and what came before fades in `PairHistory`.
"""

import json

from datasketches import frequent_items_error_type, frequent_strings_sketch

from penstock.core.seen.pairs import Key, PairCounts
from penstock.errors import ConfigError

LG_SIZE = 14  # about 12,000 pairs, at most a megabyte for pairs of 60 bytes: what the paper gives an instance
_SMALLEST, _LARGEST = 3, 26
_NO_PAIR = ""  # encoded pairs are never empty: its upper bound is what any pair that is not listed may have had


class PairSketch:
    """Counts pairs with at most 2^`lg_size` counters, three quarters of them in use.

    >>> sketch = PairSketch()
    >>> sketch.update("Asia", "#java", 3)
    >>> sketch.counts().pairs, sketch.counts().error
    ({('Asia', '#java'): 3}, 0)
    """

    def __init__(self, lg_size: int = LG_SIZE) -> None:
        if not _SMALLEST <= lg_size <= _LARGEST:
            raise ConfigError("lg_size", lg_size, f"write the power of two of its size, {_SMALLEST} to {_LARGEST}")
        self.lg_size = lg_size
        self._sketch = frequent_strings_sketch(lg_size)

    def update(self, left: Key, right: Key, rows: int = 1) -> None:
        """So many rows with both keys."""
        self._sketch.update(_text(left, right), rows)

    def merge(self, other: "PairSketch") -> None:
        """Take in what another batch or executor counted; errors add."""
        self._sketch.merge(other._sketch)

    def counts(self) -> PairCounts:
        """All pairs that hold a counter. The figure of each is at most `error` above the truth."""
        found = self._sketch.get_frequent_items(frequent_items_error_type.NO_FALSE_NEGATIVES)
        pairs = {_pair(text): estimate for text, estimate, _, _ in found}
        return PairCounts(pairs, self._sketch.total_weight, self._sketch.get_upper_bound(_NO_PAIR))

    def closed(self) -> PairCounts:
        """What was counted; and a fresh start, as after each re-routing."""
        counted = self.counts()
        self._sketch = frequent_strings_sketch(self.lg_size)
        return counted

    def to_bytes(self) -> bytes:
        """For the way from an executor to the driver."""
        return bytes(self._sketch.serialize())

    @classmethod
    def from_bytes(cls, data: bytes, lg_size: int = LG_SIZE) -> "PairSketch":
        """What `to_bytes` wrote."""
        sketch = cls(lg_size)
        sketch._sketch.merge(frequent_strings_sketch.deserialize(data))
        return sketch


def _text(left: Key, right: Key) -> str:
    return json.dumps([left, right], separators=(",", ":"))


def _pair(text: str) -> tuple[Key, Key]:
    left, right = json.loads(text)
    return _key(left), _key(right)


def _key(value: str | int | list[str | int]) -> Key:
    return tuple(value) if isinstance(value, list) else value
