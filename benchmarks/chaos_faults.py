"""What the nemesis does: pairs of faults drawn from a seed, the same ones for the same seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count


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
    MOVE = "re-route"  # a tenant's keys get another table, and its state moves


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
        """Whether the driver runs on meanwhile, and its rounds are recorded; one that moves state is at that.

        >>> Fault(Kind.KILL, "broker").spares_governing, Fault(Kind.STOP, "JVM").spares_governing
        (True, False)
        """
        return self.kind is not Kind.MOVE and self.whom not in _DRIVERS | _STORES

    @property
    def text(self) -> str:
        """In words."""
        at_once = self.kind in (Kind.KILL, Kind.SECOND, Kind.MOVE) or self.whom == "checkpoint"
        lasts = "" if at_once else f" for {self.length_s:.0f} s"
        return f"{self.kind} {self.whom}{lasts}"


ROUTED = ("routed", "routed2")  # the tenants whose keys have a route
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
    *((Kind.MOVE, whom) for whom in ROUTED),
)
# Of a disk and a network that the nemesis has made for itself.
DATABASE_DISK = "the database's disk"
BROKER_LINK, DATABASE_LINK = "the broker's link", "the database's link"  # as its clients have it
APART = (
    (Kind.FILL, "the checkpoints' disk"),
    (Kind.FILL, DATABASE_DISK),
    (Kind.CUT, "a worker's link"),
    (Kind.CUT, BROKER_LINK),
    (Kind.CUT, DATABASE_LINK),
)
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
_STORES = frozenset({"PostgreSQL", DATABASE_DISK, DATABASE_LINK})
_BROKERS = frozenset({"broker", BROKER_LINK})
_OF_MASTER = frozenset({"worker", "executor"})  # that it has to know of
_SHORT_S, _LONG_S = (5.0, 15.0), (50.0, 60.0)  # a driver that stands still for 40 s is replaced
_LONG_SHARE = 0.25
_WITHIN_S = 5.0


def drawn(seed: int, faults: Sequence[tuple[Kind, str]] = ALL) -> Iterator[tuple[Fault, Fault]]:
    """Pairs without end; each round of them has every fault once, as far as they go together.

    Of the two ways to set a clock a round has one, in turn: half of all seeds begin with the one, half with the other.

    >>> first = next(drawn(1))
    >>> first == next(drawn(1)), first[0].whom != first[1].whom
    (True, True)
    """
    chance, turns = random.Random(seed), count(seed)
    left: list[tuple[Kind, str]] = []
    while True:
        if len(left) < 2:
            left += _round(faults, next(turns), chance)
        first = left.pop(0)
        place = next((place for place, other in enumerate(left) if _goes_with(first, other)), None)
        if place is None:
            left += _round(faults, next(turns), chance)
            place = next(place for place, other in enumerate(left) if _goes_with(first, other))
        second = left.pop(place)
        yield _fault(first, 0.0, chance), _fault(second, chance.uniform(0.0, _WITHIN_S), chance)


def _round(faults: Sequence[tuple[Kind, str]], turn: int, chance: random.Random) -> list[tuple[Kind, str]]:
    """All of them in any order, but one way to set the clock where there are two."""
    not_now = (Kind.SET, AHEAD if turn % 2 else BACK)
    both = {(Kind.SET, AHEAD), (Kind.SET, BACK)} <= set(faults)
    return [fault for fault in chance.sample(faults, len(faults)) if not (both and fault == not_now)]


def _goes_with(one: tuple[Kind, str], other: tuple[Kind, str]) -> bool:
    both = {one[1], other[1]}
    one_thing = any(both <= of for of in (_DRIVERS, _STORES, _BROKERS))
    return len(both) == 2 and not one_thing and not ("master" in both and both & _OF_MASTER)


def _fault(drawn_: tuple[Kind, str], after_s: float, chance: random.Random) -> Fault:
    kind, whom = drawn_
    bounds = _LONG_S if kind is Kind.STOP and chance.random() < _LONG_SHARE else _SHORT_S
    return Fault(kind, whom, chance.uniform(*bounds), after_s)
