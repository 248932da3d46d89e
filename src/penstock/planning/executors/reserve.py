"""What an application would have in a rise of load, by executors: what those are for that nothing helps now.

To a load twice as high six executors do what three do at this one; below the fewest of which an application tells how
busy it is tells how few suffice. A rise is seen, and executors come for it, within half a minute: who falls behind by
less than its target allows by then loses nothing, and needs none that stand by.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from penstock.core.run import asked_latency_s, target_latency_s
from penstock.core.seen.view import JobView
from penstock.planning.executors.worth import ExecutorWorth, worth_of
from penstock.planning.starts import ASSUMED_S

Rises = tuple[tuple[float, float], ...]  # times the load of now, and how many such are reckoned with
TIMES = (1.5, 2.0, 3.0)
FEARED: Rises = tuple((times, 1.0 / len(TIMES)) for times in TIMES)  # one, any of them as likely as another
SEEN_S = 20.0  # a round of the application, and one of the coordinator
_ANSWERED_S = SEEN_S + ASSUMED_S  # and until executors have come
_AS_GOOD = 0.99  # of what is foretold of the executors held


@dataclass(frozen=True, slots=True)
class Reserve:
    """`worth` is that of any number of executors at the load of now, from none on, of which `enough` are as good as
    all that are held; `bears_s` is by how much later than now rows may be, `rises` are those that may come, and
    `answered_s` is how long it takes until executors have come for one.
    """

    worth: ExecutorWorth = ()
    enough: float = 0.0
    bears_s: float = 0.0
    rises: Rises = FEARED
    answered_s: float = _ANSWERED_S

    def value(self, executors: int) -> float:
        """The utility with so many in all the rises together.

        >>> Reserve(((0.0, 0.0), (2.0, 30.0))).value(3)  # 30 at 1.5 times, 22.5 at twice, 15 at 3 times
        22.5
        """
        if not self.worth:
            return 0.0
        return sum(many * self.at_load(times, executors) for times, many in self.rises)

    def at_load(self, times: float, executors: int) -> float:
        """The utility with so many at so many times the load.

        >>> slow, quick = (Reserve(((0.0, 0.0), (1.0, 10.0)), 1.0, bears_s) for bears_s in (16.0, 14.0))
        >>> slow.at_load(2.0, 1), quick.at_load(2.0, 1)  # 15 s late after 30 s
        (10.0, 5.0)
        """
        such = executors / times
        if such < self.enough and self.answered_s * (1.0 - such / self.enough) <= self.bears_s:
            return worth_of(self.worth, self.enough)
        return worth_of(self.worth, such)

    def shown(self, before: int, after: int) -> tuple[float, float, float]:
        """The rise in which those make most of a difference: how many times the load, and what it has with either."""
        found = [(times, self.at_load(times, before), self.at_load(times, after)) for times, _ in self.rises]
        return max(found, key=lambda one: one[2] - one[1])


def reserve_of(worth: ExecutorWorth, now: int, tenants: Sequence[JobView]) -> Reserve:
    """That of an application that claims so much and holds so many; nothing where it claims nothing.

    >>> found = reserve_of(((1.0, 10.0), (2.0, 10.0)), 2, [])
    >>> found.worth, found.enough
    (((0.0, 0.0), (1.0, 10.0), (2.0, 10.0)), 1.0)
    """
    if not worth:
        return Reserve()
    first, value = worth[0]
    used = sum(map(_busy, tenants)) * now if tenants else first
    fewer = ((used, value),) if 0.0 < used < first else ()
    full = _AS_GOOD * worth_of(worth, now)
    enough = next((count for count, utility in worth if utility >= full), float(now))
    return Reserve(((0.0, 0.0), *fewer, *worth), enough, min(map(_bears_s, tenants), default=0.0))


def _busy(job: JobView) -> float:
    """The share of its slots' time that its rows keep busy; all of it where that is not told."""
    return max((unit.capacity for unit in job.figures.operators if unit.capacity is not None), default=1.0)


def _bears_s(job: JobView) -> float:
    target_s, has_s = target_latency_s(job), asked_latency_s(job)
    return 0.0 if target_s is None or has_s is None else max(0.0, target_s - has_s)
