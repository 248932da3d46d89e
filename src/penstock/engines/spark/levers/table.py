"""Routing tables: where a job's correlated keys live."""

from penstock.core.levers import Table
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.planned import PlannedRestarts
from penstock.engines.spark.watch.fleet import Fleet
from penstock.errors import EngineError


class TableLever(Lever[Table]):
    """Another table comes into force; how it stands is told with the route's statistics, see RouteFigures."""

    kind = "table"

    def __init__(self, fleet: Fleet, planned: PlannedRestarts) -> None:
        self._fleet = fleet
        self._planned = planned

    def turn(self, move: Table, wall_s: float) -> None:
        track = self._fleet.named(move.job)
        route = track.job.route
        in_place = route is not None and route.moves_no_state
        if track.watch is None or track.query is None or not (in_place or track.job.function is not None):
            raise EngineError(
                f"{track.job.name}: only a running query with a route is re-routed, and one that keeps state without "
                "windows only if penstock started it"
            )
        self._planned.reroute(track, move, wall_s)
