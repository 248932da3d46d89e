"""Executors short of memory collect garbage instead of working; another size of them starts every query again."""

import pytest

from penstock.core.levers import WHOLE, Dial, Disturbs, Memory, dial_of
from penstock.core.plan import Step
from penstock.core.seen.figures import MachineFigures
from penstock.engines.sim.microbatch import MicroBatchEngine
from penstock.errors import ConfigError
from tests.engines.sim.microbatch.builders import a_job, an_engine, mean_latency, seen


def turned(engine: MicroBatchEngine, before: int, after: int) -> str | None:
    return engine.apply([Step(WHOLE, (Memory(before, after),))]).steps[0].error


def machine(engine: MicroBatchEngine, at_s: float) -> MachineFigures:
    return engine.observe(at_s).machines[0]


def dial(engine: MicroBatchEngine, at_s: float) -> Dial:
    found = dial_of(Memory(1, 1), engine.observe(at_s).levers)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("held_mib", "memory_share", "gc_share", "cpu_times"),
    [
        (0.0, None, None, 1.0),  # nobody said what the job holds
        (1800.0, 0.9, 0.0, 1.0),
        (1900.0, 0.95, 0.1, 1.0 / 0.9),
        (2400.0, 1.0, 0.6, 1.0 / 0.4),  # 1.2 x the memory: (1.2 - 0.9) x 2
    ],
)
def test_garbage_collection_takes_its_share_of_the_time_where_memory_is_short(
    held_mib: float, memory_share: float | None, gc_share: float | None, cpu_times: float
) -> None:
    # Two executors of 1,000 MiB.
    engine = an_engine(a_job(memory_mib=held_mib), machines=2, executor_memory_mib=1000)
    found = machine(engine, 30.0)
    assert found.memory_share == memory_share
    assert found.gc_share == pytest.approx(gc_share)
    # A task of 25 rows works for 0.25 s and waits for 0.05 s; the four of them fill four slots.
    (stage,) = seen(engine, 30.0).stages
    assert stage.busy_s == pytest.approx(4 * (0.25 * cpu_times + 0.05))


def test_two_jobs_share_the_memory_and_what_one_leaves_the_other_has() -> None:
    first, second = a_job("a", memory_mib=600.0), a_job("b", memory_mib=500.0, ends_at_s=50.0)
    engine = an_engine(first, second, executor_memory_mib=1000)
    assert machine(engine, 40.0).gc_share == pytest.approx(0.4)
    assert machine(engine, 60.0).gc_share == 0.0


def test_another_size_starts_every_query_again_between_two_batches_of_its_own() -> None:
    # Both have a batch open at 10.2; a's ends first, and waits for nobody: b commits for 2 s.
    jobs = (a_job("a", memory_mib=600.0), a_job("b", memory_mib=600.0, commit_s=2.0))
    engine = an_engine(*jobs, executor_memory_mib=1024, executor_start_s=3.0)
    engine.advance_to(10.2)
    assert turned(engine, 1024, 2048) is None
    waiting = dial(engine, 10.3)
    assert (waiting.now, waiting.asked, waiting.disturbs) == (1024, 2048, Disturbs.APPLICATION)
    rows = engine.rows("a").in_batch
    engine.advance_to(20.0)
    assert (dial(engine, 20.0).now, dial(engine, 20.0).asked) == (2048, None)
    assert machine(engine, 20.0).gc_share == 0.0
    ups = {job.name: job.up_s for job in engine.observe(20.0).jobs}
    assert all(up_s is not None and up_s < 10.0 for up_s in ups.values())
    assert rows > 0  # a batch was open, and is counted once
    for name in ("a", "b"):
        counts = engine.rows(name)
        assert counts.arrived == counts.processed + counts.in_batch + counts.queued


def test_a_query_is_down_for_a_restart_and_the_start_of_executors() -> None:
    engine = an_engine(a_job(replan_s=1.0), executor_start_s=3.0)
    engine.advance_to(10.8)  # its batch is committed, none is open
    assert turned(engine, 1024, 2048) is None
    assert seen(engine, 14.7).trouble is not None
    assert seen(engine, 14.9).trouble is None
    assert turned(engine, 1024, 2048) is None  # the same again
    assert seen(engine, 15.0).trouble is None


def test_what_memory_was_short_of_comes_back_with_more_of_it() -> None:
    engine = an_engine(a_job(memory_mib=1400.0, trigger_s=2.0), executor_memory_mib=1024)
    short_s = mean_latency(engine, 60.0)
    assert turned(engine, 1024, 2048) is None
    assert mean_latency(engine, 240.0) < short_s


def test_a_size_that_no_executor_starts_with_is_refused() -> None:
    engine = an_engine(a_job())
    assert turned(engine, 1024, 256) == "no executor starts with less than 512 MiB; nothing was changed"
    with pytest.raises(ConfigError, match="executor_memory_mib: 100 cannot be used"):
        an_engine(a_job(), executor_memory_mib=100)
