"""The lever of batch bounds: at run time where it goes, by a planned restart where not, again after a start."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from penstock.core.levers import BatchBound, Dial, Disturbs
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import Query as PortQuery
from penstock.engines.spark.levers.batch_bound import BatchBoundLever
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.track import Track
from penstock.errors import EngineError
from tests.engines.spark.one_track import with_batch


@dataclass(frozen=True)
class Query:
    """A query as the lever knows it."""

    runId: str  # noqa: N815


@dataclass
class Limits:
    """Bounds as Spark's sources hold them: by run, gone with it."""

    why_not: str | None = None
    rows: dict[str, int | None] = field(default_factory=dict)

    def refusal(self, query: Any) -> str | None:
        return self.why_not

    def holds_back(self, query: Any) -> bool:
        return True

    def now(self, query: Any) -> int | None:
        return self.rows.get(query.runId)

    def set(self, query: Any, rows: int | None) -> int:
        self.rows[query.runId] = rows
        return 7


@dataclass
class Restarts:
    """Notes which planned restarts are asked for."""

    asked: list[int | None] = field(default_factory=list)

    def rebound(self, job: str, rows: int | None) -> None:
        self.asked.append(rows)


@dataclass
class Bounded:
    """One job, adopted unless told otherwise, whose first run has committed a batch."""

    job: Job = field(default_factory=lambda: Job("a"))
    limits: Limits = field(default_factory=Limits)
    restarts: Restarts = field(default_factory=Restarts)

    def __post_init__(self) -> None:
        self.state = EngineState(TrackedFleet.of([self.job], keep_s=60.0))
        self.lever = BatchBoundLever(self.state, self.limits, self.restarts, lambda: 4)  # type: ignore[arg-type]
        self.run("first")

    def run(self, run_id: str) -> None:
        """Another run of its query, and its first batch."""
        track = replace(self.track.begun(run_id, 0.0), query=cast(PortQuery, Query(run_id)))
        batches = with_batch(track, Batch(run_id, 0, 0.0, 1.0, rows=10.0)).batches
        self.state.change("a", run_id=run_id, started_s=0.0, query=track.query, batches=batches)

    @property
    def track(self) -> Track:
        return self.state.named("a")

    def dial(self) -> Dial | None:
        return self.lever.of_job(self.track, 0.0)


def test_a_bound_is_turned_while_the_query_runs_and_told() -> None:
    bounded = Bounded()
    dial = bounded.dial()
    assert dial is not None
    assert (dial.now, dial.disturbs) == (None, Disturbs.NOTHING)
    bounded.lever.turn(BatchBound("a", None, 200), 0.0)
    turned = bounded.dial()
    assert turned is not None
    assert (turned.now, turned.asked) == (200, None)
    assert bounded.restarts.asked == []


def test_a_bound_is_set_again_on_a_query_that_was_started_since() -> None:
    bounded = Bounded()
    bounded.lever.turn(BatchBound("a", None, 200), 0.0)
    assert bounded.lever.keep(bounded.track) is None
    bounded.run("second")
    waiting = bounded.dial()
    assert waiting is not None
    assert (waiting.now, waiting.asked) == (None, 200)
    assert bounded.lever.keep(bounded.track) == "batches of at most 200 rows again"
    assert bounded.lever.keep(bounded.track) is None
    again = bounded.dial()
    assert again is not None
    assert (again.now, again.asked) == (200, None)


def test_what_cannot_be_bounded_at_run_time_is_started_again() -> None:
    ours = Bounded(Job("a", function=lambda spark: None), Limits("its source has no bound"))  # type: ignore[arg-type,return-value]
    dial = ours.dial()
    assert dial is not None
    assert dial.disturbs is Disturbs.QUERY
    ours.lever.turn(BatchBound("a", None, 200), 0.0)
    assert ours.restarts.asked == [200]
    assert Bounded(limits=Limits("its source has no bound")).dial() is None  # somebody else's: no way at all


def test_a_query_that_does_not_run_is_not_bounded() -> None:
    bounded = Bounded()
    bounded.state.change("a", ended="its query was stopped")
    assert bounded.dial() is None
    with pytest.raises(EngineError, match="only a running query"):
        bounded.lever.turn(BatchBound("a", None, 200), 0.0)
