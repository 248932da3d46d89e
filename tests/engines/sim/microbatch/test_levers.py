"""Each lever of the simulated application has its own physics, and tells how it stands."""

import pytest

from penstock.core.levers import (
    WHOLE,
    BatchBound,
    Dial,
    Disturbs,
    Executors,
    Kind,
    Move,
    Partitions,
    Piece,
    Shows,
    Trigger,
    dial_of,
)
from penstock.core.plan import Step
from penstock.engines.sim.microbatch import MicroBatchEngine, MicroBatchFault
from tests.engines.sim.microbatch.builders import a_job, an_engine, seen, waiting_stage


def turned(engine: MicroBatchEngine, move: Move) -> str | None:
    return engine.apply([Step(move.job, (move,))]).steps[0].error


def dial(engine: MicroBatchEngine, at_s: float, kind: Kind) -> Dial:
    snapshot = engine.observe(at_s)
    dials = (*snapshot.levers, *(dial for job in snapshot.jobs for dial in job.dials))
    return next(dial for dial in dials if dial.kind == kind)


def two_stages() -> MicroBatchEngine:
    return an_engine(a_job(stages=(waiting_stage(4, 0.001), waiting_stage(4, 0.001))))


def test_a_bound_holds_from_the_next_batch_on_and_what_it_holds_back_waits() -> None:
    engine = an_engine(a_job())  # 100 rows/s in batches of 1 s
    engine.advance_to(10.2)  # a batch of 100 is open
    assert turned(engine, BatchBound("job", None, 20)) is None
    assert engine.rows("job").in_batch == 100
    engine.advance_to(11.2)
    assert engine.rows("job").in_batch == 20
    assert engine.rows("job").queued > 60
    assert dial(engine, 12.0, "bound").now == 20
    assert turned(engine, BatchBound("job", 20, None)) is None
    engine.advance_to(20.0)
    assert engine.rows("job").queued < 100


def test_a_trigger_holds_once_the_open_batch_is_over_while_the_query_runs_on() -> None:
    engine = an_engine(a_job())
    engine.advance_to(10.2)
    assert turned(engine, Trigger("job", 1.0, 5.0)) is None
    told = dial(engine, 10.2, "trigger")
    assert (told.now, told.asked, told.disturbs, told.shows) == (5.0, None, Disturbs.NOTHING, Shows.NEXT_BATCH)
    running = seen(engine, 11.5)
    assert (running.settling, running.trouble) == (False, None)
    engine.advance_to(19.9)
    taken = engine.rows("job").processed
    engine.advance_to(24.9)
    assert engine.rows("job").processed - taken == 500  # five seconds' worth at once


def test_partitions_are_taken_up_in_a_planned_restart_after_the_open_batch() -> None:
    engine = an_engine(a_job(replan_s=2.0, stages=(waiting_stage(4, 0.001), waiting_stage(4, 0.001))))
    engine.advance_to(10.2)
    assert turned(engine, Partitions("job", 4, 8)) is None
    waiting = dial(engine, 10.2, "partitions")
    assert (waiting.now, waiting.asked) == (4, 8)
    restarting = seen(engine, 11.5)
    assert restarting.settling
    assert "changed; restarts in" in str(restarting.trouble)
    assert dial(engine, 35.0, "partitions").asked is None


def test_partitions_are_those_of_the_stages_behind_the_first() -> None:
    engine = two_stages()
    engine.advance_to(10.2)
    assert turned(engine, Partitions("job", 4, 8)) is None
    assert [stage.tasks for stage in seen(engine, 15.0).stages] == [4, 8]
    assert dial(engine, 15.0, "partitions").now == 8


def test_executors_that_go_take_their_slots_with_them_and_come_back_after_a_start() -> None:
    engine = an_engine(a_job(), slots=4, cores=4, machines=2, executor_start_s=4.0)
    engine.advance_to(10.0)
    assert turned(engine, Executors(2, 1)) is None
    assert engine.slots == 2
    assert turned(engine, Executors(1, 2)) is None
    coming = dial(engine, 12.0, "executors")
    assert (coming.job, coming.now, coming.asked, coming.most) == (WHOLE, 1, 2, 2)
    engine.advance_to(14.0)
    assert engine.slots == 4


@pytest.mark.parametrize(
    ("move", "error"),
    [
        (BatchBound("job", None, 0), "job: a batch of 0 rows does nothing; nothing was changed"),
        (Trigger("job", 1.0, -1.0), "job: a batch every -1.0 s is none; nothing was changed"),
        (Partitions("job", 4, 2), "job keeps no state: it has one stage; nothing was changed"),
        (Executors(1, 2), "there are 1 to 1 executors to be had; nothing was changed"),
    ],
)
def test_a_turn_that_cannot_be_made_says_why(move: Move, error: str) -> None:
    engine = an_engine(a_job())
    engine.advance_to(1.0)
    assert turned(engine, move) == error


def test_a_failure_while_a_change_is_awaited_does_not_lose_it() -> None:
    failure = MicroBatchFault("job", 10.3, target="job")
    two = (waiting_stage(4, 0.001), waiting_stage(4, 0.001))
    engine = an_engine(a_job(restart_s=3.0, replan_s=1.0, stages=two), faults=(failure,))
    engine.advance_to(10.2)
    assert turned(engine, Partitions("job", 4, 8)) is None
    snapshot = engine.observe(20.0)
    found = dial_of(Partitions("job", 4, 8), (dial for job in snapshot.jobs for dial in job.dials))
    assert found is not None
    assert (found.now, found.asked) == (8, None)


def test_a_piece_holds_from_the_next_batch_on_which_has_as_many_more_tasks() -> None:
    engine = an_engine(a_job(cuttable=True))  # 100 rows/s in batches of 1 s, in 4 tasks
    engine.advance_to(10.2)
    assert (dial(engine, 10.2, "piece").now, tasks(engine, 10.2)) == (None, 4)
    assert turned(engine, Piece("job", None, 10)) is None
    engine.advance_to(13.0)
    assert (dial(engine, 13.0, "piece").now, tasks(engine, 13.0)) == (10, 10)
    assert turned(engine, Piece("job", 10, 1000)) is None
    engine.advance_to(16.0)
    assert tasks(engine, 16.0) == 4


def tasks(engine: MicroBatchEngine, at_s: float) -> int | None:
    """Of its last batch."""
    return seen(engine, at_s).batches[-1].tasks


def test_only_what_can_be_cut_has_pieces() -> None:
    engine = an_engine(a_job())
    assert [dial.kind for dial in seen(engine, 5.0).dials if dial.kind == "piece"] == []
    assert "cannot be cut smaller" in (turned(engine, Piece("job", None, 10)) or "")
    assert "does nothing" in (turned(an_engine(a_job(cuttable=True)), Piece("job", None, 0)) or "")
