"""What people ask of a running controller holds from the next cycle on."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.orders import Act, Answer, Request, Wish
from penstock.core.levers import Tasks
from penstock.core.plan import Outcome, Plan, Reason, Step, StepOutcome
from penstock.core.ports import PolicyMemory
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import View, snapshot_of
from penstock.errors import EngineError, NothingDoneError
from penstock.loop import Carried, Loop, LoopSettings
from penstock.store.control import ANSWER_WITHIN_S, REFUSED_FOR_S, DeskControl, Standing
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from tests.recorded import RUN, URGENT, Noted, a_decision, a_view


@dataclass(slots=True)
class Obliging:
    """Does every step, and keeps what it did."""

    done: list[Step] = field(default_factory=list)

    def observe(self, now: float) -> Snapshot:
        return snapshot_of(a_view(now))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        self.done += steps
        return Outcome(tuple(StepOutcome(step) for step in steps))


@dataclass(slots=True)
class Starting(Obliging):
    """Starts jobs, too; not one that runs."""

    started: list[str] = field(default_factory=list)

    def start_again(self, job: str) -> None:
        if job in self.started:
            raise EngineError(f"{job} runs: there is nothing to start")
        self.started.append(job)


@dataclass(slots=True)
class Busy(Obliging):
    """Its first steps are not begun, for others still go on; or are begun and come to no end in time."""

    error: EngineError | None = None

    def apply(self, steps: Sequence[Step]) -> Outcome:
        error, self.error = self.error, None
        if error is not None:
            raise error
        self.done += steps
        return Outcome(tuple(StepOutcome(step) for step in steps))


@dataclass(frozen=True, slots=True)
class Eager:
    """Gives ads more wherever it may."""

    name: str = "eager"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        room = view.job("ads").figures.operator("map").max_threads is None
        return Plan((a_decision(view.at_s),) if room else ()), Noted(memory.rounds + 1)


@dataclass(slots=True)
class Governed:
    """A controller with its store, a cycle at a time."""

    store: SqlStore
    approval: frozenset[str] = frozenset()
    engine: Obliging = field(default_factory=Obliging)
    carried: Carried | None = None

    def cycle(self, now: float) -> Carried:
        control = DeskControl(self.store.desk, RUN.id, Standing(approval=self.approval), epoch=lambda: now)
        settings = LoopSettings(approval=self.approval)
        loop = Loop(
            self.engine, Eager(), self.store, settings, control, intents=lambda: {"ads": URGENT, "fraud": URGENT}
        )
        before = loop.start() if self.carried is None else self.carried
        self.carried = loop.run_cycle(before, now)
        return self.carried

    def ask(self, act: Act, **about: object) -> None:
        self.store.desk.ask(RUN.id, Request(act, "ann", 5.0, **about))  # type: ignore[arg-type]

    @property
    def answers(self) -> list[Answer]:
        return [proposal.answer for proposal in self.store.desk.proposals(RUN.id)]


@pytest.fixture
def governed(tmp_path: Path) -> Iterator[Governed]:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        yield Governed(store)


@pytest.fixture
def asking(governed: Governed) -> Governed:
    governed.approval = frozenset({"ads"})
    return governed


def test_a_paused_controller_sees_but_decides_nothing_until_it_is_resumed(governed: Governed) -> None:
    governed.ask(Act.PAUSE)
    assert governed.cycle(10.0).memory == Noted(0)
    assert governed.engine.done == []
    governed.ask(Act.RESUME)
    assert governed.cycle(20.0).memory == Noted(1)
    assert [step.job for step in governed.engine.done] == ["ads"]


def test_a_job_is_started_by_hand_once_also_while_governing_is_paused(governed: Governed) -> None:
    engine = governed.engine = Starting()
    governed.ask(Act.PAUSE)
    governed.ask(Act.START, job="ads")
    for at_s in (10.0, 20.0):
        governed.cycle(at_s)
    governed.carried = None  # nor by a controller that is started again
    assert (governed.cycle(30.0).error, engine.started) == (None, ["ads"])
    (_, act) = governed.store.read_run(RUN.id).acts
    assert (act.line, act.job) == ("ann asked for a start of ads", "ads")


def test_why_a_job_cannot_be_started_by_hand_is_told_and_the_round_goes_on(governed: Governed) -> None:
    governed.ask(Act.START, job="ads")
    said = "starting a job by hand failed: ads: this engine starts its jobs by itself alone; it is left as it is"
    assert governed.cycle(10.0).error == said
    governed.engine = Starting(started=["fraud"])
    governed.ask(Act.START, job="fraud")
    governed.ask(Act.START, job="ads")
    after = governed.cycle(20.0)
    assert after.error == "starting a job by hand failed: fraud runs: there is nothing to start; it is left as it is"
    assert (governed.engine.started, after.memory) == (["fraud", "ads"], Noted(2))


def test_a_dry_run_decides_and_does_nothing(governed: Governed) -> None:
    governed.ask(Act.DRY_RUN)
    governed.cycle(10.0)
    (record,) = governed.store.read_run(RUN.id).decisions
    assert (record.outcomes, governed.engine.done) == ((), [])
    governed.ask(Act.DO)
    governed.cycle(20.0)
    assert len(governed.engine.done) == 1


def test_a_changed_intent_is_what_the_next_cycle_judges_by(governed: Governed) -> None:
    relaxed = Intent(Latency("10s", utility=20))
    governed.ask(Act.INTENT, job="ads", intent=relaxed)
    governed.cycle(10.0)
    (view,) = governed.store.views(RUN.id)
    assert (view.job("ads").intent, view.job("ads").met) == (relaxed, True)
    assert view.job("fraud").intent == URGENT


def test_orders_hold_for_a_controller_that_is_started_again(governed: Governed) -> None:
    governed.ask(Act.PAUSE)
    governed.cycle(10.0)
    governed.carried = None
    governed.cycle(20.0)
    assert governed.engine.done == []


def test_a_tenant_that_wants_to_be_asked_is_asked_once_and_left_alone_meanwhile(asking: Governed) -> None:
    asking.cycle(10.0)
    asking.cycle(20.0)
    assert (asking.answers, asking.engine.done) == ([Answer.OPEN], [])
    assert "ads must approve first" in [note.text for note in asking.store.read_run(RUN.id).notes]


def test_what_is_approved_is_done_in_the_next_cycle_and_says_by_whom(asking: Governed) -> None:
    asking.cycle(10.0)
    (proposal,) = asking.store.desk.proposals(RUN.id)
    asking.ask(Act.APPROVE, proposal=proposal.number)
    asking.cycle(20.0)
    assert asking.engine.done == [Step("ads", (Tasks("ads", "map", 3, 6),))]
    (record,) = asking.store.read_run(RUN.id).decisions
    assert record.decision.why == "ads misses its latency; approved by ann"
    assert asking.answers == [Answer.DONE]


def test_what_is_refused_is_not_done_nor_asked_again_for_a_while(asking: Governed) -> None:
    asking.cycle(10.0)
    asking.ask(Act.REFUSE, proposal=1)
    asking.cycle(20.0)
    asking.cycle(19.0 + REFUSED_FOR_S)
    assert (asking.answers, asking.engine.done) == ([Answer.REFUSED], [])
    asking.cycle(21.0 + REFUSED_FOR_S)
    assert asking.answers == [Answer.REFUSED, Answer.OPEN]


def test_a_proposal_that_nobody_answers_expires(asking: Governed) -> None:
    asking.cycle(10.0)
    asking.cycle(11.0 + ANSWER_WITHIN_S)
    assert asking.answers == [Answer.EXPIRED, Answer.OPEN]


def test_a_lever_that_a_person_asks_for_is_turned_once_ahead_of_the_policy(governed: Governed) -> None:
    governed.ask(Act.TURN, turn=Wish("tasks", "ads", 5, "map"))
    governed.cycle(10.0)
    assert governed.engine.done == [Step("ads", (Tasks("ads", "map", 3, 5),))]  # and not to 6, as the policy would
    (record,) = governed.store.read_run(RUN.id).decisions
    assert (record.decision.reason, record.decision.why) == (Reason.ASKED, "asked by ann")
    governed.cycle(20.0)
    assert governed.engine.done[1:] == [Step("ads", (Tasks("ads", "map", 3, 6),))]


def test_a_controller_that_is_started_again_turns_nothing_twice(governed: Governed) -> None:
    governed.ask(Act.TURN, turn=Wish("tasks", "fraud", 5, "map"))
    governed.cycle(10.0)
    governed.carried = None
    governed.cycle(20.0)
    assert [step.job for step in governed.engine.done].count("fraud") == 1


def test_what_is_asked_for_while_other_steps_go_on_is_done_as_soon_as_they_do_not(asking: Governed) -> None:
    asking.cycle(10.0)
    asking.ask(Act.APPROVE, proposal=1)
    asking.ask(Act.TURN, turn=Wish("tasks", "fraud", 5, "map"))
    asking.engine = Busy(error=NothingDoneError("acting waits for acting, which has gone on for 25 s"))
    said = "acting failed: acting waits for acting, which has gone on for 25 s; nothing of it was done"
    assert asking.cycle(20.0).error == f"{said}; the next round is in 10 s"
    refused = [record.errors for record in asking.store.read_run(RUN.id).decisions]
    assert refused == [(f"fraud: {said}",), (f"ads: {said}",)]
    asking.cycle(30.0)
    assert {step.job for step in asking.engine.done} == {"ads", "fraud"}
    assert asking.answers == [Answer.DONE]
    asking.cycle(40.0)
    assert [step.job for step in asking.engine.done].count("fraud") == 1


def test_what_was_begun_and_comes_to_no_end_in_time_is_asked_of_nobody_twice(governed: Governed) -> None:
    governed.ask(Act.TURN, turn=Wish("tasks", "fraud", 5, "map"))
    governed.engine = Busy(error=EngineError("acting has not come to an end within 19 s"))
    said = "acting failed: acting has not come to an end within 19 s; how much of it was done is not known"
    assert governed.cycle(10.0).error == f"{said}; the next round is in 10 s"
    governed.cycle(20.0)
    assert [step.job for step in governed.engine.done] == ["ads"]


def test_what_a_person_asks_for_needs_no_approval_and_no_answer_to_what_waits(asking: Governed) -> None:
    asking.cycle(10.0)  # the policy asks for 6, and ads is held as it is
    asking.ask(Act.TURN, turn=Wish("tasks", "ads", 5, "map"))
    asking.cycle(20.0)
    assert asking.engine.done == [Step("ads", (Tasks("ads", "map", 3, 5),))]


def test_what_is_approved_while_a_person_turns_the_same_lever_is_not_done(asking: Governed) -> None:
    asking.cycle(10.0)
    asking.ask(Act.APPROVE, proposal=1)
    asking.ask(Act.TURN, turn=Wish("tasks", "ads", 5, "map"))
    asking.cycle(20.0)
    assert asking.engine.done == [Step("ads", (Tasks("ads", "map", 3, 5),))]
    assert asking.answers == [Answer.EXPIRED]


def test_what_is_asked_of_a_paused_controller_is_not_done_and_said(governed: Governed) -> None:
    governed.ask(Act.PAUSE)
    governed.ask(Act.TURN, turn=Wish("tasks", "ads", 5, "map"))
    governed.cycle(10.0)
    governed.ask(Act.RESUME)
    governed.cycle(20.0)
    assert governed.engine.done == [Step("ads", (Tasks("ads", "map", 3, 6),))]  # the policy's own
    note = "paused by ann: watching only; ads: tasks of map 5, asked by ann, is not done"
    assert note in [note.text for note in governed.store.read_run(RUN.id).notes]


def test_what_is_asked_in_a_dry_run_is_recorded_and_not_carried_out(governed: Governed) -> None:
    governed.ask(Act.DRY_RUN)
    governed.ask(Act.TURN, turn=Wish("tasks", "ads", 5, "map"))
    governed.cycle(10.0)
    (record,) = governed.store.read_run(RUN.id).decisions
    assert (record.decision.reason, record.outcomes, governed.engine.done) == (Reason.ASKED, (), [])


def test_every_act_is_in_the_audit_log_and_taken_once(governed: Governed) -> None:
    governed.ask(Act.PAUSE)
    governed.cycle(10.0)
    (entry,) = governed.store.audit(RUN.id)
    assert (entry.who, entry.act, entry.at_epoch_s) == ("ann", "pause", 5.0)
    (filed,) = governed.store.desk.filed(RUN.id)
    assert filed.taken_at_s == 10.0


def test_the_card_says_how_the_controller_stands(asking: Governed) -> None:
    asking.ask(Act.PAUSE)
    asking.cycle(10.0)
    card = asking.store.desk.card(RUN.id)
    assert card is not None
    assert (card.paused_by, card.dry_run, card.approval, card.at_s) == ("ann", False, ("ads",), 10.0)
    assert (card.alive(24.0), card.alive(41.0)) == (True, False)
