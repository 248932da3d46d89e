"""What a batch that has not ended tells of a job's costs, until two have: a second batch may last for minutes.

The first one has a query's own start in it, and the second finds all that came meanwhile: with one executor it lasts
as long. Its tasks end one after the other. What they took is what rows cost, what it took is what came since the batch
before, and what it has not done yet waits, with all that came since.
"""

from penstock.core.seen.figures import JobFigures
from penstock.planning.arbiter.arriving import steady
from penstock.planning.arbiter.costs import TELLING, JobCosts
from penstock.planning.arbiter.fitting import Squares
from penstock.planning.arbiter.warmth import NO_WARMTH, Warmth

_ASIDE_S = 0.5  # of a batch off the slots, once the query has begun: what its first one tells is mostly the start


def as_it_runs(costs: JobCosts, job: JobFigures, at_s: float) -> JobCosts:
    """With what the tasks of its batch that have ended say, where too few batches have."""
    running = job.running
    if running is None or costs.batches >= TELLING or running.number != costs.number + 1 or costs.number < 0:
        return costs
    between_s, since_s = running.staged_from_s - costs.began_s, at_s - running.staged_from_s
    came = running.rows - costs.left_rows
    if between_s <= 0.0 or since_s <= 0.0 or came <= 0.0 or running.busy_s <= 0.0:
        return costs
    busy_s, cpu_share = running.all_busy_s, min(1.0, running.cpu_s / running.busy_s)
    slots = running.busy_s / since_s
    age_s = at_s - costs.first_seen_s
    return costs._replace(
        batches=max(1, costs.batches),
        ended_s=at_s,
        began_s=running.staged_from_s,
        left_rows=running.left * running.rows,
        took_s=since_s,
        fit=_fit(running.tasks, running.rows, busy_s),
        cores_fit=_fit(running.tasks, running.rows, cpu_share * busy_s),
        tasks=float(running.tasks),
        stages=max(1.0, costs.stages),
        aside_s=min(_ASIDE_S, costs.aside_s) if costs.batches else _ASIDE_S,
        cpu_share=cpu_share,
        busy=slots,
        busy_staged=slots,
        arrivals=steady(came / between_s),
        warmth=tuple(map(float, Warmth(*NO_WARMTH).with_batch(age_s, 1.0, cpu_share, 0.0))),
    )


def _fit(tasks: float, rows: float, busy_s: float) -> tuple[float, ...]:
    return tuple(map(float, Squares.of_batch(tasks, rows, busy_s)))
