"""Where a batch ran: told once it is written down as a whole, and by nobody else's jobs."""

from dataclasses import dataclass, field

from penstock.engines.spark.routing.batch_places import BatchAccount, RanJob, RanStage
from penstock.engines.spark.routing.pins import RanTask
from penstock.engines.spark.watch.stages import StageReading


def a_job(stage: int, batch: int, complete: bool = True) -> RanJob:
    """It has one stage, which runs until it is complete."""
    reading = StageReading(stage, "run", batch, "tags", 2, 1.0, 0.5, 10, 10, 0, 0, complete)
    return RanJob([RanStage(reading, 0)], not complete)


@dataclass
class Written:
    """What Spark has written down so far: jobs by number, executors of tasks by stage."""

    jobs: dict[int, RanJob] = field(default_factory=dict)
    homes: dict[int, str] = field(default_factory=dict)

    def job(self, number: int) -> RanJob:
        return self.jobs[number]

    def tasks(self, stage: RanStage) -> list[RanTask] | None:
        homes = self.homes.get(stage.reading.stage_id)
        return None if homes is None else [RanTask(partition, home) for partition, home in enumerate(homes)]


def ran(account: BatchAccount, written: Written, batch: int) -> str | None:
    """The executors of the batch's tasks, stage by stage."""
    found = account.ran("query", list(written.jobs), batch)
    return None if found is None else "".join(task.executor for task in found)


def test_tasks_that_are_written_down_after_their_stage_are_told_when_they_are() -> None:
    written = Written({0: a_job(0, 0)})
    account = BatchAccount(written)
    assert ran(account, written, 0) is None
    written.homes[0] = "ab"
    assert ran(account, written, 0) == "ab"


def test_all_jobs_of_a_batch_are_told_though_one_of_them_ran_when_it_was_asked() -> None:
    written = Written({0: a_job(0, 0), 1: a_job(1, 0, complete=False)}, {0: "ab", 1: "ba"})
    account = BatchAccount(written)
    assert ran(account, written, 0) is None
    written.jobs[1] = a_job(1, 0)
    assert ran(account, written, 0) == "abba"


def test_a_batch_is_told_while_the_next_one_runs_and_that_one_after_it() -> None:
    written = Written({0: a_job(0, 0), 1: a_job(1, 1, complete=False)}, {0: "ab", 1: "ba"})
    account = BatchAccount(written)
    assert ran(account, written, 0) == "ab"
    assert ran(account, written, 1) is None
    written.jobs[1] = a_job(1, 1)
    assert ran(account, written, 1) == "ba"


def test_a_job_that_says_nothing_yet_may_be_of_the_batch_until_its_tasks_are_found() -> None:
    written = Written({0: RanJob((), runs=True)})
    assert ran(BatchAccount(written), written, 0) is None
    written = Written({0: a_job(0, 0), 1: RanJob((), runs=True)}, {0: "ab"})
    assert ran(BatchAccount(written), written, 0) == "ab"


def test_the_tasks_of_batches_that_nobody_asked_for_are_left_out() -> None:
    written = Written({0: a_job(0, 0), 1: a_job(1, 1)}, {0: "ab", 1: "ba"})
    assert ran(BatchAccount(written), written, 1) == "ba"
