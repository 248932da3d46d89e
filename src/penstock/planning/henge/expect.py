"""What Henge expects of a step: what those who get threads gain by them, and what those who share the slots lose.

Utilities follow from how busy a job is, which is all that is known before a step: what it needs as a share of what it
could use. It needs what it uses now, and more in proportion where it falls behind. Latency follows it as that of a
queue, 1 / (1 - busy); juice is 1 / busy above 1. That is good for the direction of a step and for its order of
magnitude: tasks that are not preempted, cold code and caches are not in it.
"""

from collections.abc import Iterable, Mapping, Set

from penstock.core.levers import ThreadMove
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, LatencyFigures
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.view import JobView, View
from penstock.planning.henge.pool import WeightedPool

# With a backlog latency tells how long that is, and nothing of what it would be at rest: it is taken for that of a job
# as busy as this, and no job is foretold to be busier.
FULL = 0.95

Threads = Mapping[tuple[str, str], int]


def expected_utility(view: View, moves: Iterable[ThreadMove], claimed: Set[str] = frozenset()) -> float | None:
    """The total after these moves; None where nothing can be said. Those `claimed` come to all they can have.

    Threads of operators beside more runnable threads than cores gain something and cost the others something, and
    nobody knows what.
    """
    after = {(move.job, move.operator): move.after for move in moves}
    touched = {name for name, _ in after}
    before, then = pool_of(view), pool_of(view, after)
    total = 0.0
    for job in view.jobs:
        shares = before is not None and shares_slots(job)
        if job.name not in touched and not shares:
            total += job.utility or 0.0
            continue
        if view.congested and not shares:
            return None
        busy = _busy_in(before, then, job) if shares else _busy(job.figures, after)
        expected = job.max_utility if job.name in claimed else utility_when(job, busy)
        if expected is None and job.name in touched:
            return None
        total += (job.utility or 0.0) if expected is None else expected
    return total


def utility_when(job: JobView, busy: tuple[float, float] | None) -> float | None:
    """The job's utility when it is so busy as the second figure, where it is now as the first."""
    if busy is None or job.utility is None:
        return None
    before, then = busy
    if before == then:
        return job.utility
    latency, juice = _latency(job.figures.latency, before, then), _juice(job.figures.juice, before, then)
    score = job.intent.score(latency, juice, job.recovery_s)
    return None if score is None else score.utility


def _latency(now: LatencyFigures | None, before: float, then: float) -> LatencyFigures | None:
    if now is None:
        return None
    times = (1 - min(before, FULL)) / (1 - min(then, FULL))
    return LatencyFigures(now.mean_s * times, tuple((percent, s * times) for percent, s in now.quantiles))


def _juice(now: float | None, before: float, then: float) -> float | None:
    """A job that is behind does more in proportion; what it lacks for other reasons it goes on to lack."""
    return None if now is None else min(1.0, now * max(1.0, before) / max(1.0, then))


def _busy(job: JobFigures, after: Threads) -> tuple[float, float] | None:
    """Its busiest operator, now and then; None where one that gets threads has no figure."""
    known = [op for op in job.operators if op.capacity is not None]
    if not known or any((job.name, op.name) in after for op in job.operators if op.capacity is None):
        return None
    before = max(op.capacity or 0.0 for op in known)
    then = max((op.capacity or 0.0) * op.threads / after.get((job.name, op.name), op.threads) for op in known)
    return before, then


# Jobs that share the slots


def shares_slots(job: JobView) -> bool:
    """Whether its threads are a share of slots that other jobs use, too."""
    return shares_pool(job.figures)


def pool_of(view: View, after: Threads | None = None, greedy: Set[str] = frozenset()) -> WeightedPool | None:
    """The slots and those who share them, with other threads where some are given; the greedy take all they can."""
    slots = view.slots
    shared = [job.figures for job in view.jobs if shares_slots(job)]
    if slots is None or not shared:
        return None
    of_each = slots / max(slots, sum(job.threads for job in shared))
    weights = {job.name: (after or {}).get((job.name, ALL_OPERATORS), job.threads) for job in shared}
    needs = {job.name: float(slots) if job.name in greedy else _needed(job, of_each) for job in shared}
    return WeightedPool.of(weights, needs, slots)


def _needed(job: JobFigures, slots_of_thread: float) -> float:
    """Slots: what it keeps busy, times what it falls behind by. Of whom nothing is known, its share."""
    (unit,) = job.operators
    used = slots_of_thread * unit.threads * (1.0 if unit.capacity is None else unit.capacity)
    if job.arrival_rps is None or not job.processed_rps or (job.juice or 0.0) >= 1.0:
        return used
    return used * max(1.0, job.arrival_rps / job.processed_rps)


def _busy_in(before: WeightedPool | None, then: WeightedPool | None, job: JobView) -> tuple[float, float] | None:
    if before is None or then is None or job.figures.operators[0].capacity is None:
        return None
    return before.busy(job.name), then.busy(job.name)
