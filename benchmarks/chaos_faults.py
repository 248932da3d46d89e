"""What the nemesis does: pairs of faults drawn from a seed, the same ones for the same seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What goes wrong."""

    KILL = "kill"  # SIGKILL; who is not watched over by penstock itself is started again after a while
    STOP = "stop"  # SIGSTOP, and SIGCONT after a while
    SECOND = "second"  # another driver takes the run up
    LOSE = "lose"  # the driver is killed, and a tenant's checkpoint, or its book, is gone when it comes back
    FLOOD = "flood"  # of acts, or of what-ifs, streams and slow clients
    TAKE = "take descriptors of"  # it can open no file and no connection for a while
    FILL = "fill"  # no byte more goes onto that disk for a while
    CUT = "cut"  # nothing goes over that link for a while
    SET = "set"  # the driver's clock is that far from the right one for a while


@dataclass(frozen=True, slots=True)
class Fault:
    """One of a pair: how long it lasts, and how long after the pair's beginning it strikes.

    >>> Fault(Kind.STOP, "broker", 12.0, 3.0).text
    'stop broker for 12 s'
    """

    kind: Kind
    whom: str
    length_s: float = 0.0
    after_s: float = 0.0

    @property
    def spares_governing(self) -> bool:
        """Whether the driver runs on meanwhile, and its rounds are recorded.

        >>> Fault(Kind.KILL, "broker").spares_governing, Fault(Kind.STOP, "JVM").spares_governing
        (True, False)
        """
        return self.whom not in _DRIVERS | _STORES

    @property
    def text(self) -> str:
        """In words."""
        at_once = self.kind in (Kind.KILL, Kind.SECOND) or self.whom == "checkpoint"
        lasts = "" if at_once else f" for {self.length_s:.0f} s"
        return f"{self.kind} {self.whom}{lasts}"


PROCESSES = ("master", "worker", "executor", "JVM", "Python", "supervisor", "broker", "PostgreSQL")
ALL = (
    *((Kind.KILL, whom) for whom in PROCESSES),
    *((Kind.STOP, whom) for whom in PROCESSES),
    (Kind.SECOND, "driver on the run"),
    (Kind.LOSE, "checkpoint"),
    (Kind.LOSE, "routing book"),
    (Kind.FLOOD, "acts"),
    (Kind.FLOOD, "what-ifs and slow clients"),
    (Kind.TAKE, "JVM"),
    (Kind.TAKE, "Python"),
)
# Of a disk and a network that the nemesis has made for itself.
DATABASE_DISK = "the database's disk"
APART = ((Kind.FILL, "the checkpoints' disk"), (Kind.FILL, DATABASE_DISK), (Kind.CUT, "a worker's link"))
# Of a clock that the nemesis sets, where there is a C compiler.
AHEAD, BACK = "the driver's clock an hour ahead", "the driver's clock an hour back"
CLOCK = ((Kind.SET, AHEAD), (Kind.SET, BACK))
# Of two coordinators over a simulated cluster, which needs no JVM.
FLEET = (
    *((kind, whom) for kind in (Kind.KILL, Kind.STOP) for whom in ("leader", "follower", "PostgreSQL")),
    (Kind.SECOND, "coordinator"),
    (Kind.FLOOD, "acts"),
)
# Two at once that nobody can tell apart, or of which one undoes what the other one needs.
# A run's clock begins by that of the driver: under a clock that was set, none is started.
_DRIVERS = frozenset({"JVM", "Python", "supervisor", "driver on the run", "checkpoint", "routing book", AHEAD, BACK})
_STORES = frozenset({"PostgreSQL", DATABASE_DISK})
_OF_MASTER = frozenset({"worker", "executor"})  # that it has to know of
_SHORT_S, _LONG_S = (5.0, 15.0), (50.0, 60.0)  # a driver that stands still for 40 s is replaced
_LONG_SHARE = 0.25
_WITHIN_S = 5.0


def drawn(seed: int, faults: Sequence[tuple[Kind, str]] = ALL) -> Iterator[tuple[Fault, Fault]]:
    """Pairs without end; each round of them has every fault once, as far as they go together.

    >>> first = next(drawn(1))
    >>> first == next(drawn(1)), first[0].whom != first[1].whom
    (True, True)
    """
    chance = random.Random(seed)
    left: list[tuple[Kind, str]] = []
    while True:
        if len(left) < 2:
            left += chance.sample(faults, len(faults))
        first = left.pop(0)
        place = next((place for place, other in enumerate(left) if _goes_with(first, other)), None)
        if place is None:
            left += chance.sample(faults, len(faults))
            place = next(place for place, other in enumerate(left) if _goes_with(first, other))
        second = left.pop(place)
        yield _fault(first, 0.0, chance), _fault(second, chance.uniform(0.0, _WITHIN_S), chance)


def _goes_with(one: tuple[Kind, str], other: tuple[Kind, str]) -> bool:
    both = {one[1], other[1]}
    return (
        len(both) == 2 and not both <= _DRIVERS and not both <= _STORES and not ("master" in both and both & _OF_MASTER)
    )


def _fault(drawn_: tuple[Kind, str], after_s: float, chance: random.Random) -> Fault:
    kind, whom = drawn_
    bounds = _LONG_S if kind is Kind.STOP and chance.random() < _LONG_SHARE else _SHORT_S
    return Fault(kind, whom, chance.uniform(*bounds), after_s)
