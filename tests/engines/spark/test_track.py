"""What a track learns of failures and of checkpoints from batches and attempts."""

from dataclasses import replace

import numpy as np
import pytest
from datasketches import kll_doubles_sketch

from penstock.core.asked.real_time import RealTime
from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.trouble import Trouble, TroubleId, TroubleKind
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.modes import LongLived
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.track import Track, Yardstick
from tests.engines.spark.a_stage import STAGE
from tests.engines.spark.helpers import quick
from tests.engines.spark.one_track import with_batch


def running(*batches: Batch) -> Track:
    """A track of a query that has committed these batches."""
    track = Track(Job("fraud"), threads=2).begun("first", 0.0)
    for batch in batches:
        track = with_batch(track, batch)
    return track


def batch(number: int, committed_s: float, run_id: str = "first") -> Batch:
    return Batch(run_id, number, committed_s - 0.5, committed_s, rows=100.0)


def figures_at(track: Track, wall_s: float) -> tuple[float | None, float | None]:
    found = track.figures(Yardstick(share_slots=2.0, threads=2, slots=4, window_s=60.0, wall_s=wall_s))
    return found.downtime_s, found.checkpoint_s


def test_every_commit_is_a_checkpoint_and_what_is_told_is_the_mean_between_them() -> None:
    assert figures_at(running(batch(0, 1.0)), 2.0) == (None, None)
    track = running(batch(0, 1.0), batch(1, 2.0), batch(2, 5.0))
    assert figures_at(track, 5.5) == (None, 2.0)  # 4 s between three commits


def test_downtime_is_from_the_failure_until_the_query_that_was_started_again_works_on_rows() -> None:
    track = running(batch(0, 1.0), batch(1, 2.0))
    policy = RestartPolicy()
    died = track.attempts.failed("executor lost", 3.0, policy).failed("no room yet", 6.0, policy)
    track = replace(track, attempts=died)
    assert figures_at(track, 7.0) == (None, None)
    track = replace(track, attempts=died.started(8.0)).begun("second", 8.0)
    track = with_batch(track, batch(2, 12.0, "second"))
    assert figures_at(track, 12.5) == (None, None)  # one commit of this run tells no pace and no interval yet
    for number in (3, 4):
        track = with_batch(track, batch(number, 10.0 + number, "second"))
    assert figures_at(track, 15.0) == (8.5, 1.0)  # 12 - 3, less the 0.5 s that a batch of 100 rows takes


def test_a_start_that_takes_long_is_told_of() -> None:
    track = Track(Job("fraud", function=quick), threads=2)
    at_once, wrong, after = (replace(track, starting_s=took_s).trouble(100.0) for took_s in (5.0, 60.0, None))
    assert (at_once, after) == (None, None)
    slow = "its start has taken 60 s so far: its function has not returned"
    assert wrong == Trouble(TroubleId(TroubleKind.SLOW_START), slow)
    theirs = replace(track, starting_s=20.0, start_awaits="its checkpoint is that of another driver").trouble(100.0)
    said = "its start has taken 20 s so far: its checkpoint is that of another driver"
    assert theirs == Trouble(TroubleId(TroubleKind.SLOW_START), said)


def test_when_the_clock_is_set_back_figures_begin_anew() -> None:
    track = running(batch(0, 5001.0), batch(1, 5003.0), batch(2, 1404.0), batch(3, 1406.0))
    assert figures_at(track, 1407.0) == (None, 2.0)
    assert [found.batch_id for found in track.batches] == [2, 3]


def test_of_a_query_that_is_gone_nobody_knows_how_busy_it_would_be() -> None:
    track = running(batch(0, 1.0))
    track = replace(track, stages=track.stages.opened(0.0))
    standing = Yardstick(share_slots=2.0, threads=2, slots=4, window_s=60.0, wall_s=10.0)
    (operator,) = track.figures(standing).operators
    assert (operator.capacity, operator.cpu_share) == (0.0, 0.0)
    track = replace(track, attempts=track.attempts.failed("executor lost", 9.0, RestartPolicy()))
    (operator,) = track.figures(standing).operators
    assert (operator.capacity, operator.busy_share, operator.cpu_share) == (None, None, None)


@pytest.mark.parametrize(
    ("ended", "runs", "capacity"), [(False, 0, 0.1), (False, 1, 0.5), (False, 2, 1.0), (False, 9, 1.0), (True, 2, 0.1)]
)
def test_how_busy_a_first_batch_is_is_told_by_the_tasks_that_run(ended: bool, runs: int, capacity: float) -> None:
    track = running(batch(0, 9.5)) if ended else running()
    read = replace(STAGE, busy_s=2.0, complete=False, running=runs)
    track = replace(track, stages=track.stages.opened(0.0).and_also(read, 9.0, "map"))
    standing = Yardstick(share_slots=2.0, threads=2, slots=4, window_s=60.0, wall_s=10.0)
    (operator,) = track.figures(standing).operators
    assert operator.capacity == capacity  # tasks that have ended took 2 s, of 2 slots over 10 s


def test_a_stage_that_has_ended_runs_no_task_any_more() -> None:
    track = running()
    begun = track.stages.opened(0.0).and_also(replace(STAGE, complete=False, running=2), 9.0, "map")
    assert (begun.running, begun.and_also(STAGE, 10.0).running) == (2, 0)


def test_cores_are_counted_on_slots_of_others_too() -> None:
    track = running(batch(0, 1.0))
    track = replace(track, stages=track.stages.opened(0.0))
    read = replace(STAGE, busy_s=50.0, cpu_s=30.0)
    track = replace(track, stages=track.stages.and_also(read, 5.0, "map"))
    standing = Yardstick(share_slots=2.0, threads=2, slots=8, window_s=60.0, wall_s=10.0)
    (operator,) = track.figures(standing).operators
    # 50 s in slots over 10 s of 2 slots, 30 s of it on cores: the share of time ends at all of it, the cores do not.
    assert (operator.capacity, operator.cpu_share, operator.cores) == (2.5, 1.0, 3.0)


def test_an_intent_for_a_query_that_is_not_there_is_said_once_it_has_had_time_to_start() -> None:
    track = Track(Job("fraud"), threads=2, awaited_since_s=100.0)
    wrong = Trouble(TroubleId(TroubleKind.ABSENT), "no query named 'fraud' runs")
    assert (track.trouble(110.0), track.trouble(131.0)) == (None, wrong)


def test_a_query_that_the_engine_itself_starts_is_on_its_way() -> None:
    track = Track(Job("fraud", function=quick), threads=2, awaited_since_s=100.0)
    assert track.trouble(500.0) is None


def test_nothing_arrives_for_a_query_that_has_been_idle_since_its_start() -> None:
    def arriving(track: Track) -> tuple[float | None, float | None]:
        found = track.figures(Yardstick(share_slots=2.0, threads=2, slots=4, window_s=60.0, wall_s=10.0))
        return found.arrival_rps, found.backlog_rows

    begun = running()
    assert arriving(begun) == (None, None)  # its first batch may be under way
    assert arriving(replace(begun, idle_since_s=5.0)) == (0.0, 0.0)
    gone = replace(begun, idle_since_s=5.0, attempts=begun.attempts.failed("executor lost", 9.0, RestartPolicy()))
    assert arriving(gone) == (None, None)


def working(track: Track, wall_s: float) -> float | None:
    return track.figures(Yardstick(share_slots=2.0, threads=2, slots=4, window_s=60.0, wall_s=wall_s)).working_rps


def test_what_a_job_does_while_it_works_is_of_its_finished_batches_however_long_it_stands_between_them() -> None:
    track = running(batch(0, 1.0), batch(1, 11.0))
    assert working(track, 12.0) == 200.0  # 100 rows in half a second
    assert working(track, 40.0) == 200.0  # a batch that has hung since then has not made it slower
    assert working(track, 80.0) is None  # but in the last minute it has shown nothing


def test_a_run_that_has_not_committed_a_batch_yet_has_shown_nothing() -> None:
    assert working(running(batch(0, 1.0, "first"), Batch("second", 1, 1.0, 2.0, rows=0.0)), 3.0) is None


def long_lived(lags_ms: list[float], limits: SlotLimits, shuffles: int) -> Track:
    """A real-time job whose last batch found rows that had waited so long."""
    sketch = kll_doubles_sketch(200)
    sketch.update(np.array(lags_ms))
    track = Track(Job("alerts", limits=limits, real_time=RealTime(15.0)), threads=3)
    tasks = (LongLived("source", 2, is_source=True), *(LongLived(f"stage_{n}", 1) for n in range(shuffles)))
    waited = Batch("first", 0, 0.0, 15.0, rows=3.0, lags=(sketch.serialize(),))
    return with_batch(replace(track, tasks=tasks).begun("first", 0.0), waited)


@pytest.mark.parametrize(
    ("lags_ms", "limits", "shuffles", "capacity", "most"),
    [
        ([5.0, 8.0, 900.0], SlotLimits(), 1, None, 5),  # one row was unlucky; of seven slots the source keeps two
        ([700.0, 800.0, 900.0], SlotLimits(), 1, 1.0, 5),
        ([700.0, 800.0, 900.0], SlotLimits(1, 4), 1, 1.0, 2),
        ([700.0, 800.0, 900.0], SlotLimits(), 2, 1.0, 2),  # both have the same number
        ([700.0, 800.0, 900.0], SlotLimits(1, 2), 1, 1.0, 1),  # what it has it keeps
    ],
)
def test_rows_that_wait_at_a_real_time_source_say_that_its_tasks_are_busy(
    lags_ms: list[float], limits: SlotLimits, shuffles: int, capacity: float | None, most: int
) -> None:
    track = long_lived(lags_ms, limits, shuffles)
    source, *others = track.figures(
        Yardstick(share_slots=3.0, threads=2, slots=7, window_s=60.0, wall_s=16.0)
    ).operators
    assert (source.capacity, source.min_threads, source.max_threads) == (capacity, 2, 2)
    assert {(unit.capacity, unit.max_threads) for unit in others} == {(capacity, most)}


def test_a_real_time_job_that_was_started_again_settles_with_its_second_batch() -> None:
    track = replace(long_lived([5.0], SlotLimits(), 1).begun("second", 20.0), settling=True)
    settled = []
    for number, run_id, committed_s in ((1, "first", 40.0), (2, "second", 50.0), (3, "second", 60.0)):
        track = with_batch(track, Batch(run_id, number, committed_s - 10.0, committed_s, rows=3.0))
        standing = Yardstick(share_slots=3.0, threads=2, slots=7, window_s=60.0, wall_s=committed_s + 1.0)
        settled.append(not track.figures(standing).settling)
    assert settled == [False, False, True]


def test_a_failure_is_told_with_its_instant_and_while_it_lasts_the_one_before_tells_no_downtime() -> None:
    policy, track = RestartPolicy(), running(batch(0, 1.0), batch(1, 2.0))
    track = replace(track, attempts=replace(track.attempts.failed("gone", 3.0, policy), downtime_s=9.0))
    standing = Yardstick(share_slots=2.0, threads=2, slots=4, window_s=60.0, wall_s=1007.0, at_s=107.0)
    down = track.figures(replace(standing, wall_s=7.0))
    assert (down.failed_at_s, down.downtime_s, down.lost) == (103.0, None, FailureKind.QUERY)  # 4 s ago
    for number, committed_s in ((2, 12.0), (3, 13.0)):
        started = replace(track, attempts=track.attempts.started(8.0)).begun("second", 8.0)
        track = with_batch(started if number == 2 else track, batch(number, committed_s, "second"))
    over = track.figures(replace(standing, wall_s=14.0))
    assert (over.failed_at_s, over.downtime_s, over.lost) == (96.0, 8.5, FailureKind.QUERY)
