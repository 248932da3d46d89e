"""The batch of a query that has not ended, by those of its tasks that have: as an engine tells of it."""

from penstock.core.seen.batches import RunningBatch
from penstock.engines.spark.watch.stage_figures import StageHistory


def running_batch(
    stages: StageHistory, run_id: str | None, last: int | None, snapshot_ahead_s: float, python_share: float
) -> RunningBatch | None:
    """None before one of its tasks has ended. `last` is the number of the last batch that ended in this run, and the
    snapshot's clock is so much ahead of the wall's.

    Of a task that runs Spark tells rows, but no time: what a row takes, and with it what rows come, is off for that by
    as much the other way.
    """
    number = None if run_id is None else stages.newest(run_id)
    if run_id is None or number is None or (last is not None and number <= last):
        return None
    work = stages.work(run_id, number)
    rows = None if work is None else work.source.all_rows
    if work is None or work.from_s is None or not rows or not work.ended:
        return None
    return RunningBatch(
        number=number,
        staged_from_s=work.from_s + snapshot_ahead_s,
        tasks=work.tasks,
        ended=min(work.ended, work.tasks),
        busy_s=work.busy_s,
        cpu_s=work.on_cores_s(python_share),
        rows=rows,
    )
