"""What is told of the batches that ended: their stages' work, on the snapshot's clock."""

from dataclasses import replace

from penstock.core.seen.batches import TOLD, BatchFigures
from penstock.engines.spark.watch.ended_batches import ended_batches
from penstock.engines.spark.watch.progress import ArrivalSketch, Batch
from penstock.engines.spark.watch.stage_figures import Busy, StageHistory
from penstock.engines.spark.watch.stages import StageReading, _reading, chosen
from tests.engines.spark.a_stage import STAGE


def batch(number: int = 3, committed_s: float = 101.5, run_id: str = "run") -> Batch:
    return Batch(run_id, number, committed_s - 1.5, committed_s, rows=100.0, held_back_rows=40.0)


def told(*readings: StageReading, batches: tuple[Batch, ...] = (batch(),), wall_s: float = 103.0) -> list[BatchFigures]:
    """What is told at 103 s since the epoch, which is 13 s of the snapshot's clock."""
    history = StageHistory()
    for reading in readings:
        history = history.and_also(reading, wall_s)
    return list(ended_batches(batches, history, wall_s, wall_s - 90.0, python_share=0.5))


def test_a_batch_is_told_with_the_work_of_all_its_stages() -> None:
    second = replace(STAGE, stage_id=8, tasks=2, busy_s=0.5, cpu_s=0.25, submitted_s=101.0, completed_s=101.25)
    (found,) = told(STAGE, second)
    assert (found.number, found.ended_s, found.took_s, found.rows, found.left_rows) == (3, 11.5, 1.5, 100.0, 40.0)
    assert (found.stages, found.tasks, found.busy_s, found.cpu_s) == (2, 6, 2.5, 1.75)
    assert found.staged_s is not None
    assert found.aside_s is not None
    assert round(found.staged_s, 6) == 0.95  # 0.7 and 0.25
    assert round(found.aside_s, 6) == 0.55  # of 1.5


def test_stages_that_run_beside_each_other_take_their_time_once() -> None:
    (found,) = told(STAGE, replace(STAGE, stage_id=8, submitted_s=100.5, completed_s=101.0))
    assert round(found.staged_s or 0.0, 6) == 0.8  # from 100.2 to 101.0


def test_when_the_clock_is_set_back_the_window_begins_anew() -> None:
    history = StageHistory().opened(5000.0)
    for at_s in (5005.0, 1404.0):
        history = history.and_also(STAGE, at_s)
    assert history.busy(1350.0, 1410.0) == Busy(span_s=6.0, busy_s=2.0, cpu_s=1.5)


def test_a_stage_that_was_read_twice_counts_once_with_all_its_work() -> None:
    (found,) = told(replace(STAGE, complete=False, completed_s=None), replace(STAGE, busy_s=1.0, cpu_s=0.5))
    assert (found.stages, found.tasks, found.busy_s, found.cpu_s) == (1, 4, 3.0, 2.0)
    assert round(found.staged_s or 0.0, 6) == 0.7


def test_what_a_stage_did_that_has_not_told_its_end_is_known_but_not_for_how_long() -> None:
    (found,) = told(replace(STAGE, complete=False, completed_s=None))
    assert (found.busy_s, found.staged_s, found.aside_s) == (2.0, None, None)


def test_of_a_batch_whose_stages_were_not_all_read_only_times_and_rows_are_told() -> None:
    for readings in ((), (replace(STAGE, cut=True), replace(STAGE, stage_id=8))):
        (found,) = told(*readings)
        assert (found.took_s, found.rows, found.stages, found.busy_s) == (1.5, 100.0, None, None)


def test_a_stage_that_stands_for_others_counts_once_for_its_own_batch() -> None:
    (found,) = told(replace(STAGE, counts_for=4.0))
    assert (found.stages, found.busy_s) == (1, 2.0)


def test_of_many_stages_the_last_are_read_and_only_the_first_of_these_may_lack_others_of_its_batch() -> None:
    found = chosen(range(1_000, 1_240))
    assert list(found) == list(range(1_180, 1_240))
    assert {one.counts_for for one in found.values()} == {4.0}
    assert [number for number, one in found.items() if one.cut] == [1_180]
    assert chosen(range(5, 5)) == {}


def test_only_batches_of_the_present_run_are_told_once_their_stages_can_be_known_and_not_too_many() -> None:
    assert told(wall_s=101.9) == []  # 0.4 s after its commit
    earlier = batch(2, 90.0, run_id="run before")
    assert [found.number for found in told(batches=(earlier, batch()))] == [3]
    many = tuple(batch(number, 60.0 + number) for number in range(30))
    assert [found.number for found in told(batches=many)] == list(range(30 - TOLD, 30))


def test_a_stages_times_are_read_as_spark_writes_them() -> None:
    document = {
        "stageId": 1,
        "numTasks": 1,
        "numActiveTasks": 1,
        "schedulingPool": "ads",
        "executorRunTime": 0,
        "executorCpuTime": 0,
        "inputRecords": 0,
        "outputRecords": 0,
        "shuffleReadRecords": 0,
        "shuffleWriteRecords": 0,
        "shuffleLocalBytesRead": 0,
        "shuffleRemoteBytesRead": 0,
        "status": "ACTIVE",
        "submissionTime": "1970-01-01T00:01:40.250GMT",
    }
    found = _reading(document, "run", 0)
    assert (found.submitted_s, found.completed_s, found.running) == (100.25, None, 1)


def test_rows_that_tell_when_they_came_say_how_long_they_had_waited() -> None:
    (found,) = told(batches=(replace(batch(), arrivals=ArrivalSketch(b"", 97_500.0, 100)),))
    assert found.waited_s == 2.5  # it began at 100 s
    (silent,) = told()
    assert silent.waited_s is None
