"""The batches of a query that ended, each with what its stages did: as an engine tells of them."""

from collections.abc import Iterator, Sequence

from penstock.core.seen.batches import TOLD, BatchFigures
from penstock.engines.lost_executors import Worked
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.stage_figures import StageHistory

STAGES_TOLD_S = 0.5  # Spark writes its stages down a moment after they ended


def ended_batches(
    batches: Sequence[Batch], stages: StageHistory, wall_s: float, at_s: float, python_share: float
) -> Iterator[BatchFigures]:
    """The last batches of the present run, of those whose stages can be known; `at_s` is `wall_s` by the snapshot.

    Of the time that was waited for Python workers these had a core for `python_share`.
    """
    told = [one for one in batches if one.run_id == batches[-1].run_id and wall_s - one.committed_s >= STAGES_TOLD_S]
    for batch in told[-TOLD:]:
        work = stages.work(batch.run_id, batch.batch_id)
        yield BatchFigures(
            number=batch.batch_id,
            ended_s=at_s - (wall_s - batch.committed_s),
            took_s=batch.committed_s - batch.started_s,
            rows=batch.rows,
            left_rows=batch.held_back_rows,
            stages=None if work is None else work.stages,
            tasks=None if work is None else work.tasks,
            busy_s=None if work is None else work.busy_s,
            cpu_s=None if work is None else work.on_cores_s(python_share),
            staged_s=None if work is None else work.staged_s,
            waited_s=None if batch.arrivals is None else batch.started_s - batch.arrivals.mean_ms / 1000.0,
        )


def worked_batches(batches: Sequence[Batch], stages: StageHistory) -> Iterator[Worked]:
    """Those of the present run of which it is known for how long their stages were under way."""
    for batch in batches:
        work = stages.work(batch.run_id, batch.batch_id) if batch.run_id == batches[-1].run_id else None
        if work is not None and work.staged_s is not None:
            yield Worked(batch.started_s, batch.committed_s, batch.rows, work.staged_s)
