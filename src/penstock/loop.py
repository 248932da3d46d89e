"""The loop: see, understand, decide, act, remember; every few seconds, for all tenants at once.

Whatever goes wrong in a round is recorded with it, and the next round comes a little later: nobody is governed by a
loop that has ended. Only a controller that was taken over ends.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

from penstock.actuation.order import order
from penstock.analysis.assess import STALE_AFTER_S, aged, assess
from penstock.analysis.budgets import Ledgers, budgeted, with_ledgers, without_ledger
from penstock.analysis.verdicts import OpenDecisions, judged_later, resumed
from penstock.core.asked.intent_hours import asked_at, limited
from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Answer, Control, NoControl, Orders, Proposal
from penstock.core.asked.price import Price
from penstock.core.cycle import Cycle
from penstock.core.known.outlook import JobOutlook, standing
from penstock.core.known.settling import LONGEST_SETTLE_S, OPEN_AT_MOST_S
from penstock.core.plan import Decision, Outcome, Plan, Reason, Step, StepOutcome
from penstock.core.ports import Clock, Engine, Policy, PolicyMemory, Store, start_by_hand
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import View
from penstock.engines.hand import CycleLimits
from penstock.errors import ConfigError, NothingDoneError
from penstock.planning.asked import asked_for, levers_of, watching, with_asked
from penstock.planning.guards.approval import held_still, renewed, split
from penstock.troubles import Stage, Troubles, Unstored

_log = logging.getLogger("penstock")

_SOONEST_S = 1.0  # after a round, whatever a policy asks for
_MOST_DOUBLINGS = 32  # by then any interval is beyond any bound, and a day of failures overflows no float


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop runs. Rounds are 10 s apart in Henge, section 4.3.1."""

    interval_s: float = 10.0
    govern_from_s: float = 0.0  # only watch before this
    stale_after_s: float = STALE_AFTER_S
    dry_run: bool = False  # decide and say so, but do nothing
    approval: frozenset[str] = frozenset()  # jobs whose tenants are asked before anything is done to them
    go_on: bool = True  # after an error; False raises it, as in a simulation, where it is a defect and nobody waits
    back_off_factor: float = 2.0  # times the interval, for each round after the first that fails in a row
    back_off_at_most: float = 3.0  # intervals after a failed round the next one comes, however many have failed
    window_s: float | None = None  # that the engine's figures look back; None: nobody says

    def __post_init__(self) -> None:
        for name, factor in (("back_off_factor", self.back_off_factor), ("back_off_at_most", self.back_off_at_most)):
            if not factor >= 1:
                raise ConfigError(name, factor, "write 1 or more")

    def wait_s(self, failures: int, again_s: float | None = None) -> float:
        """How long after a round the next one comes, when so many in a row have failed, or the policy asks for it.

        >>> [LoopSettings().wait_s(failures) for failures in range(6)]
        [10.0, 10.0, 20.0, 30.0, 30.0, 30.0]
        >>> LoopSettings().wait_s(0, 2.0), LoopSettings().wait_s(1, 2.0), LoopSettings(interval_s=1.0).wait_s(0, 2.0)
        (2.0, 10.0, 1.0)
        """
        if again_s is not None and not failures:
            return min(max(again_s, _SOONEST_S), self.interval_s)
        longer = self.back_off_factor ** min(max(failures - 1, 0), _MOST_DOUBLINGS)
        return self.interval_s * min(longer, self.back_off_at_most)


@dataclass(frozen=True, slots=True)
class Carried:
    """What one turn hands to the next."""

    memory: PolicyMemory
    open_decisions: OpenDecisions = OpenDecisions()
    outlooks: Mapping[str, JobOutlook] = field(default_factory=dict)  # that hold, by job
    intents: Mapping[str, Intent] = field(default_factory=dict)  # of the file, heard last
    orders: Orders | None = None  # heard last
    view: View | None = None  # seen last
    failures: int = 0  # rounds in a row, up to the last one, that failed
    again_s: float | None = None  # how soon its policy wants to be asked again
    said: tuple[str, ...] = ()  # what went wrong between rounds
    error: str | None = None  # of the last round
    unstored: Unstored = Unstored()
    deeds_until_s: float = -inf  # what the engine did by itself is in the record up to then
    ledgers: Ledgers = field(default_factory=dict)  # of those with an error budget, by job

    def with_new_deeds(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with those deeds only that no cycle before has recorded."""
        return replace(snapshot, deeds=tuple(deed for deed in snapshot.deeds if deed.at_s > self.deeds_until_s))


def as_seen(view: View) -> View:
    """Where nothing is known beforehand: no more than what is seen."""
    return view


@dataclass(frozen=True, slots=True)
class Loop:
    """One engine, one policy, one store, and the intents that they serve."""

    engine: Engine
    policy: Policy
    store: Store
    settings: LoopSettings = LoopSettings()
    control: Control = NoControl()
    advice: Callable[[View], View] = as_seen  # what is known beforehand of jobs, beside what is seen of them
    between: Callable[[], Sequence[str]] = tuple  # what went wrong between rounds, in words, each told once
    began_epoch_s: float = 0.0  # when the run did: the calendar's time is that and the run's clock
    limits: CycleLimits = CycleLimits()  # for how long its engine and its policy are waited for
    intents: Callable[[], Mapping[str, Intent]] = dict  # what is wanted of each job, by its file
    slot_price: Price | None = None

    def start(self, now: float = 0.0) -> Carried:
        """What to go on from: the stored memory of an earlier controller and what it left open, or a fresh one."""
        fresh, stored = self.limits.deciding.do("starting the policy", self.policy.start), None
        troubles = self.troubles()
        with troubles.during(Stage.STORING):
            stored = self.store.last_memory(self.policy.name, type(fresh))
        window_s = self.settings.window_s
        left_open = OpenDecisions(window_s=window_s)
        with troubles.during(Stage.STORING):
            left_open = resumed(self.store.past_cycles(now - OPEN_AT_MOST_S, before_s=LONGEST_SETTLE_S), now, window_s)
        return Carried(fresh if stored is None else stored, left_open, said=tuple(troubles.said))

    def troubles(self) -> Troubles:
        """For what may go wrong now."""
        return Troubles(self.settings.go_on)

    def run_cycle(self, carried: Carried, now: float) -> Carried:
        """One turn of the loop."""
        troubles = Troubles(self.settings.go_on, [*carried.said, *self.between()])
        orders = self._hear(carried, now, troubles)
        self._start(() if orders is None else orders.starts, troubles)
        with troubles.during(Stage.HEARING):
            carried = replace(carried, intents=self.intents())
        wanted = {name: _wanted(name, intent, orders) for name, intent in carried.intents.items()}
        snapshot, view, ledgers = None, None, self._ledgers(wanted, carried.ledgers, now, troubles)
        with troubles.during(Stage.OBSERVING):
            snapshot = carried.with_new_deeds(self.limits.seeing.do("observing", lambda: self.engine.observe(now)))
        if snapshot is not None:
            with troubles.during(Stage.JUDGING):
                at_epoch_s = self.began_epoch_s + snapshot.at_s
                asked = {name: asked_at(intent, at_epoch_s) for name, intent in wanted.items()}
                seen = assess(snapshot, asked, self.settings.stale_after_s, carried.outlooks)
                seen, looked = budgeted(seen, ledgers, at_epoch_s)
                view, ledgers = replace(self.advice(seen), slot_price=self.slot_price), looked
        if view is None:
            view, memory = aged(carried.view, now), carried.memory
            plan = watching("", () if orders is None else orders.turns)
        else:
            plan, memory = self._decide(view, carried.memory, orders, troubles)
        open_decisions, plan = self._judge(view, plan, carried.open_decisions, orders, troubles)
        cycle, begun = self._act(Cycle(now, self.policy.name, view, plan, Outcome(), memory), orders, troubles)
        if orders is not None and begun:
            self._note_done(cycle, orders, troubles)
        after = replace(
            carried, memory=memory, open_decisions=open_decisions, orders=orders, view=view, ledgers=ledgers
        )
        return self._kept(cycle, replace(after, said=()), troubles)

    def _hear(self, carried: Carried, now: float, troubles: Troubles) -> Orders | None:
        """What is asked; where nobody can be heard what was asked last, without what was done of it then."""
        with troubles.during(Stage.HEARING):
            return self.control.orders(now)
        return None if carried.orders is None else replace(carried.orders, approved=(), turns=(), starts=())

    def _start(self, jobs: Iterable[str], troubles: Troubles) -> None:
        """What people want started is, also while governing is paused: so does the engine by itself."""
        for job in jobs:
            with troubles.during(Stage.STARTING):
                self.limits.starting.do("asking for a start", partial(start_by_hand, self.engine, job))

    def _ledgers(self, wanted: Mapping[str, Intent], ledgers: Ledgers, now: float, troubles: Troubles) -> Ledgers:
        """Those that there are, and those that budgets begin with that were not asked for before."""
        budgets = without_ledger(wanted, ledgers)
        if not budgets:
            return ledgers
        at_epoch_s = self.began_epoch_s + now
        with troubles.during(Stage.STORING):
            windows = {name: self.store.windows(name, asked, at_epoch_s) for name, asked in budgets.items()}
            return with_ledgers(ledgers, budgets, windows, at_epoch_s)
        return ledgers

    def _decide(
        self, view: View, memory: PolicyMemory, orders: Orders | None, troubles: Troubles
    ) -> tuple[Plan, PolicyMemory]:
        """The plan and the memory after it; both as if nothing had been asked of the policy where it fails."""
        if orders is None:
            return Plan(note="watching only: requests could not be read yet"), memory
        if orders.paused_by is not None:
            return watching(f"paused by {orders.paused_by}: watching only", orders.turns), memory
        if view.at_s < self.settings.govern_from_s:
            return watching("watching only, not governing yet", orders.turns), memory
        asked = Plan()
        with troubles.during(Stage.DECIDING):
            asked = asked_for(orders.turns, view)
            left = held_still(view, orders.held.difference(*(decision.jobs for decision in asked.decisions)))
            plan, after = self.limits.deciding.do("the policy", lambda: self.policy.decide(left, memory))
            plan = with_asked(asked, plan, left)
            if self._dry_run(orders):
                return plan, after
            parts = split(plan, self.settings.approval, orders.held)
            self._ask(parts.asked, troubles)
            own = parts.plan.decisions
            return replace(parts.plan, decisions=(*own, *self._approved(own, view, orders, troubles))), after
        with troubles.during(Stage.DECIDING):
            return with_asked(asked, Plan(), view), memory  # a person is heard also where the policy fails
        return Plan(), memory

    def _ask(self, decisions: Iterable[Decision], troubles: Troubles) -> None:
        """Tenants are asked whether that may be done."""
        for decision in decisions:
            with troubles.during(Stage.ASKING):
                self.control.propose(decision)

    def _approved(self, beside: Iterable[Decision], view: View, orders: Orders, troubles: Troubles) -> list[Decision]:
        """What tenants said yes to since they were asked, as decisions of now, beside those that are done anyway."""
        asked = levers_of(decision for decision in beside if decision.reason is Reason.ASKED)
        decisions: list[Decision] = []
        for proposal, answer, approved in renewed(orders.approved, view, asked):
            if approved is not None:
                decisions.append(approved)
                continue
            with troubles.during(Stage.ASKING):
                self.control.settle(proposal, answer, view.at_s)
        return decisions

    def _dry_run(self, orders: Orders) -> bool:
        return self.settings.dry_run if orders.dry_run is None else orders.dry_run

    def _judge(
        self, view: View, plan: Plan, open_decisions: OpenDecisions, orders: Orders | None, troubles: Troubles
    ) -> tuple[OpenDecisions, Plan]:
        """The decisions that still wait for a verdict, and the plan with the verdicts on those that do no more."""
        with troubles.during(Stage.JUDGING):
            idle = orders is None or orders.paused_by is not None
            left, verdicts = open_decisions.judge(view, judged_later(plan.decisions), note=plan.note, idle=idle)
            return left, replace(plan, verdicts=verdicts) if verdicts else plan
        return open_decisions, plan

    def _act(self, cycle: Cycle, orders: Orders | None, troubles: Troubles) -> tuple[Cycle, bool]:
        """The cycle with what came of its plan, and whether that was begun if there was anything to do.

        Its memory is that of a policy that has acted, also where acting failed: part of it may be done, and policies
        look at what came.
        """
        steps: tuple[Step, ...] = ()
        with troubles.during(Stage.DECIDING):
            steps = () if orders is None or self._dry_run(orders) else order(cycle.plan)
        if not steps:
            return cycle, True
        with troubles.during(Stage.STORING):
            self.store.announce(cycle)
        # Once more right before the deed, as after a pause of this process. Where the store cannot say, what is done is
        # between the engine and whoever watches over this process.
        with troubles.during(Stage.STORING):
            self.store.check_ours()
        begun = True
        with troubles.during(Stage.ACTING):
            try:
                return replace(cycle, outcome=self.limits.acting.do("acting", lambda: self.engine.apply(steps))), begun
            except NothingDoneError:
                begun = False  # what people asked for stays asked for
                raise
        why, undone = troubles.said[-1], False if begun else None
        return replace(cycle, outcome=Outcome(tuple(StepOutcome(step, why, undone) for step in steps))), begun

    def _note_done(self, cycle: Cycle, orders: Orders, troubles: Troubles) -> None:
        """What people asked for is noted as done after the deed: a driver that dies before has the next one do it."""
        if orders.turns or orders.starts:
            with troubles.during(Stage.ASKING):
                self.control.turned(cycle.at_s)
        done: list[Proposal] = []
        with troubles.during(Stage.ASKING):
            found = renewed(orders.approved, cycle.view)
            done = [proposal for proposal, _, approved in found if approved in cycle.plan.decisions]
        for proposal in done:
            with troubles.during(Stage.ASKING):
                self.control.settle(proposal, Answer.DONE, cycle.at_s)

    def _kept(self, cycle: Cycle, carried: Carried, troubles: Troubles) -> Carried:
        """Keep the cycle, with what went wrong in it and what was not kept before; or carry that on."""
        failures = carried.failures + 1 if troubles.failed else 0
        now = troubles.text(self.settings.wait_s(failures))
        error = "; ".join(text for text in (now, carried.unstored.text()) if text) or None
        if now is not None and now != carried.error:
            _log.warning("%.0f s: %s", cycle.at_s, now)
        after = replace(
            carried,
            failures=failures,
            again_s=cycle.plan.again_s,
            error=now,
            unstored=Unstored(),
            outlooks=standing(carried.outlooks, cycle.plan.outlooks, cycle.at_s),
            deeds_until_s=max((deed.at_s for deed in cycle.view.deeds), default=carried.deeds_until_s),
        )
        storing = self.troubles()
        with storing.during(Stage.STORING):
            self.store.append(replace(cycle, error=error))
            return after
        if not carried.unstored.count:
            _log.warning("%.0f s: %s; governing goes on", cycle.at_s, storing.said[0])
        return replace(after, unstored=carried.unstored.and_also(cycle, now or "", storing.said[0]))


def _wanted(name: str, intent: Intent, orders: Orders | None) -> Intent:
    """What is asked of a job: by its file, or by a person since, within the file's budget and excluded periods."""
    asked = None if orders is None else orders.intents.get(name)
    return intent if asked is None else limited(asked, intent)


def drive(
    loop: Loop,
    clock: Clock,
    until_s: float,
    on_cycle: Callable[[float], None] = lambda now: None,
    carried: Carried | None = None,
    newest: Callable[[], Loop] | None = None,
) -> Carried:
    """Repeat the cycle until `until_s`, once at least, or until the clock says to stop; what another goes on from.

    `carried` is what an earlier one came to, else the stored memory is where it begins. `newest` says before each
    round who governs from then on: by a policy of the same kind, with whose memory it goes on.
    """
    carried = loop.start(clock.now()) if carried is None else carried
    due, first = clock.now(), True
    while True:
        # A late cycle is not made up for: the next one is due an interval after now.
        due = max(due + loop.settings.wait_s(carried.failures, carried.again_s), clock.now())
        # What is left at the end may be too short for another round: the jobs have it all the same. A run that is
        # shorter than a round, or was as slow to begin, has one all the same: else it would tell of nothing.
        if not clock.wait_until(min(due, until_s)) or (due > until_s and not first):
            return carried
        due, first = min(due, clock.now()), False  # who waits for somebody in a hurry waits no longer
        loop = loop if newest is None else newest()
        carried = loop.run_cycle(carried, clock.now())
        troubles = loop.troubles()
        with troubles.during(Stage.TELLING):
            on_cycle(clock.now())
        carried = replace(carried, said=tuple(troubles.said))
