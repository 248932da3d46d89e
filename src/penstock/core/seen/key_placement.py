"""Where the keys of an operator live; absent where nobody works it out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST_PARTITIONS = 64  # told one by one, the heaviest: every cycle is stored with them


@dataclass(frozen=True, slots=True)
class KeysInPartition:
    """What of an operator's keys lives in one partition; no executor where it is not known to have one yet."""

    partition: int
    executor: str | None = None
    machine: str | None = None
    keys: int | None = None  # that the routing table lists
    share: float | None = None  # of the operator's rows


@dataclass(frozen=True, slots=True)
class KeysOnMachine:
    """What of an operator's keys lives on one machine; `share` is that of its rows."""

    machine: str
    partitions: int
    keys: int | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class KeyPlacement:
    """Where the keys of one operator live; `locality` is the share of rows that come to it from the routed operator
    before it and stay on their machine."""

    operator: str
    machines: tuple[KeysOnMachine, ...]
    locality: float | None = None
    table: int | None = None  # the version of the routing table
    partitions: tuple[KeysInPartition, ...] = ()

    @classmethod
    def of(
        cls,
        operator: str,
        partitions: Sequence[KeysInPartition],
        locality: float | None = None,
        table: int | None = None,
    ) -> "KeyPlacement":
        """The placement that these partitions make, machine by machine.

        >>> found = [KeysInPartition(0, "1", "m1", 3, 0.6), KeysInPartition(1, "1", "m1", 2, 0.4)]
        >>> KeyPlacement.of("count", found).machines
        (KeysOnMachine(machine='m1', partitions=2, keys=5, share=1.0),)
        """
        names = sorted({found.machine for found in partitions if found.machine is not None})
        machines = (_on(name, [found for found in partitions if found.machine == name]) for name in names)
        heaviest = sorted(partitions, key=lambda found: (-(found.share or 0.0), found.partition))[:MOST_PARTITIONS]
        told = sorted(heaviest, key=lambda found: found.partition)
        return cls(operator, tuple(machines), locality, table, tuple(told))


def _on(machine: str, partitions: Sequence[KeysInPartition]) -> KeysOnMachine:
    keys, shares = _total(found.keys for found in partitions), _total(found.share for found in partitions)
    return KeysOnMachine(machine, len(partitions), None if keys is None else round(keys), shares)


def _total(values: Iterable[float | None]) -> float | None:
    """The sum; None where one of them is not known."""
    known = list(values)
    return None if None in known else sum(value for value in known if value is not None)
