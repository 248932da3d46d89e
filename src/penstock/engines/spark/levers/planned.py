"""What a query takes up at its next start, some of it only then: a planned restart between two batches."""

from typing import Any

from penstock.core.levers import Dial, Disturbs, Kind, Partitions, Shows, Tasks
from penstock.engines.spark.levers.lever import Lever, can_restart
from penstock.engines.spark.levers.trigger import TriggerLever
from penstock.engines.spark.planned import PlannedRestarts
from penstock.engines.spark.port import Spark
from penstock.engines.spark.state import EngineState
from penstock.engines.spark.watch.track import Track
from penstock.errors import EngineError


def planned_levers(spark: Spark, state: EngineState, planned: PlannedRestarts) -> tuple[Lever[Any], ...]:
    """All of them: a new one is known to this file alone."""
    return TasksLever(state, planned), PartitionsLever(planned), TriggerLever(spark, state, planned)


class TasksLever(Lever[Tasks]):
    """The long-lived tasks behind the shuffles of a real-time job; its operators' figures tell how they stand."""

    kind: Kind = "tasks"

    def __init__(self, state: EngineState, planned: PlannedRestarts) -> None:
        self._state = state
        self._planned = planned

    def turn(self, move: Tasks, wall_s: float) -> None:
        track = self._state.named(move.job)
        names = [operator.operator for operator in track.tasks]
        if move.operator not in names:
            units = f"its operators are {', '.join(names)}" if names else "all its operators share its slots"
            raise EngineError(f"{move.job} has no operator {move.operator!r} on Spark; {units}")
        self._planned.retask(move)


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
