"""Partitions of a job's state, taken up at its query's next start, between two batches."""

from penstock.core.levers import Dial, Disturbs, Kind, Partitions, Shows
from penstock.engines.spark.levers.found import LeverTools
from penstock.engines.spark.levers.lever import Lever, can_restart
from penstock.engines.spark.levers.planned import PlannedRestarts
from penstock.engines.spark.watch.track import Track


def lever(tools: LeverTools) -> Lever[Partitions]:
    """The partitions of all jobs."""
    return PartitionsLever(tools.planned)


class PartitionsLever(Lever[Partitions]):
    """Into how many parts a job's state is cut; moved in a rewriting of its checkpoint."""

    kind: Kind = "partitions"

    def __init__(self, planned: PlannedRestarts) -> None:
        self._planned = planned

    def of_job(self, track: Track, wall_s: float) -> Dial | None:
        if not can_restart(track) or track.state_bytes is None:
            return None
        now = self._planned.partitions(track)
        return Dial("partitions", track.job.name, now, 1, disturbs=Disturbs.QUERY, shows=Shows.AFTER_RESTART)

    def turn(self, move: Partitions, wall_s: float) -> None:
        self._planned.repartition(move.job, move.after)
