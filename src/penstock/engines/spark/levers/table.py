"""Routing tables: where a job's correlated keys live."""

from penstock.core.levers import Kind, Table
from penstock.engines.spark.levers.found import LeverTools
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.levers.planned import PlannedRestarts
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.state import EngineState
from penstock.errors import EngineError


def lever(tools: LeverTools) -> Lever[Table]:
    """The tables of all routes."""
    return TableLever(tools.state, tools.planned, tools.routes)


class TableLever(Lever[Table]):
    """Another table comes into force; how it stands is told with the route's statistics, see RouteFigures."""

    kind: Kind = "table"

    def __init__(self, state: EngineState, planned: PlannedRestarts, routes: Routes) -> None:
        self._state = state
        self._planned = planned
        self._routes = routes

    def turn(self, move: Table, wall_s: float) -> None:
        track = self._state.named(move.job)
        routing, route = track.job.route, self._routes.of(move.job)
        in_place = routing is not None and routing.moves_no_state
        if route is None or track.query is None or not (in_place or track.job.function is not None):
            raise EngineError(
                f"{track.job.name}: only a running query with a route is re-routed, and one that keeps state without "
                "windows only if penstock started it"
            )
        self._planned.reroute(move, route, track.query)
