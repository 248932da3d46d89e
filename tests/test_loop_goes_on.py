"""Whatever goes wrong in a round is recorded with it, and the loop goes on; only a lost lease ends it."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from inspect import isfunction
from itertools import pairwise

import pytest
from py4j.protocol import Py4JError

from penstock.core.asked.budget import Budget
from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Act, Answer, Control, Orders, Proposal, Request, Wish
from penstock.core.levers import Tasks
from penstock.core.ports import Engine, Policy, StartsAgain, Store
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import snapshot_of
from penstock.errors import ConfigError, EngineError, LeaseLostError
from penstock.loop import LoopSettings, drive
from penstock.planning.henge.memory import ActionKind
from penstock.planning.henge.policy import Henge
from tests.faulty import Faults, FaultyEngine, FaultyPolicy, Ticking, World
from tests.recorded import RUN, URGENT, Noted, a_decision, a_job, a_view


def driven(until_s: float, settings: LoopSettings = LoopSettings(), **stages: list[float]) -> World:
    """A world that was governed until then, in which these stages failed at these instants."""
    world = World(Faults(stages), settings)
    drive(world.loop, Ticking(), until_s)
    return world


@pytest.mark.parametrize(
    ("stage", "error"),
    [
        ("orders", "hearing orders failed: ConnectionError: no answer; what was asked before holds"),
        (
            "observe",
            "observing failed: ConnectionError: no answer; nothing was decided; the next round is in 10 s",
        ),
        ("decide", "deciding failed: ConnectionError: no answer; nothing was decided; the next round is in 10 s"),
        ("announce", "storing failed: ConnectionError: no answer"),
        (
            "apply",
            "acting failed: ConnectionError: no answer; how much of it was done is not known; "
            "the next round is in 10 s",
        ),
    ],
)
def test_a_round_says_what_went_wrong_in_it_and_the_next_is_as_ever(stage: str, error: str) -> None:
    world = driven(30.0, LoopSettings(), **{stage: [20.0]})
    assert world.errors == [(10.0, None), (20.0, error), (30.0, None)]
    assert world.engine.done[-1] == (30.0, "ads")


def test_rounds_that_fail_in_a_row_come_ever_more_rarely_until_one_succeeds() -> None:
    # 10, then 20, 30 and 30 s apart, which is three intervals; after the good one at 100 s again 10 s.
    world = driven(120.0, observe=[10.0, 20.0, 40.0, 70.0])
    assert [cycle.at_s for cycle in world.cycles] == [10.0, 20.0, 40.0, 70.0, 100.0, 110.0, 120.0]
    assert world.errors[3][1] == (
        "observing failed: ConnectionError: no answer; nothing was decided; the next round is in 30 s"
    )


def test_without_orders_or_a_store_governing_is_as_quick_as_with_them() -> None:
    world = driven(50.0, orders=[20.0, 30.0], append=[20.0, 30.0])
    assert [at_s for at_s, _ in world.engine.done] == [10.0, 20.0, 30.0, 40.0, 50.0]


def test_when_nothing_can_be_seen_the_last_view_stands_for_it_too_old_to_act_on() -> None:
    world = driven(40.0, observe=[20.0, 30.0])
    last, older = world.cycles[0].view.job("ads"), world.cycles[2].view.job("ads")
    assert (older.fresh, older.figures.age_s - last.figures.age_s, older.utility) == (False, 20.0, last.utility)
    assert [len(cycle.plan.decisions) for cycle in world.cycles[:3]] == [1, 0, 0]


def test_before_anything_was_seen_an_empty_view_stands_for_it() -> None:
    view = driven(10.0, observe=[10.0]).cycles[0].view
    assert (view.at_s, view.jobs, view.utility) == (10.0, (), 0.0)


def test_a_policy_that_fails_remembers_what_it_did_before() -> None:
    assert [cycle.memory for cycle in driven(30.0, decide=[20.0]).cycles] == [Noted(1), Noted(1), Noted(2)]


def test_acting_that_fails_is_told_step_by_step_with_the_memory_of_a_policy_that_has_acted() -> None:
    world = driven(10.0, apply=[10.0])
    (record,) = world.store.kept.read_run(RUN.id).decisions
    assert record.errors == (
        "ads: acting failed: ConnectionError: no answer; how much of it was done is not known; "
        "what had been done of it was not taken back",
    )
    assert world.cycles[0].memory == Noted(1)


def test_henge_neither_judges_nor_holds_against_a_job_what_the_engine_failed_to_do() -> None:
    every_round = [10.0 * number for number in range(1, 100)]
    world = World(Faults({"apply": every_round}), policy=Henge())
    drive(world.loop, Ticking(), 900.0)
    tried = [place for place, cycle in enumerate(world.cycles) if cycle.plan.decisions]
    assert len(tried) > 1
    pending = world.cycles[tried[0]].memory.pending
    assert pending is not None
    assert (pending.kind, pending.job) == (ActionKind.RECONFIGURATION, "ads")
    after = world.cycles[tried[0] + 1].memory
    assert (after.pending, dict(after.blocked_until)) == (None, {})


def test_what_could_not_be_stored_is_told_in_the_next_cycle_that_can_be(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        world = driven(40.0, append=[20.0, 30.0], announce=[20.0, 30.0], orders=[30.0])
    assert [cycle.at_s for cycle in world.cycles] == [10.0, 40.0]
    assert world.cycles[1].error == (
        "2 cycles from 20 s on are not stored (storing failed: ConnectionError: no answer); "
        "at 20 s: did ads map 3 -> 6, storing failed: ConnectionError: no answer; "
        "at 30 s: did ads map 3 -> 6, hearing orders failed: ConnectionError: no answer; "
        "what was asked before holds; storing failed: ConnectionError: no answer"
    )
    assert [record.getMessage() for record in caplog.records if "governing goes on" in record.getMessage()] == [
        "20 s: storing failed: ConnectionError: no answer; governing goes on"
    ]


def test_a_store_that_never_works_again_fills_no_memory() -> None:
    world = driven(10_000.0, append=[10.0 * number for number in range(1, 1000)])
    (cycle,) = world.cycles[-1:]
    assert (cycle.error or "").startswith("999 cycles from 10 s on are not stored")
    assert (cycle.error or "").count("did ads") == 20


def test_a_memory_that_cannot_be_read_is_a_fresh_start_that_says_so() -> None:
    world = driven(20.0, last_memory=[0.0])
    assert world.errors == [(10.0, "storing failed: ConnectionError: no answer"), (20.0, None)]
    assert world.cycles[0].memory == Noted(1)


def test_callers_own_functions_may_fail_as_well() -> None:
    world, clock = World(Faults()), Ticking()

    def intents() -> Mapping[str, Intent]:
        if clock.at_s == 20.0:
            raise EngineError("no intents")
        return world.intents

    def listen(now: float) -> None:
        if now == 20.0:
            raise EngineError("nobody listens")

    drive(replace(world.loop, intents=intents), clock, 40.0, listen)
    assert world.errors == [
        (10.0, None),
        (20.0, "hearing orders failed: no intents; what was asked before holds"),
        (30.0, "telling of the cycle failed: nobody listens"),
        (40.0, None),
    ]
    assert [len(cycle.view.jobs) for cycle in world.cycles] == [2, 2, 2, 2]


def test_what_went_wrong_between_rounds_is_told_in_the_next_one() -> None:
    world, told = World(Faults()), [("tending failed: no answer",), ()]
    loop = replace(world.loop, between=lambda: told.pop(0))
    drive(loop, Ticking(), 20.0)
    assert world.errors == [(10.0, "tending failed: no answer"), (20.0, None)]


def test_who_was_paused_stays_paused_while_nobody_can_be_heard() -> None:
    world = World(Faults({"orders": [20.0]}))
    world.control.said = Orders(paused_by="ann")
    drive(world.loop, Ticking(), 30.0)
    assert world.engine.done == []


def test_who_was_never_heard_may_have_paused_everything() -> None:
    world = driven(20.0, orders=[10.0])
    assert world.engine.done == [(20.0, "ads")]
    assert world.cycles[0].plan.note == "watching only: requests could not be read yet"


def turned(fails: str) -> World:
    """One round in which a lever is asked for while that stage fails, and one in which nobody can be heard."""
    world = World(Faults({fails: [10.0], "orders": [20.0]}))
    turn = Wish("tasks", "fraud", 5, "map")
    world.control.said = Orders(turns=(Request(Act.TURN, "ann", 5.0, turn=turn),))
    drive(world.loop, Ticking(), 20.0)
    return world


def test_a_lever_that_is_asked_for_is_turned_also_where_the_policy_fails_and_once() -> None:
    world = turned("decide")
    assert [decision.moves for decision in world.cycles[0].plan.decisions] == [(Tasks("fraud", "map", 3, 5),)]
    assert world.engine.done == [(10.0, "fraud"), (20.0, "ads")]


def test_a_lever_that_is_asked_for_when_nothing_can_be_seen_is_not_turned_and_said() -> None:
    world = turned("observe")
    assert world.cycles[0].plan.note == "fraud: tasks of map 5, asked by ann, is not done"
    assert world.engine.done == [(20.0, "ads")]


def approved() -> Orders:
    return Orders(approved=(Proposal(7, a_decision(0.0), Answer.APPROVED, "ann"),), held=frozenset({"ads"}))


def test_what_was_approved_is_not_done_again_while_nobody_can_be_heard() -> None:
    world = World(Faults({"orders": [20.0]}))
    world.control.said = approved()
    drive(world.loop, Ticking(), 20.0)
    assert (world.engine.done, world.control.settled) == ([(10.0, "ads")], [(7, Answer.DONE)])


class Shows(FaultyEngine):
    """What it did to ads stands."""

    def observe(self, now: float) -> Snapshot:
        return snapshot_of(a_view(now, (a_job("ads", threads=7 if self.done else 4),)))


def test_what_was_approved_is_settled_after_it_is_done_and_where_that_fails_it_is_not_done_again() -> None:
    world = World(Faults({"settle": [10.0]}))
    world.engine, world.control.said = Shows(world.faults), approved()
    drive(world.loop, Ticking(), 20.0)
    assert (world.engine.done, world.control.settled) == ([(10.0, "ads")], [(7, Answer.DONE)])
    assert world.errors[0] == (10.0, "asking tenants failed: ConnectionError: no answer; it is tried again")


def test_what_was_approved_is_not_settled_as_done_by_a_controller_that_was_taken_over_before_the_deed() -> None:
    world = World(Faults({"check_ours": [10.0]}, LeaseLostError("another controller took this application over")))
    world.control.said = approved()
    with pytest.raises(LeaseLostError):
        drive(world.loop, Ticking(), 100.0)
    assert (world.engine.done, world.control.settled) == ([], [])


@pytest.mark.parametrize("stage", ["observe", "decide", "apply", "append", "orders"])
def test_a_controller_that_was_taken_over_ends(stage: str) -> None:
    world = World(Faults({stage: [20.0]}, LeaseLostError("another controller took this application over")))
    with pytest.raises(LeaseLostError, match="another controller"):
        drive(world.loop, Ticking(), 100.0)
    assert world.faults.now == 20.0


def test_where_nobody_waits_an_error_is_raised() -> None:
    with pytest.raises(ConnectionError):
        driven(30.0, LoopSettings(go_on=False), observe=[20.0])


def test_a_back_off_that_would_hurry_is_refused() -> None:
    with pytest.raises(ConfigError, match="back_off_factor"):
        LoopSettings(back_off_factor=0.5)
    with pytest.raises(ConfigError, match="back_off_at_most"):
        LoopSettings(back_off_at_most=0.5)


class FromJavaError(Exception):
    """As Py4J's: its words are asked of the JVM, which is gone."""

    def __str__(self) -> str:
        raise ConnectionError("the JVM does not answer")


# All that the loop asks of its parts; a policy's own beginning is tried in tests/governing/test_contained.py.
PARTS = (Engine, StartsAgain, Policy, Store, Control)
STAGES = sorted(name for part in PARTS for name, call in vars(part).items() if isfunction(call) and name[0] != "_")
for _only_once in ("start", "leave"):  # before the first round, and after the last
    STAGES.remove(_only_once)


@pytest.mark.parametrize(
    "error", [FromJavaError("o32"), Py4JError("o32"), SystemExit(0), MemoryError(), RecursionError(), KeyError()]
)
@pytest.mark.parametrize("stage", STAGES)
def test_no_error_at_any_call_ends_governing_and_rounds_are_three_intervals_apart_at_most(
    stage: str, error: BaseException
) -> None:
    fails = [10.0 * number for number in range(0, 21)]
    faults = Faults({stage: fails}, error)
    policy = FaultyPolicy(faults, jobs=("ads", "fraud"))
    intents = {"ads": URGENT.lasting(Budget(0.9)), "fraud": URGENT}  # whose windows the store is asked for
    world = World(faults, LoopSettings(approval=frozenset({"fraud"})), policy, intents)
    turn = Request(Act.TURN, "ann", 5.0, turn=Wish("tasks", "fraud", 2, "source"))
    world.control.said = replace(approved(), turns=(turn,), starts=("fraud",))
    rounds = list[float]()
    drive(world.loop, Ticking(), 400.0, rounds.append)
    assert stage in faults.struck
    assert max(later - earlier for earlier, later in pairwise(rounds)) <= 30.0
    assert (400.0, "ads") in world.engine.done


@pytest.mark.parametrize(("until_s", "rounds"), [(25.0, [10.0, 20.0]), (30.0, [10.0, 20.0, 30.0]), (4.0, [4.0])])
def test_governing_lasts_as_long_as_was_said_also_where_the_rest_is_too_short_for_a_round(
    until_s: float, rounds: list[float]
) -> None:
    world, clock = World(Faults({}), LoopSettings()), Ticking()
    drive(world.loop, clock, until_s)
    assert (clock.at_s, [cycle.at_s for cycle in world.cycles]) == (until_s, rounds)
