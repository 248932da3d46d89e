"""A controller over an engine in which something goes wrong: it governs on, and ends no tenant's query."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event, current_thread
from typing import Any, cast

import pytest
from py4j.protocol import Py4JError

from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.plan import Outcome, Plan, Step, StepOutcome
from penstock.core.ports import PolicyMemory
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import View, snapshot_of
from penstock.engines.hand import Hand
from penstock.engines.hands import RoundTime
from penstock.engines.spark.engine import SparkEngine
from penstock.errors import ApplicationGoneError, LeaseLostError, TakenOverError
from penstock.governing.controller import Controller
from penstock.governing.ending import end_queries
from penstock.governing.governed import Governed
from penstock.governing.pulse import Heart
from penstock.governing.remembering import Remembering, remember_run
from penstock.governing.watching import Renewal
from penstock.loop import LoopSettings
from penstock.store.archive import Archive
from penstock.store.memory import MemoryStore
from tests.faulty import Faults, FaultyControl, FaultyPolicy, FaultyStore
from tests.patience import eventually, patience_s
from tests.recorded import RUN, URGENT, Noted, a_cycle, a_decision, a_view
from tests.store.away import AwayStore

INTENTS = {"ads": URGENT, "fraud": URGENT}
SETTINGS = LoopSettings(interval_s=0.01)


@dataclass(slots=True)
class Query:
    """One tenant's, which runs until it is stopped."""

    name: str
    running: bool = True

    def stop(self) -> None:
        self.running = False


@dataclass(slots=True)
class World:
    """An engine, and the session whose queries it governs; `fails` says which call raises, and what."""

    fails: str = ""
    error: BaseException = field(default_factory=lambda: Py4JError("o32"))
    times: int = 3
    queries: list[Query] = field(default_factory=lambda: [Query("ads"), Query("fraud")])
    closed: bool = False
    notes: list[tuple[str, str | None, str | None]] = field(default_factory=list)

    def strike(self, call: str) -> None:
        if call == self.fails and self.times > 0:
            self.times -= 1
            raise self.error

    def open(self) -> None:
        self.strike("open")

    def ping(self) -> None:
        self.strike("ping")

    def start(self) -> None:
        self.strike("start")

    def tend(self) -> None:
        self.strike("tend")

    def observe(self, now: float) -> Snapshot:
        self.strike("observe")
        return snapshot_of(a_view(now))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        self.strike("apply")
        return Outcome(tuple(StepOutcome(step) for step in steps))

    def note(self, text: str, why: str, job: str | None = None, error: str | None = None) -> None:
        self.notes.append((text, job, error))

    def close(self, stop_jobs: bool = False) -> None:
        self.closed = True
        self.strike("close")

    @property
    def streams(self) -> "World":
        return self

    @property
    def active(self) -> list[Query]:
        return [query for query in self.queries if query.running]

    @property
    def limits(self) -> "World":
        return self

    def take_over(self, limits: object) -> None:
        self.strike("take_over")

    def controller(
        self,
        on_view: Callable[[View], None] = lambda view: None,
        until_s: float = 1e9,
        look: Callable[[], Renewal | None] = lambda: None,
        settings: LoopSettings = SETTINGS,
    ) -> Controller:
        governed = Governed(INTENTS, Stepping(self), settings=settings, until_s=until_s, look=look)
        return Controller(cast(SparkEngine, self), governed, on_view)


@dataclass(frozen=True, slots=True)
class Stepping:
    """The policy."""

    world: World
    name: str = "another step"

    def start(self) -> Noted:
        self.world.strike("policy's start")
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        self.world.strike("decide")
        return Plan((a_decision(view.at_s),)), Noted(memory.rounds + 1)


@pytest.mark.parametrize("error", [Py4JError("o32"), SystemExit(0), MemoryError()])
@pytest.mark.parametrize("fails", ["tend", "observe", "apply", "decide", "policy's start"])
def test_an_error_at_any_call_leaves_the_queries_running_and_governing_goes_on(
    fails: str, error: BaseException
) -> None:
    world = World(fails, error)
    with world.controller() as controller:
        eventually(lambda: world.times == 0)
        seen = len(controller.views)
        eventually(lambda: len(controller.views) > seen + 3)
        assert controller.error is None
        assert [query.name for query in world.active] == ["ads", "fraud"]


def test_the_first_round_does_not_wait_for_an_interval() -> None:
    with World().controller(settings=LoopSettings(interval_s=1e4)) as controller:
        assert eventually(lambda: controller.views)[0].at_s < 1e4


def test_of_what_keeps_governing_from_beginning_again_and_again_the_last_is_told() -> None:
    class Worse(World):
        def strike(self, call: str) -> None:
            self.error = Py4JError(f"{self.times} more to come")
            super().strike(call)

    world, store = Worse("policy's start", times=4), MemoryStore(RUN)
    governed = Governed(INTENTS, Stepping(world), Remembering(store, "here", RUN, 0.0), SETTINGS)
    with Controller(cast(SparkEngine, world), governed) as controller:
        eventually(lambda: controller.views)
    told = store.cycles(RUN.id)[0].error or ""
    assert ("1 more to come" in told, told.count("governing failed and restarted")) == (True, 1)


def test_a_run_whose_store_was_away_as_it_was_taken_up_goes_on_by_its_own_clock_and_from_its_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("penstock.store.tolerant.BEGIN_AGAIN_S", 0.1)
    store, world = AwayStore(), World()
    store.begin(replace(RUN, started_at_s=time.time() - 600.0))
    before = replace(a_cycle(500.0), policy="another step")
    store.append(before)
    store.away = True
    kept = remember_run(store, replace(RUN, started_at_s=time.time()), SETTINGS)
    with Controller(cast(SparkEngine, world), Governed(INTENTS, Stepping(world), kept, SETTINGS)) as controller:
        eventually(lambda: len(controller.views) > 3)
        store.away = False
        eventually(lambda: len(store.cycles(RUN.id)) > 3)
        assert controller.error is None
    first, second, *_ = store.cycles(RUN.id)
    assert (first, second.at_s >= 600.0) == (before, True)
    assert cast(Noted, second.memory).rounds == cast(Noted, before.memory).rounds + 1
    assert "older than could be known while its store was away" in (second.error or "")


def test_listeners_errors_are_theirs() -> None:
    def listen(view: View) -> None:
        raise SystemExit(0)

    with World().controller(listen) as controller:
        eventually(lambda: len(controller.views) > 3)
        assert controller.error is None


def test_who_listens_and_does_not_come_back_holds_up_no_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.engines.hands.TELLS_WITHIN_S", 0.1)
    goes_on, heard = Event(), list[View]()

    def listen(view: View) -> None:
        heard.append(view)
        goes_on.wait(patience_s())

    with World().controller(listen) as controller:
        eventually(lambda: len(controller.views) > 10)
        assert (len(heard), controller.error) == (1, None)
        goes_on.set()
        eventually(lambda: len(heard) > 1)


def test_a_file_that_cannot_be_read_for_long_holds_up_no_round_and_is_taken_over_once_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("penstock.engines.hands.LOOKS_WITHIN_S", 0.1)
    goes_on, found = Event(), [Renewal({"ads": URGENT}, {}, Stepping(World()), None, False, ())]

    def look() -> Renewal | None:
        goes_on.wait(patience_s())
        return found.pop() if found else None

    with World().controller(look=look) as controller:
        eventually(lambda: len(controller.views) > 10)
        assert (set(controller.governed.intents), controller.error) == ({"ads", "fraud"}, None)
        goes_on.set()
        eventually(lambda: set(controller.governed.intents) == {"ads"})


def test_a_driver_whose_deed_never_ends_shows_no_sign_of_life_after_five_minutes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now_s, acts, goes_on, file = [0.0], Event(), Event(), tmp_path / "heartbeat"
    monkeypatch.setattr("penstock.governing.controller.Hand", partial(Hand, clock=lambda: now_s[0]))

    class Endless(World):
        def apply(self, steps: Sequence[Step]) -> Outcome:
            acts.set()
            assert goes_on.wait(patience_s())
            return Outcome()

    def beats() -> bool:
        file.unlink(missing_ok=True)
        heart.beat()
        return file.exists()

    world, heart = Endless(), Heart(file)
    governed = Governed(INTENTS, Stepping(world), settings=SETTINGS, heart=heart)
    with Controller(cast(SparkEngine, world), governed) as controller:
        assert acts.wait(patience_s())
        now_s[0] = 241.0  # nobody has waited for it for long, and it may yet come to its end
        eventually(lambda: controller.views)
        assert beats()
        now_s[0] = 301.0
        assert not beats()
        goes_on.set()
        eventually(beats)


@pytest.mark.parametrize("error", [None, "no such pool"])
def test_what_came_of_steps_that_took_too_long_is_told_and_none_are_begun_meanwhile(
    monkeypatch: pytest.MonkeyPatch, error: str | None
) -> None:
    now_s, begun, goes_on, store = [0.0], list[Sequence[Step]](), Event(), MemoryStore(RUN)
    monkeypatch.setattr("penstock.governing.controller.Hand", partial(Hand, clock=lambda: now_s[0]))
    monkeypatch.setattr(RoundTime, "left", lambda _, within_s: within_s)  # however long this machine takes for a round

    class Slow(World):
        def apply(self, steps: Sequence[Step]) -> Outcome:
            begun.append(steps)
            assert goes_on.wait(patience_s())
            return Outcome(tuple(StepOutcome(step, error) for step in steps))

    def passing(said: str) -> bool:
        now_s[0] += 1.0
        return any(said in (cycle.error or "") for cycle in store.cycles(RUN.id))

    world = Slow()
    governed = Governed(INTENTS, Stepping(world), Remembering(store, "here", RUN, 0.0), SETTINGS)
    with Controller(cast(SparkEngine, world), governed):
        eventually(lambda: begun)
        eventually(lambda: passing("acting has not come to an end within 19 s"))
        eventually(lambda: passing("observing waits for acting"))
        assert (len(begun), world.notes) == (1, [])
        goes_on.set()
        eventually(lambda: len(begun) > 1)
    (step,) = begun[0]
    assert world.notes == [(", ".join(move.text for move in step.moves), step.job, error)]


def test_limits_that_changed_while_a_deed_goes_on_hold_up_no_round_and_hold_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deed began before; a new file is found while it goes on."""
    now_s, begun, found, goes_on, taken = [0.0], Event(), list[Renewal](), Event(), list[object]()
    monkeypatch.setattr("penstock.governing.controller.Hand", partial(Hand, clock=lambda: now_s[0]))
    limits = {"ads": SlotLimits(1, 4)}

    class Slow(World):
        def apply(self, steps: Sequence[Step]) -> Outcome:
            begun.set()
            assert goes_on.wait(patience_s())
            return Outcome()

        def take_over(self, limits: object) -> None:
            taken.append(limits)

    def look() -> Renewal | None:
        return found.pop() if found else None

    def told(what: str) -> int:
        now_s[0] += 1.0
        return sum(f"{what} waits for acting" in (cycle.error or "") for cycle in store.cycles(RUN.id))

    world, store = Slow(), MemoryStore(RUN)
    governed = Governed(INTENTS, Stepping(world), Remembering(store, "here", RUN, 0.0), SETTINGS, look=look)
    with Controller(cast(SparkEngine, world), governed):
        assert begun.wait(patience_s())
        eventually(lambda: told("observing"))
        found.append(Renewal({"ads": URGENT}, limits, Stepping(world), None, False, ()))
        eventually(lambda: told("taking over limits"))
        eventually(lambda: told("observing") > 4)
        assert taken == []
        goes_on.set()
        eventually(lambda: taken)
    assert taken == [limits]


def test_a_controller_that_cannot_begin_lets_go_of_what_it_took() -> None:
    world = World("open", times=1)
    with pytest.raises(Py4JError), world.controller():
        pass
    assert world.closed


@dataclass(slots=True)
class Threads(Faults):
    """Where each call was made."""

    of: dict[str, str] = field(default_factory=dict)

    def strike(self, stage: str) -> None:
        self.of[stage] = current_thread().name


@dataclass(frozen=True, slots=True)
class ClosedStore(FaultyStore):
    def close(self) -> None:
        self.faults.strike("close")


def test_who_may_stand_still_is_not_asked_by_the_thread_that_governs() -> None:
    world, threads = World(), Threads()
    store, control, policy = ClosedStore(threads), FaultyControl(threads), FaultyPolicy(threads)
    remembering = Remembering(cast(Archive, store), "here", RUN, 0.0, control)
    governed = Governed(INTENTS, policy, remembering, SETTINGS)
    with Controller(cast(SparkEngine, world), governed) as controller:
        eventually(lambda: len(controller.views) > 1)
    calls = {"orders", "decide", "announce", "append", "last_memory", "past_cycles", "leave", "close"}
    assert {call: threads.of.get(call) for call in calls} == dict.fromkeys(calls, "penstock-hand")


def run_to_its_end(world: World, until_s: float) -> Controller:
    controller = world.controller(until_s=until_s)
    controller.run_jobs(partial(end_queries, cast(Any, world)))
    return controller


def test_a_run_that_is_over_ends_its_queries_also_where_one_cannot_be_ended() -> None:
    class Stuck(Query):
        def stop(self) -> None:
            raise Py4JError("o32")

    world = World(queries=[Stuck("stuck"), Query("ads")])
    assert run_to_its_end(world, until_s=0.05).error is None
    assert [query.name for query in world.active] == ["stuck"]


@pytest.fixture
def heeded() -> Iterator[None]:
    """Ctrl-C as a program of its own has it: the workers that tests run in do not hear it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_in_the_middle_of_a_long_deed_ends_the_queries_without_waiting_for_it() -> None:
    ended = Event()

    class Last(Query):
        def stop(self) -> None:
            self.running = False
            ended.set()

    class Long(World):
        def apply(self, steps: Sequence[Step]) -> Outcome:
            if not ended.is_set():  # in the first round only
                os.kill(os.getpid(), signal.SIGINT)
            assert ended.wait(patience_s())
            return Outcome()

    world = Long(queries=[Last("ads")])
    with pytest.raises(KeyboardInterrupt):
        run_to_its_end(world, until_s=1e9)
    assert world.active == []


def test_queries_that_another_controller_took_over_are_not_ended() -> None:
    class TakenOver(World):
        def observe(self, now: float) -> Snapshot:
            controller.end()  # the run is over, too
            raise LeaseLostError("another controller took this application over")

    world = TakenOver()
    controller = world.controller()
    controller.run_jobs(partial(end_queries, cast(Any, world)))
    assert isinstance(controller.error, LeaseLostError)
    assert [query.name for query in world.active] == ["ads", "fraud"]


def test_why_governing_ended_is_the_last_thing_that_is_recorded() -> None:
    class Later(World):
        def observe(self, now: float) -> Snapshot:
            if self.times == 1:
                self.times, self.fails = 2, "observe"
                return snapshot_of(a_view(now))
            return super().observe(now)

    world = Later("", LeaseLostError("another controller took this application over"), times=1)
    with world.controller() as controller:
        eventually(lambda: controller.error)
        controller.wait()
        newest = controller.newest
    assert newest is not None
    assert newest.error == "governing ended: another controller took this application over"
    assert not any(job.fresh for job in newest.view.jobs)
    assert newest.plan.decisions == ()
    shown = controller._repr_html_()
    assert re.search(
        "Governing ended at [^,]* UTC, after [0-9]+ s: another controller took this application over", shown
    )
    assert "<td>fine</td>" not in shown


def test_a_notebook_says_that_the_time_of_a_run_is_over() -> None:
    with World().controller(until_s=0.05) as controller:
        controller.wait()
        assert "s: the time that it was to last was over" in controller._repr_html_()
    assert "was over" in controller._repr_html_()  # what came first is why


def test_queries_of_a_run_that_another_driver_has_taken_up_are_ended() -> None:
    world = World("observe", TakenOverError("another driver has taken up the run"), times=1)
    assert isinstance(run_to_its_end(world, until_s=1e9).error, TakenOverError)
    assert world.active == []


def test_an_application_that_is_gone_ends_the_run_at_once_and_says_so() -> None:
    world = World("tend", ApplicationGoneError("Spark's JVM has ended with exit code -9"), times=1)
    assert isinstance(run_to_its_end(world, until_s=1e9).error, ApplicationGoneError)
    assert not world.closed  # nobody is there to be let go of
