"""A batch's bound: the most rows that one batch of a job takes in."""

from penstock.core.levers import BatchBound, Dial, Disturbs, Shows
from penstock.engines.spark.fleet import Fleet
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.planned import PlannedRestarts
from penstock.engines.spark.track import Track


class BatchBoundLever(Lever[BatchBound]):
    """Changed by a planned restart."""

    kind = "bound"

    def __init__(self, fleet: Fleet, planned: PlannedRestarts) -> None:
        self._fleet = fleet
        self._planned = planned

    def of_job(self, track: Track, wall_s: float) -> Dial | None:
        if not track.runs or track.tasks or track.job.function is None:
            return None
        now = track.job.max_rows_per_batch
        return Dial("bound", track.job.name, now, 1, disturbs=Disturbs.QUERY, shows=Shows.AFTER_RESTART)

    def turn(self, move: BatchBound, wall_s: float) -> None:
        self._planned.rebound(self._fleet.named(move.job), move.after)
