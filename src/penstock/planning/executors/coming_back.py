"""When a tenant that is late comes back to its latency, once its application has more executors.

until they are there    what waits grows as it does now
then                    it is worked off, until what waits is no older than what was asked
"""

from dataclasses import dataclass
from math import inf

from penstock.core.run import asked_latency_s, late_for_s
from penstock.core.seen.view import JobView

_FORESEEN_S = 3_600.0  # what is to take longer rests on a difference of rates that is smaller than its error
_BUSY = 0.5  # of its slots' time: who is less busy is late for something that executors do not mend


@dataclass(frozen=True, slots=True)
class Behind:
    """What waits for a tenant, what arrives, and what it works off now. Rows, and rows a second."""

    waiting: float
    arrival_rps: float
    work_rps: float


def back_s(behind: Behind, times: float, start_s: float, target_s: float) -> float | None:
    """Seconds until it is back, `times` as quick after `start_s`; None where it never is, or where nobody can say.

    >>> back_s(Behind(waiting=900.0, arrival_rps=100.0, work_rps=60.0), times=3.0, start_s=10.0, target_s=2.0)
    23.75
    >>> back_s(Behind(900.0, 100.0, 60.0), times=1.5, start_s=10.0, target_s=2.0)
    >>> back_s(Behind(900.0, 100.0, 60.0), times=1.67, start_s=10.0, target_s=2.0)
    """
    then = max(0.0, behind.waiting + (behind.arrival_rps - behind.work_rps) * start_s)
    over = then - behind.arrival_rps * target_s
    spare_rps = times * behind.work_rps - behind.arrival_rps
    if over <= 0.0:
        return start_s if spare_rps >= 0.0 else None
    found_s = start_s + over / spare_rps if spare_rps > 0.0 else inf
    return found_s if found_s <= _FORESEEN_S else None


def job_back_s(job: JobView, held: int, executors: int, start_s: float) -> float | None:
    """The same of a tenant that works alone on what its application holds; None where it is not late, or not known."""
    target_s, behind = late_for_s(job), _behind(job)
    if not job.fresh or target_s is None or behind is None:
        return None
    return back_s(behind, executors / held, start_s, target_s) if held > 0 else None


def _behind(job: JobView) -> Behind | None:
    figures, latency_s = job.figures, asked_latency_s(job)
    busy = next((unit.capacity for unit in figures.operators if unit.capacity is not None), None)
    arrival_rps, processed_rps = figures.arrival_rps, figures.processed_rps
    if busy is None or busy < _BUSY or not arrival_rps or not processed_rps:
        return None
    # What nobody counts is told by how late rows are: as many wait as arrive meanwhile.
    waiting = figures.backlog_rows if figures.backlog_rows is not None else arrival_rps * (latency_s or 0.0)
    return Behind(waiting, arrival_rps, processed_rps / min(1.0, busy))
