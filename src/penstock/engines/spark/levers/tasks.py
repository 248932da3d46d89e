"""Tasks: the threads of each operator of a real-time job, taken up at its query's next start."""

from penstock.core.levers import Kind, Tasks
from penstock.engines.spark.levers.found import LeverTools
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.levers.planned import PlannedRestarts
from penstock.engines.spark.state.state import EngineState
from penstock.errors import EngineError


def lever(tools: LeverTools) -> Lever[Tasks]:
    """The tasks of all jobs."""
    return TasksLever(tools.state, tools.planned)


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
