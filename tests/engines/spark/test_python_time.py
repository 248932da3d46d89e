"""How much of the time that tasks wait for Python workers is work, by what the kernel tells of all workers together."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from penstock.core.seen.figures import ALL_OPERATORS, JobFigures
from penstock.engines.spark.fake import FakeSpark, FakeWriter, fake_job
from penstock.engines.spark.watch.python_time import PythonWait, PythonWatch, WorkersSample, python_shares, runs_python
from penstock.engines.spark.watch.stage_figures import StageHistory
from tests.engines.spark.a_stage import STAGE
from tests.engines.spark.helpers import of
from tests.engines.spark.rigs import Opened, fake_rig

PYTHON = FakeWriter(stages=(("ArrowEvalPython", 2),))


def every_second(waits: Mapping[str, str], seconds: int = 60) -> list[PythonWait]:
    """Stages of a second; a job waits as long as its digits say, one a second, over and over."""
    return [
        PythonWait(job, float(at), at + 1.0, float(digits[at % len(digits)]))
        for job, digits in waits.items()
        for at in range(seconds)
    ]


def used(waits: list[PythonWait], parts: Mapping[str, float], seconds: int = 60) -> list[WorkersSample]:
    """What is to be seen of the workers each second, where each job's had a core for that part of its waits."""
    worked = [sum(parts[one.job] * one.waited_s for one in waits if one.from_s == at) for at in range(seconds)]
    return [WorkersSample(float(at), 5.0 + sum(worked[:at])) for at in range(seconds + 1)]


@pytest.mark.parametrize(
    ("waits", "parts"),
    [
        ({"burns": "2"}, {"burns": 0.9}),
        ({"sleeps": "3"}, {"sleeps": 0.02}),
        ({"burns": "20", "sleeps": "3"}, {"burns": 0.95, "sleeps": 0.0}),  # one pauses every other second
        ({"burns": "220", "half": "0120", "sleeps": "2"}, {"burns": 1.0, "half": 0.5, "sleeps": 0.0}),
    ],
)
def test_whose_work_it_was_is_told_by_when_each_waited(waits: Mapping[str, str], parts: Mapping[str, float]) -> None:
    stages = every_second(waits)
    assert python_shares(stages, used(stages, parts)) == pytest.approx(parts, abs=0.05)


def test_jobs_that_always_wait_together_are_taken_to_be_alike() -> None:
    stages = every_second({"burns": "1", "sleeps": "1"})
    found = python_shares(stages, used(stages, {"burns": 1.0, "sleeps": 0.0}))
    assert found == pytest.approx({"burns": 0.5, "sleeps": 0.5}, abs=0.01)


def test_workers_that_use_more_cores_than_they_are_waited_for_count_as_one_core() -> None:
    stages = every_second({"numpy": "1"})
    assert python_shares(stages, used(stages, {"numpy": 3.0})) == {"numpy": 1.0}


def test_what_workers_used_as_they_started_is_forgotten() -> None:
    stages = every_second({"sleeps": "1"}, seconds=180)
    started = [WorkersSample(float(at), 1.0 + min(at, 10)) for at in range(181)]  # they work for their first 10 s
    assert python_shares(stages[:10], started[:11]) == {"sleeps": 1.0}
    assert python_shares(stages, started)["sleeps"] < 0.02


def test_a_stage_that_took_long_counts_over_its_whole_span() -> None:
    stage = PythonWait("long", 0.0, 20.0, 40.0)  # 2 s each second, of which its workers had a core for half
    assert python_shares([stage], [WorkersSample(float(at), 1.0 + at) for at in range(21)]) == {"long": 0.5}


def test_of_the_time_since_a_stage_began_that_runs_still_nothing_is_said() -> None:
    ended, runs = PythonWait("burns", 0.0, 10.0, 10.0), PythonWait("burns", 10.0, None, 0.0)
    samples = [WorkersSample(0.0, 1.0), WorkersSample(10.0, 10.0), WorkersSample(20.0, 50.0)]
    assert python_shares([ended, runs], samples) == {"burns": 0.9}
    assert python_shares([replace(runs, from_s=5.0)], samples) == {}


@pytest.mark.parametrize(
    ("waited_s", "samples"),
    [
        (10.0, []),  # nobody looked
        (10.0, [WorkersSample(0.0, 3.0)]),  # once
        (10.0, [WorkersSample(0.0, 0.0), WorkersSample(10.0, 0.0)]),  # they are where nobody sees them
        (0.1, [WorkersSample(0.0, 3.0), WorkersSample(10.0, 4.0)]),  # too little was waited to tell
    ],
)
def test_where_nothing_was_measured_nothing_is_said(waited_s: float, samples: list[WorkersSample]) -> None:
    assert python_shares([PythonWait("job", 0.0, 10.0, waited_s)], samples) == {}


def test_what_was_seen_is_forgotten_after_minutes_or_when_the_clock_is_set_back_or_nobody_can_see_any_more() -> None:
    for forgets in ((400.0, 60.0), (5.0, 60.0), (20.0, None)):
        watch = PythonWatch()
        for at_s in (0.0, 10.0):
            watch.add(at_s, 1.0 + at_s)
        assert watch.shares([PythonWait("job", 0.0, 10.0, 10.0)]) == {"job": 1.0}
        watch.add(*forgets)
        assert watch.shares([PythonWait("job", 0.0, 10.0, 10.0)]) == {}


def test_workers_are_looked_at_once_a_second_and_seldom_while_no_job_is_known_to_have_any() -> None:
    watch = PythonWatch()
    assert watch.due(10.0, runs_python=False)
    watch.add(10.0, 0.0)
    assert [watch.due(at_s, runs_python=True) for at_s in (10.5, 11.0, 9.0)] == [False, True, True]
    assert [watch.due(at_s, runs_python=False) for at_s in (11.0, 20.0, 9.0)] == [False, True, True]


@pytest.mark.parametrize(
    ("stage", "runs"),
    [
        ("ArrowEvalPython", True),
        ("BatchEvalPython + Exchange", True),
        ("MapInPandas", True),
        ("PythonMapInArrow", True),
        ("MapInArrow", True),
        ("FlatMapGroupsInPandasWithState", True),
        ("TransformWithStateInPySpark", True),
        ("WindowInPandas", True),
        ("StateStoreSave + Exchange", False),
        ("stage", False),
    ],
)
def test_stages_with_python_are_known_by_their_operators(stage: str, runs: bool) -> None:
    assert runs_python(stage) is runs


def test_a_history_tells_what_was_waited_in_its_python_stages_alone_however_often_they_were_read() -> None:
    history = StageHistory().opened(90.0)
    assert not history.runs_python
    part = replace(STAGE, busy_s=2.0, cpu_s=0.5, complete=False, completed_s=None)
    history = history.and_also(part, 100.5, "ArrowEvalPython").and_also(replace(STAGE, stage_id=8), 101.0, "Scan")
    assert history.python_waits("ads") == (PythonWait("ads", 100.2, None, 1.5),)
    history = history.and_also(replace(STAGE, busy_s=1.0, cpu_s=0.5), 101.0)
    assert history.python_waits("ads") == (PythonWait("ads", 100.2, 100.9, 2.0),)  # 1.5 and 0.5
    assert history.runs_python
    work = history.work("run", 3)
    assert work is not None
    assert (work.busy_s, work.cpu_s, work.on_cores_s(0.5)) == (5.0, 2.5, 3.5)  # half of 2.0 more


def test_a_stage_of_an_empty_batch_does_not_say_what_those_with_rows_do() -> None:
    history = StageHistory().opened(90.0).and_also(replace(STAGE, batch_id=2, stage_id=3, rows_in=0), 100.0, "stage")
    assert history.knows(replace(STAGE, rows_in=0))
    assert not history.knows(STAGE)
    history = history.and_also(STAGE, 101.0, "BatchEvalPython")
    assert history.knows(STAGE)
    assert history.runs_python


def figures(fake: FakeSpark, opened: Opened, worked_s: Mapping[str, float]) -> list[JobFigures]:
    """After ten batches of each, which keep slots busy for 0.8 s, of which 0.4 s in the JVM; workers work as said."""
    engine = opened.engine(*(fake_job(name, lambda _: PYTHON) for name in worked_s))
    for _ in range(10):
        for name, cpu_s in worked_s.items():
            fake.commit(name, busy_s=0.8, workers_cpu_s=cpu_s)
            engine.tend()
            snapshot = engine.observe(fake.now_s)
    return [of(snapshot, name) for name in worked_s]


def on_cores(job: JobFigures) -> tuple[float, float]:
    """Of its last batch that is told, and of all it does; a second of each two passes with its batch."""
    return job.batches[-1].cpu_s or 0.0, job.operator(ALL_OPERATORS).cores or 0.0


def test_work_of_python_counts_as_work_and_its_sleep_as_waiting() -> None:
    fake = FakeSpark()
    with fake_rig(fake) as opened:
        burns, sleeps = figures(fake, opened, {"burns": 0.4, "sleeps": 0.0})
        assert on_cores(burns)[0] == pytest.approx(0.8, abs=0.05)
        assert on_cores(sleeps)[0] == pytest.approx(0.4, abs=0.05)
        assert on_cores(burns)[1] > 1.5 * on_cores(sleeps)[1]


def test_where_nobody_sees_the_workers_what_is_waited_for_them_counts_as_work() -> None:
    fake = FakeSpark()
    fake.workers_cpu_s = None
    with fake_rig(fake) as opened:
        (burns,) = figures(fake, opened, {"burns": 0.4})
        assert on_cores(burns)[0] == pytest.approx(0.8)
