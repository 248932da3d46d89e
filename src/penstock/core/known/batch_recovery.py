"""Recovery time of a job that takes its rows in batches: `recovery_time` with the grain that short recoveries have.

The series of Phoebe takes rows to be processed one by one. In batches, a job that is back after two seconds still has
to do the batch again that failed, to wait for its next trigger and to finish what waited for that; and it is back to
normal when its rows wait about as long as usual, which is before the last backlog is gone. So the batches to come are
gone through one after the other.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from penstock.core.known.recovery import LONGEST_S, RecoveryTime, Short, rows_between
from penstock.core.units import non_negative, positive

AS_USUAL = 2.0  # times the usual wait: batches vary
NEVER_SHORT = Short(until_s=0.0, kept=1.0)
_MOST_BATCHES = 2_000  # a planner asks often; one that has not recovered by then never does, for its purposes


@dataclass(frozen=True, slots=True)
class Batches:
    """How a job takes its rows in quiet service."""

    every_s: float  # from the beginning of a batch to that of the next
    fixed_s: float  # what a batch takes beside its rows
    usual_wait_s: float  # of the oldest row in a batch, from its arrival to the commit

    def __post_init__(self) -> None:
        positive(self.every_s, "every_s")
        non_negative(self.fixed_s, "fixed_s")
        positive(self.usual_wait_s, "usual_wait_s")


def batch_recovery_time(
    arrivals: Callable[[float], float],
    capacity_rps: float,
    batches: Batches,
    downtime_s: float,
    into_s: float | None = None,
    short: Short = NEVER_SHORT,
) -> RecoveryTime:
    """From a failure until a batch takes all that waits, and in good time.

    The failure comes `into_s` after the beginning of a batch; without it, at the worst: when the batch is nearly done.
    `arrivals` is as in `recovery_time`, with all before the failure taken to have come as at its instant. While the
    job is `short` of a part its rows take longer, and what a batch takes beside them does not.

    >>> calm = Batches(every_s=5.0, fixed_s=1.0, usual_wait_s=8.5)
    >>> batch_recovery_time(lambda t: 100.0, 200.0, calm, downtime_s=2.0, into_s=1.0).total
    9.75
    """
    if capacity_rps <= 0.0:
        return RecoveryTime(downtime_s, math.inf)
    rate_rps = arrivals(0.0)
    again_s = batches.fixed_s + rate_rps * batches.every_s / capacity_rps
    since_s = again_s if into_s is None else into_s
    began_s, taken_until_s, waiting_rows = downtime_s, -since_s, rate_rps * since_s
    if since_s <= again_s:  # its batch had not ended, and is done again first
        ended_s = _worked_s(downtime_s + batches.fixed_s, again_s - batches.fixed_s, short)
        began_s = _next_s(downtime_s, ended_s, batches.every_s, since_s)
    counted_until_s = 0.0
    for _ in range(_MOST_BATCHES):
        if began_s > LONGEST_S:
            break
        waiting_rows += rows_between(arrivals, counted_until_s, began_s)
        ended_s = _worked_s(began_s + batches.fixed_s, waiting_rows / capacity_rps, short)
        if ended_s - taken_until_s <= AS_USUAL * batches.usual_wait_s:
            return RecoveryTime(downtime_s, ended_s - downtime_s)
        taken_until_s = counted_until_s = began_s
        began_s, waiting_rows = _next_s(began_s, ended_s, batches.every_s, since_s), 0.0
    return RecoveryTime(downtime_s, math.inf)


def _worked_s(from_s: float, work_s: float, short: Short) -> float:
    """When work is done that takes so long at the whole capacity.

    >>> [_worked_s(0.0, work_s, Short(until_s=20.0, kept=0.75)) for work_s in (3.0, 15.0, 16.0)]
    [4.0, 20.0, 21.0]
    """
    done_short_s = short.kept * max(0.0, short.until_s - from_s)
    if work_s <= done_short_s:
        return from_s + (work_s / short.kept if work_s else 0.0)
    return max(from_s, short.until_s) + work_s - done_short_s


def _next_s(began_s: float, ended_s: float, every_s: float, since_s: float) -> float:
    """Triggers come at even times, one of them `since_s` before the failure; a late batch is followed at once."""
    due_s = (math.floor((began_s + since_s) / every_s + 1e-9) + 1) * every_s - since_s
    return max(ended_s, due_s)
