"""How far queries have read, as consumer groups: what is to be committed where, and when once more.

What one query has read is known apart from what others have: where several read a partition under one group, the group
has read what the slowest has. A broker that does not take it is left in peace for a while, and told the newest then.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from penstock.engines.spark.told.said_once import SaidOnce
from penstock.errors import EngineError, GoverningEndsError

_RESTS_FOR_S = 10.0

Offsets = Mapping[str, Mapping[int, int]]  # by topic and partition, of the next row


class OffsetsBroker(Protocol):
    """Keeps what groups have read."""

    def commit(self, group: str, offsets: Offsets) -> None:
        """Let the group have read up to here; an EngineError where it does not."""


class Brokers(Protocol):
    """Finds a broker by where it is and how it is reached."""

    def at(self, address: Hashable) -> OffsetsBroker:
        """The one there; an EngineError where there cannot be any."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far one run of a query has come: its group, and by the address of a broker what it has read there."""

    group: str
    offsets: Mapping[Hashable, Offsets]


@dataclass(slots=True)
class GroupOffsets:
    """What is known of all queries, and what a broker has yet to be told."""

    _reached: dict[str, Reached] = field(default_factory=dict)  # by run
    _ended: set[str] = field(default_factory=set)
    _waiting: dict[tuple[str, Hashable], float] = field(default_factory=dict)  # group and broker: not before
    _said: SaidOnce = field(default_factory=SaidOnce)

    def take(self, run: str, reached: Reached) -> None:
        """A batch of this run has ended."""
        self._reached[run] = reached
        for address in reached.offsets:
            self._waiting.setdefault((reached.group, address), -inf)

    def end(self, run: str) -> None:
        """This run of a query will read no more; what it has read is still committed."""
        self._ended.add(run)
        self._forget()

    def commit(self, brokers: Brokers, now: float) -> None:
        """Tell the brokers what they have not been told, but those that rest."""
        for group, address in [place for place, until_s in self._waiting.items() if until_s <= now]:
            try:
                brokers.at(address).commit(group, self._of(group, address))
            except GoverningEndsError:
                raise
            except EngineError as error:
                what = f"offsets of group {group} are not committed, and will be once that is mended"
                self._said.warn((group, address), what, error)
                self._waiting[group, address] = now + _RESTS_FOR_S
            else:
                self._said.well((group, address))
                del self._waiting[group, address]
        self._forget()

    @property
    def again_at(self) -> float:
        """When a broker is to be told once more; infinity where all are told."""
        return min(self._waiting.values(), default=inf)

    @property
    def addresses(self) -> frozenset[Hashable]:
        """Those of all brokers that may be told something."""
        return frozenset(address for reached in self._reached.values() for address in reached.offsets)

    def _of(self, group: str, address: Hashable) -> Offsets:
        all_read = [reached.offsets.get(address, {}) for reached in self._reached.values() if reached.group == group]
        return slowest(all_read)

    def _forget(self) -> None:
        """Runs that have ended and of which no broker has to be told anything."""
        for run in [run for run in self._ended if not self._waits(run)]:
            self._ended.discard(run)
            self._reached.pop(run, None)

    def _waits(self, run: str) -> bool:
        reached = self._reached.get(run)
        return reached is not None and any((reached.group, address) in self._waiting for address in reached.offsets)


def slowest(all_read: list[Offsets]) -> Offsets:
    """What all have read of each partition that anyone reads.

    >>> slowest([{"rows": {0: 7, 1: 5}}, {"rows": {0: 4}}])
    {'rows': {0: 4, 1: 5}}
    """
    found: dict[str, dict[int, int]] = {}
    for read in all_read:
        for topic, offsets in read.items():
            for partition, offset in offsets.items():
                known = found.setdefault(topic, {})
                known[partition] = min(offset, known.get(partition, offset))
    return found
