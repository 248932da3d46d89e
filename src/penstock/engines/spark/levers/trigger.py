"""How often a job's batches begin: turned while the query runs, on queries of anybody's.

Where Spark does not allow that, and where a long wait for the next batch is under way, a query that penstock started is
started again between two batches.
"""

from dataclasses import dataclass, replace

from penstock.core.levers import Dial, Disturbs, Kind, Shows, Trigger
from penstock.engines.spark.jobs.query import BatchInterval
from penstock.engines.spark.levers.found import LeverTools
from penstock.engines.spark.levers.lever import Lever, can_restart
from penstock.engines.spark.levers.planned import PlannedRestarts, check_interval
from penstock.engines.spark.port import Spark
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.watch.track import Track

WAITED_OUT_S = 15.0  # a longer wait for the next batch is cut short by a restart


def lever(tools: LeverTools) -> Lever[Trigger]:
    """The triggers of all jobs."""
    return TriggerLever(tools.spark, tools.state, tools.planned)


@dataclass(frozen=True, slots=True)
class _StandingTrigger:
    """What was found of a run, which only a turn changes: to look is some calls of the JVM."""

    run_id: str
    interval: BatchInterval | None

    @property
    def in_stride(self) -> bool:
        """Whether it is turned while the query runs."""
        return self.interval is not None and self.interval.turns and self.interval.every_s <= WAITED_OUT_S


class TriggerLever(Lever[Trigger]):
    """The triggers of all jobs."""

    kind: Kind = "trigger"

    def __init__(self, spark: Spark, state: EngineState, planned: PlannedRestarts) -> None:
        self._spark = spark
        self._state = state
        self._planned = planned
        self._known: dict[str, _StandingTrigger] = {}

    def of_job(self, track: Track, wall_s: float) -> Dial | None:
        found = self._standing(track)
        if found is None or found.interval is None:
            return None
        every_s = found.interval.every_s
        if found.in_stride:
            return Dial("trigger", track.job.name, every_s, 0.0, shows=Shows.NEXT_BATCH)
        if not can_restart(track):
            return None
        return Dial("trigger", track.job.name, every_s, 0.0, disturbs=Disturbs.QUERY, shows=Shows.AFTER_RESTART)

    def turn(self, move: Trigger, wall_s: float) -> None:
        track = self._state.named(move.job)
        query, found = track.query, self._standing(track)
        if query is None or found is None or found.interval is None or not found.in_stride:
            self._planned.retrigger(move.job, move.after)
            return
        check_interval(move.job, move.after)
        self._known.pop(move.job, None)
        if found.interval.every_s != move.after:
            self._spark.retrigger(query, move.after)
            # It is started again, if ever, as it runs now.
            self._state.change(move.job, job=replace(track.job, trigger_s=move.after))

    def _standing(self, track: Track) -> _StandingTrigger | None:
        query = track.query
        if query is None or track.run_id is None or not track.runs or track.tasks:
            return None
        known = self._known.get(track.job.name)
        if known is None or known.run_id != track.run_id:
            known = _StandingTrigger(track.run_id, self._spark.interval(query))
            if any(
                batch.run_id == track.run_id for batch in track.batches
            ):  # one that only begins may come to allow it
                self._known[track.job.name] = known
        return known
