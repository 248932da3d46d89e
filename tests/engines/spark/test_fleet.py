"""The fleet: what happens gives another one, what is to be done follows from it, and fewer slots are shared out."""

from dataclasses import dataclass
from functools import reduce
from typing import cast

from penstock.core.asked.slot_limits import SlotLimits
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.watch.events import Failed, Now, Running, Started, Stimulus, Terminated
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.instructions import ForgetTasks, GiveTasks, KeepBound, Start, todo
from penstock.engines.spark.watch.take import taken
from penstock.engines.spark.watch.track import AwaitedTasks
from tests.engines.spark.helpers import quick


@dataclass
class Found:
    """A query that runs."""

    runId: str  # noqa: N815


def fleet(**threads: int) -> EngineState:
    jobs = [Job(name, limits=SlotLimits(min_slots=2 if name == "kept" else 1)) for name in threads]
    made = EngineState(TrackedFleet.of(jobs, 60.0))
    for name, count in threads.items():
        made.change(name, threads=count)
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


def query(run_id: str) -> Query:
    return cast(Query, Found(run_id))


def after(found: TrackedFleet, wall_s: float, *stimuli: Stimulus) -> TrackedFleet:
    return reduce(lambda fleet, stimulus: taken(stimulus, fleet, Now(wall_s, wall_s)), stimuli, found)


def test_the_query_that_ends_an_unfinished_batch_does_not_pass_for_the_one_that_was_started_after_it() -> None:
    first = TrackedFleet.of([Job("a")], 60.0).changed("a", run_id="first", started_s=1.0)
    # All of it happens in one deed of the engine, before any of Spark's events is looked at.
    ended = (Terminated("first", None), Started("between", "a", at(10)), Terminated("between", None))
    third = after(after(first, 20.0, Running("a", query("third"))), 21.0, *ended, Started("third", "a", at(19)))
    track = third.named("a")
    assert (track.run_id, track.runs, track.ended) == ("third", True, None)
    # One that somebody starts later is the job's query.
    track = after(third, 31.0, Terminated("third", None), Started("fourth", "a", at(30))).named("a")
    assert (track.run_id, track.runs) == ("fourth", True)


def test_an_end_that_was_found_out_before_spark_told_of_it_is_one_failure() -> None:
    running = taken(Running("a", query("first")), TrackedFleet.of([Job("a", function=quick)], 60.0), Now(40.0, 10.0))
    once = after(running, 50.0, Terminated("first", "boom"))
    assert after(once, 51.0, Terminated("first", "boom")) == once


def test_the_next_start_is_due_by_a_clock_that_nobody_sets_and_downtime_is_told_by_the_walls() -> None:
    found = taken(Running("a", query("first")), TrackedFleet.of([Job("a", function=quick)], 60.0), Now(4000.0, 10.0))
    track = taken(Terminated("first", "boom"), found, Now(wall_s=5000.0, even_s=50.0)).named("a")
    # The clock on the wall is set back an hour.
    wrong = track.trouble(1400.0, 50.5)
    assert wrong is not None
    assert wrong.text.startswith("not running: boom; tried once, next in 0 s")
    assert (track.attempts.due(50.9), track.attempts.due(51.0)) == (False, True)
    assert track.attempts.down_since_s == 5000.0


def test_what_a_person_is_to_do_is_told_with_an_error_of_sparks_that_does_not_tell_it() -> None:
    refused = "[STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY] The checkpoint location /c/state should be empty on batch 0"
    found = taken(Running("a", query("first")), TrackedFleet.of([Job("a", function=quick)], 60.0), Now(4000.0, 10.0))
    wrong = taken(Terminated("first", refused), found, Now(4010.0, 20.0)).named("a").trouble(4010.0, 20.0)
    assert wrong is not None
    assert "/c/state should be empty on batch 0; state of an earlier query is there" in wrong.text
    assert "remove that folder" in wrong.text


def test_a_query_whose_end_is_told_before_its_start_was_taken_up_waits_for_its_next_start() -> None:
    died = after(
        TrackedFleet.of([Job("a", function=quick)], 60.0),
        2.0,
        Started("first", "a", at(1)),
        Terminated("first", "boom"),
    )
    track = after(died, 3.0, Running("a", query("first"))).named("a")
    wrong = track.trouble(3.0)
    assert wrong is not None
    assert wrong.text.startswith("not running: boom; tried once, next in 0 s")


def test_what_happens_gives_another_fleet_and_leaves_the_one_before_as_it_was() -> None:
    before = TrackedFleet.of([Job("a")], 60.0)
    after(before, 2.0, Started("first", "a", at(1)))
    assert before == TrackedFleet.of([Job("a")], 60.0)


def test_between_rounds_what_died_is_started_when_it_is_due_and_bounds_are_kept() -> None:
    died = after(TrackedFleet.of([Job("a", function=quick), Job("b")], 60.0), 1.0, Failed("a", "boom"))
    bounds = [KeepBound("a"), KeepBound("b")]
    assert todo(died, Now(0.0, 1.9)) == tuple(bounds)
    assert todo(died, Now(0.0, 2.0)) == (Start("a"), *bounds)
    assert todo(died.changed("a", starting_s=0.5), Now(0.0, 2.0)) == tuple(bounds)


def test_awaited_tasks_are_given_at_a_batchs_end_late_where_it_does_not_end_and_forgotten_with_the_query() -> None:
    awaited = AwaitedTasks(Job("a"), 3, (), after_batch=7, ends_s=100.0)
    runs = after(TrackedFleet.of([Job("a")], 60.0), 1.0, Running("a", query("first"))).changed("a", awaited=awaited)
    first = [todo(runs, Now(0.0, even_s))[0] for even_s in (98.9, 99.0, 130.1)]
    assert first == [KeepBound("a"), GiveTasks("a", late=False), GiveTasks("a", late=True)]
    assert todo(after(runs, 5.0, Terminated("first", None)), Now(0.0, 99.0))[0] == ForgetTasks("a")


def test_slots_that_a_start_was_promised_are_nobody_elses() -> None:
    found = fleet(a=1, b=1)
    found.promise("a", 3)
    assert (found.fleet.kept_by_others("b"), found.fleet.kept_by_others("a")) == (3, 0)
    found.promise("a", 0)
    assert found.fleet.kept_by_others("b") == 0
