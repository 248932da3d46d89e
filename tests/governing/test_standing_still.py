"""A policy, a store or a control of which any call stands still for a minute: rounds go on, and in time."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import isfunction
from itertools import pairwise

import pytest

from penstock.core.asked.budget import Budget
from penstock.core.asked.orders import Act, Answer, Control, Orders, Proposal, Request, Wish
from penstock.core.cycle import Cycle
from penstock.core.ports import Policy, Store
from penstock.engines.hand import Hand
from penstock.engines.hands import TENDS_WITHIN_S, Hands, RoundTime
from penstock.errors import EngineError
from penstock.loop import Loop, LoopSettings, drive
from tests.faulty import Faults, FaultyControl, FaultyEngine, FaultyPolicy, FaultyStore
from tests.patience import patience_s
from tests.recorded import RUN, URGENT, a_decision

INTERVAL_S, HANGS_AT_S, HANGS_FOR_S, UNTIL_S = 10.0, 50.0, 60.0, 200.0
WANTED = {"ads": URGENT, "fraud": URGENT}
ONLY_AT_FIRST = ("last_memory", "past_cycles", "windows")  # the store is asked for these while governing begins
CALLS = sorted({name for part in (Policy, Store, Control) for name, call in vars(part).items() if isfunction(call)})
CALLS = [name for name in CALLS if name[0] != "_" and name not in ("start", "leave")]  # no round of theirs


@dataclass(slots=True)
class Hanging(Faults):
    """The first call of that kind, once it is time, comes to its end a minute later."""

    call: str = ""
    time_s: float = 0.0
    hung_at_s: float | None = None
    goes_on: threading.Event = field(default_factory=threading.Event)
    over: threading.Event | None = None  # of the call that hangs

    def strike(self, stage: str) -> None:
        due = stage in ONLY_AT_FIRST or self.time_s >= HANGS_AT_S
        if stage == self.call and due and self.hung_at_s is None:
            self.hung_at_s = self.time_s
            assert self.goes_on.wait(patience_s())

    def pass_time(self, seconds: float) -> None:
        self.time_s += seconds
        if self.hung_at_s is not None and self.time_s >= self.hung_at_s + HANGS_FOR_S:
            self.goes_on.set()
            assert self.over is not None
            assert self.over.wait(patience_s())

    def hand(self, deciding: bool) -> Hand:
        """Its time passes while a call of its own hangs; for any other one it waits however long this machine takes."""
        return Hand(clock=lambda: self.time_s, pause=partial(self._pause, deciding == (self.call == "decide")))

    def _pause(self, own: bool, over: threading.Event, seconds: float) -> bool:
        deadline = time.monotonic() + patience_s()
        while not over.wait(0.001):
            assert time.monotonic() < deadline
            if own and self.hung_at_s is not None and not self.goes_on.is_set():
                self.over = self.over or over
                self.pass_time(seconds)
                return over.is_set()
        return True


@dataclass(slots=True)
class Passing:
    """The loop's clock."""

    faults: "Hanging | Slow"
    between: Callable[[], None]  # rounds

    def now(self) -> float:
        return self.faults.time_s

    def wait_until(self, at_s: float) -> bool:
        self.faults.pass_time(at_s - self.faults.time_s)
        self.between()
        return True


@pytest.mark.parametrize("call", CALLS)
def test_whatever_stands_still_rounds_are_three_intervals_apart_at_most_and_governing_is_back_in_time(
    call: str,
) -> None:
    faults = Hanging(call=call)
    engine, store, ends_s = FaultyEngine(faults), FaultyStore(faults), [0.0]
    hands = Hands(faults.hand(deciding=True), faults.hand(deciding=False), round=RoundTime(lambda: faults.time_s))
    policy = FaultyPolicy(faults, jobs=("ads", "fraud"))
    settings = LoopSettings(INTERVAL_S, approval=frozenset({"fraud"}))
    intents = {"ads": URGENT.lasting(Budget(0.9)), "fraud": URGENT}
    control, limits = hands.control(asked(faults)), hands.limits()
    loop = Loop(engine, policy, hands.store(store), settings, control, limits=limits, intents=lambda: intents)
    drive(loop, Passing(faults, hands.round.begin), UNTIL_S, ends_s.append)
    hands.let_go(lambda: None)
    assert faults.hung_at_s is not None
    assert max(later - earlier for earlier, later in pairwise(ends_s)) <= 3 * INTERVAL_S
    cycles = store.kept.cycles(RUN.id)
    assert any("has not come to an end" in error or "which has gone on for" in error for error in said(cycles))
    back = next(c for c in cycles if c.at_s >= faults.hung_at_s + HANGS_FOR_S and c.error is None and c.outcome.steps)
    assert back.at_s <= faults.hung_at_s + HANGS_FOR_S + 30.0


@pytest.mark.parametrize("call", ["observe", "start_again"])
def test_who_asks_for_a_start_holds_up_no_round_while_the_engine_stands_still(call: str) -> None:
    faults = Hanging(call=call)
    engine, store, ends_s = FaultyEngine(faults), FaultyStore(faults), [0.0]
    # Time passes where the engine is waited for alone.
    hands = Hands(faults.hand(deciding=True), faults.hand(deciding=True), round=RoundTime(lambda: faults.time_s))
    engines = faults.hand(deciding=False)
    control, limits = FaultyControl(faults, Orders(starts=("ads", "fraud"))), hands.limits(engines)
    settings, wanted = LoopSettings(INTERVAL_S), {"ads": URGENT, "fraud": URGENT}
    loop = Loop(engine, FaultyPolicy(faults), store, settings, control, limits=limits, intents=lambda: wanted)
    drive(loop, Passing(faults, hands.round.begin), UNTIL_S, ends_s.append)
    engines.close()
    hands.let_go(lambda: None)
    assert faults.hung_at_s is not None
    assert max(later - earlier for earlier, later in pairwise(ends_s)) <= 3 * INTERVAL_S
    back = next(c for c in store.kept.cycles(RUN.id) if c.at_s >= faults.hung_at_s + HANGS_FOR_S and c.error is None)
    assert back.at_s <= faults.hung_at_s + HANGS_FOR_S + 30.0


@dataclass(slots=True)
class Slow(Faults):
    """Calls of these kinds take so long, each."""

    takes_s: Mapping[str, float] = field(default_factory=dict)
    time_s: float = 0.0
    under_way: dict[str, tuple[float, threading.Event]] = field(default_factory=dict)

    def strike(self, stage: str) -> None:
        if stage in self.takes_s:
            ended = threading.Event()
            self.under_way[stage] = self.time_s + self.takes_s[stage], ended
            assert ended.wait(patience_s())

    def pass_time(self, seconds: float) -> None:
        self.time_s += seconds
        for stage, (until_s, ended) in list(self.under_way.items()):
            if self.time_s >= until_s:
                del self.under_way[stage]
                ended.set()

    def hand(self, *stages: str) -> Hand:
        """Time passes for who waits while one of these is under way; else it is waited for however long that takes."""

        def pause(over: threading.Event, seconds: float) -> bool:
            deadline = time.monotonic() + patience_s()
            while not over.wait(0.001):
                assert time.monotonic() < deadline
                if self.under_way.keys() & set(stages):
                    self.pass_time(seconds)
                    return over.is_set()
            return True

        return Hand(clock=lambda: self.time_s, pause=pause)


@pytest.mark.parametrize(
    "takes_s", [{"observe": 15.0, "decide": 8.0, "apply": 15.0}, {"tend": 9.0, "observe": 15.0, "apply": 15.0}]
)
def test_what_is_slow_and_comes_in_time_all_the_same_does_not_add_up_to_a_late_round(
    takes_s: Mapping[str, float],
) -> None:
    faults = Slow(takes_s=takes_s)
    engine, store, notes = FaultyEngine(faults), FaultyStore(faults), list[str | None]()
    hands = Hands(faults.hand("decide"), faults.hand(), round=RoundTime(lambda: faults.time_s))
    engines = faults.hand("tend", "observe", "apply")
    limits = hands.limits(engines, lambda text, why, job=None, error=None: notes.append(job))

    def between() -> None:
        hands.round.begin()
        with suppress(EngineError):  # what is done for longer than rounds wait for it
            engines.do("tending", partial(faults.strike, "tend"), TENDS_WITHIN_S, behind_s=0.0)

    loop = Loop(engine, FaultyPolicy(faults), store, LoopSettings(INTERVAL_S), limits=limits, intents=lambda: WANTED)
    drive(loop, Passing(faults, between), UNTIL_S)
    engines.close()
    hands.let_go(lambda: None)
    rounds = [cycle.at_s for cycle in store.kept.cycles(RUN.id)]
    assert max(later - earlier for earlier, later in pairwise(rounds)) <= 3 * INTERVAL_S
    assert notes[:1] == ["ads"]  # what came of its step is told when it is over


@pytest.mark.parametrize("call", ["orders", "settle"])
def test_what_was_asked_is_done_once_though_nobody_waited_for_the_answer(call: str) -> None:
    faults = Hanging(call=call, time_s=HANGS_AT_S)
    hands, desk = Hands(keeping=faults.hand(deciding=False)), Once(faults, asked(faults).said)
    control = hands.control(desk)
    given = list[object]()
    for _ in range(3):
        try:
            orders = control.orders(faults.time_s)
            given.append(orders.turns)
            for proposal in orders.approved:
                given.append(proposal)
                control.settle(proposal, Answer.DONE, faults.time_s)
        except EngineError:
            faults.pass_time(HANGS_FOR_S)  # then it has come to its end
    turn, proposal = desk.first.turns, desk.first.approved[0]
    assert [one for one in given if one] == [turn, proposal]


@dataclass(slots=True)
class Once(FaultyControl):
    """Gives each request once, and what is approved until it is settled, as a desk does."""

    def __post_init__(self) -> None:
        self.first = self.said

    first: Orders = field(init=False)

    def orders(self, now: float) -> Orders:
        given = FaultyControl.orders(self, now)
        self.said = replace(given, turns=())
        return given

    def settle(self, proposal: Proposal, answer: Answer, now: float) -> None:
        FaultyControl.settle(self, proposal, answer, now)
        self.said = replace(self.said, approved=())


def said(cycles: Sequence[Cycle]) -> list[str]:
    return [cycle.error for cycle in cycles if cycle.error]


def test_a_store_that_stands_still_keeps_no_controller_from_ending() -> None:
    faults, closed = Hanging(call="close", time_s=HANGS_AT_S), []

    def close() -> None:
        faults.strike("close")
        closed.append(faults.time_s)

    Hands(Hand(), faults.hand(deciding=False)).let_go(close)
    assert (closed, HANGS_AT_S < faults.time_s <= HANGS_AT_S + 3 * INTERVAL_S) == ([], True)
    faults.goes_on.set()


def asked(faults: Faults) -> FaultyControl:
    """Somebody has a lever turned in each round, and has said yes to something."""
    turn = Request(Act.TURN, "ann", 5.0, turn=Wish("tasks", "fraud", 2, "source"))
    approved = Proposal(7, a_decision(0.0), Answer.APPROVED, "ann")
    return FaultyControl(faults, Orders(approved=(approved,), held=frozenset({"ads"}), turns=(turn,)))
