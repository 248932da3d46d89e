"""Steps: shares change at once, whole or not at all, and twice is once."""

import pytest

from penstock.core.levers import Slots, Tasks
from penstock.core.plan import Step
from tests.engines.sim.microbatch.builders import a_hungry_job, a_job, an_engine, to_threads


def test_a_step_changes_the_threads_that_are_seen() -> None:
    engine = an_engine(a_job())
    assert engine.apply([to_threads("job", 1, 3)]).failed == ()
    assert engine.observe(0.0).jobs[0].threads == 3


def test_applying_a_step_twice_leaves_the_world_as_after_the_first() -> None:
    once, twice = (an_engine(a_hungry_job("a"), a_hungry_job("b"), noise=0.3) for _ in range(2))
    for engine, times in ((once, 1), (twice, 2)):
        engine.advance_to(20.0)
        for _ in range(times):
            engine.apply([to_threads("a", 1, 3)])
    assert repr(once.observe(60.0)) == repr(twice.observe(60.0))


def test_a_step_and_its_undo_leave_the_shares_as_before() -> None:
    engine = an_engine(a_job(threads=2))
    step = to_threads("job", 2, 4)
    engine.apply([step])
    engine.apply([Step("job", tuple(change.undo for change in step.moves))])
    assert engine.threads_total() == 2


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (Slots("job", 2, 9), "job takes 1 to 8 threads; nothing was changed"),
        (Slots("job", 2, 0), "job takes 1 to 8 threads; nothing was changed"),
        (Tasks("job", "parse", 2, 3), "job has no tasks to turn: its operators share its slots; nothing was changed"),
        (Slots("ghost", 2, 3), "there is no job 'ghost'; nothing was changed"),
        (Slots("later", 1, 2), "there is no job 'later'; nothing was changed"),
        (Slots("job", 2, 4), "3 threads are all there are; nothing was changed"),
    ],
)
def test_a_step_that_cannot_be_done_says_why(change: Slots | Tasks, error: str) -> None:
    jobs = a_job(threads=2, max_threads=4), a_job("later", starts_at_s=100.0)
    engine = an_engine(*jobs, slots=8, max_threads=3)
    engine.advance_to(1.0)
    assert engine.apply([Step(change.job, (change,))]).steps[0].error == error


def test_a_step_is_done_whole_or_not_at_all() -> None:
    engine = an_engine(a_job("a"), a_job("b"))
    engine.advance_to(1.0)
    step = Step("a", (Slots("a", 1, 2), Slots("b", 1, 0)))
    assert len(engine.apply([step]).failed) == 1
    assert engine.threads_total() == 2


def test_a_failed_step_does_not_stop_the_next() -> None:
    engine = an_engine(a_job())
    engine.advance_to(1.0)
    outcome = engine.apply([to_threads("ghost", 1, 2), to_threads("job", 1, 2)])
    assert [step.error is None for step in outcome.steps] == [False, True]
    assert engine.threads_total() == 2
