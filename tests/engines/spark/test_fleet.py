"""The fleet when the cluster gives fewer slots than the jobs have."""

from dataclasses import dataclass, field
from typing import cast

from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.deeds import DeedLog
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.routing.watch import RouteWatch
from penstock.engines.spark.shares import SlotLimits
from penstock.engines.spark.watch.events import Started, Terminated
from penstock.engines.spark.watch.fleet import Fleet
from penstock.errors import EngineError
from tests.engines.spark.helpers import quick


@dataclass
class Running:
    """A query that runs."""

    runId: str  # noqa: N815


def fleet(**threads: int) -> Fleet:
    made = Fleet([Job(name, limits=SlotLimits(min_slots=2 if name == "kept" else 1)) for name in threads], 60.0)
    for track in made:
        track.threads = threads[track.job.name]
    return made


def test_who_has_most_gives_first() -> None:
    found = fleet(a=6, b=3, c=1)
    assert found.fit(6) == {"a": (6, 3), "b": (3, 2)}
    assert {track.job.name: track.threads for track in found} == {"a": 3, "b": 2, "c": 1}


def test_nobody_goes_below_what_was_promised() -> None:
    found = fleet(kept=4, other=1)
    found.fit(1)
    assert {track.job.name: track.threads for track in found} == {"kept": 2, "other": 1}


def test_what_fits_is_left_alone() -> None:
    found = fleet(a=2, b=2)
    assert found.fit(4) == {}
    assert [track.threads for track in found] == [2, 2]


def at(second: int) -> str:
    """A timestamp as Spark writes it."""
    return f"1970-01-01T00:00:{second:02d}.000Z"


def test_the_query_that_ends_an_unfinished_batch_does_not_pass_for_the_one_that_was_started_after_it() -> None:
    found = fleet(a=1)
    track = found.named("a")
    track.begin("first", 1.0)
    # All of it happens in one deed of the engine, before any of Spark's events is looked at.
    found.running("a", cast(StreamingQuery, Running("third")), 20.0)
    ended = (Terminated("first", None), Started("between", "a", at(10)), Terminated("between", None))
    found.take((*ended, Started("third", "a", at(19))), 21.0)
    assert (track.run_id, track.runs, track.ended) == ("third", True, None)
    # One that somebody starts later is the job's query.
    found.take([Terminated("third", None), Started("fourth", "a", at(30))], 31.0)
    assert (track.run_id, track.runs) == ("fourth", True)


def test_the_next_start_is_due_by_a_clock_that_nobody_sets_and_downtime_is_told_by_the_walls() -> None:
    found = Fleet([Job("a", function=quick)], 60.0)
    track = found.named("a")
    found.running("a", cast(StreamingQuery, Running("first")), 4000.0, 10.0)
    found.take([Terminated("first", "boom")], wall_s=5000.0, even_s=50.0)
    # The clock on the wall is set back an hour.
    assert track.trouble(1400.0, 50.5) == "failed 1 times, next start in 0 s; boom"
    assert (track.attempts.due(50.9), track.attempts.due(51.0)) == (False, True)
    assert track.attempts.down_since_s == 5000.0


def test_a_query_whose_end_is_told_before_its_start_was_taken_up_waits_for_its_next_start() -> None:
    found = Fleet([Job("a", function=quick)], 60.0)
    found.take([Started("first", "a", at(1)), Terminated("first", "boom")], 2.0)
    found.running("a", cast(StreamingQuery, Running("first")), 3.0)
    assert found.named("a").trouble(3.0) == "failed 1 times, next start in 0 s; boom"


def test_slots_that_a_start_was_promised_are_nobody_elses() -> None:
    found = fleet(a=1, b=1)
    found.promise("a", 3)
    assert (found.kept_by_others("b"), found.kept_by_others("a")) == (3, 0)
    found.promise("a", 0)
    assert found.kept_by_others("b") == 0


@dataclass
class Places:
    """The places of a route's partitions, of which `astray` are not where they belong; None: nobody can say."""

    astray: int | None
    moves: list[bool] = field(default_factory=list)

    def see_places(self, query: StreamingQuery) -> None:
        self.moves.append(False)

    def keep_places(self, query: StreamingQuery, wall_s: float) -> int:
        self.moves.append(True)
        if self.astray is None:
            raise EngineError("the query has ended")
        return self.astray


def routed(**places: Places) -> Fleet:
    found = fleet(**dict.fromkeys(places, 1))
    for track in found:
        track.watch = cast(RouteWatch, places[track.job.name])
        track.run_id, track.query = "run", cast(StreamingQuery, object())
    return found


def test_looking_at_places_moves_nothing() -> None:
    places = Places(astray=2)
    routed(tags=places).see_places()
    assert places.moves == [False]


def test_partitions_that_were_sent_to_their_places_are_told_of() -> None:
    log = DeedLog()
    routed(here=Places(0), away=Places(2), gone=Places(None)).keep_places(10.0, log)
    sent, failed = log.told(0.0)
    assert (sent.job, sent.text, sent.error) == ("away", "2 state partitions sent to their executors", None)
    assert (failed.job, failed.error) == ("gone", "the query has ended")
