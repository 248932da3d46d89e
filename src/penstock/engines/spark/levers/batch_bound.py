"""A batch's bound: the most rows that one batch of a job takes in.

It is turned while the query runs, on queries of anybody's; where Spark or the query does not allow that, by a planned
restart of a query that penstock started. A start brings back what the query's options say: the bound is set again.
"""

from collections.abc import Callable
from dataclasses import dataclass

from penstock.core.levers import BatchBound, Dial, Disturbs, Kind, Shows
from penstock.engines.first_batches import FirstBatches, SmallBatch
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.levers.lever import Lever, with_sources
from penstock.engines.spark.levers.planned import PlannedRestarts
from penstock.engines.spark.port import RunningBounds
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.watch.track import Track
from penstock.errors import EngineError


@dataclass(frozen=True, slots=True)
class _StandingBound:
    """What was found of a run, which only a turn changes: to look is a dozen calls of the JVM."""

    run_id: str
    refusal: str | None
    now: int | None
    holds_back: bool


class BatchBoundLever(Lever[BatchBound]):
    """The bounds of all jobs."""

    kind: Kind = "bound"

    def __init__(
        self,
        state: EngineState,
        bounds: RunningBounds,
        planned: PlannedRestarts,
        slots: Callable[[], int],
        clocks: Clocks = Clocks(),
    ) -> None:
        self._state = state
        self._bounds = bounds
        self._planned = planned
        self._slots = slots
        self._clocks = clocks
        self._known: dict[str, _StandingBound] = {}
        self._began_small: dict[str, str] = {}  # by job, the run: no option bounds its batches
        # By job: in which run it was set last, and to what. What an earlier life left was set in none of ours.
        self._wanted: dict[str, tuple[str, int | None]] = {
            track.job.name: ("", track.job.bound) for track in state if track.job.bound is not None
        }

    def of_job(self, track: Track, wall_s: float) -> Dial | None:
        found = self._standing(track)
        if found is None:
            return None
        run_id, wanted = self._wanted.get(track.job.name, (found.run_id, found.now))
        asked = wanted if run_id != found.run_id else None
        if found.refusal is None:
            if track.begins:  # what it comes to unless it is turned, which is what a policy has to judge
                return Dial("bound", track.job.name, None, 1, shows=Shows.NEXT_BATCH)
            by_people = not found.holds_back
            return Dial("bound", track.job.name, found.now, 1, asked=asked, shows=Shows.NEXT_BATCH, by_people=by_people)
        if track.job.function is None:
            return None
        now = track.job.max_rows_per_batch
        return Dial("bound", track.job.name, now, 1, disturbs=Disturbs.QUERY, shows=Shows.AFTER_RESTART)

    def turn(self, move: BatchBound, wall_s: float) -> None:
        track = self._state.named(move.job)
        query = track.query
        if track.tasks:
            raise EngineError(f"{move.job} runs in real-time mode, where a batch has no bound")
        if query is None or not track.runs:
            raise EngineError(f"{move.job}: only a running query's batches are bounded")
        if self._bounds.refusal(query) is not None:
            self._planned.rebound(move.job, move.after)
            return
        before = self.wanted(move.job)
        if move.after is None and before is not None and self._began_small.get(move.job) == query.runId:
            # Else its next batch would take all that waited beyond the bound.
            number = self._bounds.set(query, before)
            self._settled(track, query, None)
            small = SmallBatch(before, number)
            first = FirstBatches.of(query.runId, small, self._clocks.even(), max(1, self._slots()))
            self._state.change(move.job, first=first)
            return
        self._bounds.set(query, move.after)
        self._settled(track, query, move.after)

    def wanted(self, job: str) -> int | None:
        """What it was set to while its query ran; None: to nothing, or to what its options say."""
        return self._wanted.get(job, ("", None))[1]

    def keep(self, track: Track) -> str | None:
        """Set the bound again on a query that was started since; what was done, in words, or None."""
        run_id, rows = self._wanted.get(track.job.name, (None, None))
        query = track.query
        if run_id is None or query is None or not track.runs or track.tasks or run_id == track.run_id:
            return None
        if rows is None and track.begins:
            return None  # a bound that an earlier run gave back is no reason for this one to take all at once
        if self._bounds.refusal(query) is not None:
            return None  # its sources are not there before its first batch
        self._bounds.set(query, rows)
        self._settled(track, query, rows)
        return f"batches of at most {rows:,} rows again" if rows is not None else "batches as its options say again"

    def begin(self, query: Query, rows: int, files: int) -> SmallBatch | None:
        """On the query's own thread, before its first batch: within the bound that was set, else as small as that.

        None where no small first batch came of it.
        """
        name = query.name or ""
        wanted = self.wanted(name)
        if wanted is not None:
            self._bounds.begin(query, wanted)
            return None
        small = self._bounds.begin_small(query, rows, files)
        if small is not None:
            self._began_small[name] = query.runId
        return small

    def loosen(self, track: Track, rows: int | None) -> int:
        """The next of its first batches may hold so many; the number of the first that obeys for sure."""
        if track.query is None:
            raise EngineError(f"{track.job.name}: only a running query's batches are bounded")
        self._known.pop(track.job.name, None)
        return self._bounds.set(track.query, rows)

    def _settled(self, track: Track, query: Query, rows: int | None) -> None:
        self._state.change(track.job.name, first=None)
        self._wanted[track.job.name] = (query.runId, rows)
        self._known.pop(track.job.name, None)

    def _standing(self, track: Track) -> _StandingBound | None:
        found = with_sources(track)
        if found is None:
            return None
        query, run_id = found
        known = self._known.get(track.job.name)
        if known is None or known.run_id != run_id:
            refusal = self._bounds.refusal(query)
            now = self._bounds.now(query) if refusal is None else None
            holds_back = refusal is None and self._bounds.holds_back(query)
            known = self._known[track.job.name] = _StandingBound(run_id, refusal, now, holds_back)
        return known
