"""The loop: see, understand, decide, act, remember; every few seconds, for all tenants at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf

from penstock.actuation.order import order
from penstock.analysis.assess import STALE_AFTER_S, assess
from penstock.analysis.verdicts import OpenDecisions
from penstock.core.cycle import Cycle
from penstock.core.figures import Snapshot
from penstock.core.intents import Intent
from penstock.core.orders import Answer, Control, NoControl, Orders
from penstock.core.outlook import JobOutlook, standing
from penstock.core.plan import Outcome, Plan, Reason
from penstock.core.ports import Clock, Engine, Memory, Policy, Store
from penstock.core.view import View
from penstock.planning.approval import held_still, renewed, split
from penstock.planning.provision.advise import JobModels, advised


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop runs. Rounds are 10 s apart in Henge, section 4.3.1."""

    interval_s: float = 10.0
    govern_from_s: float = 0.0  # only watch before this
    stale_after_s: float = STALE_AFTER_S
    dry_run: bool = False  # decide and say so, but do nothing
    approval: frozenset[str] = frozenset()  # jobs whose tenants are asked before anything is done to them


@dataclass(frozen=True, slots=True)
class Carried:
    """What one turn hands to the next."""

    memory: Memory
    open_decisions: OpenDecisions = OpenDecisions()
    outlooks: Mapping[str, JobOutlook] = field(default_factory=dict)  # that hold, by job
    deeds_until_s: float = -inf  # what the engine did by itself is in the record up to then

    def with_new_deeds(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with those deeds only that no cycle before has recorded."""
        return replace(snapshot, deeds=tuple(deed for deed in snapshot.deeds if deed.at_s > self.deeds_until_s))


@dataclass(frozen=True, slots=True)
class Governor:
    """One engine, one policy, one store, and the intents that they serve."""

    engine: Engine
    policy: Policy
    store: Store
    settings: LoopSettings = LoopSettings()
    control: Control = NoControl()
    models: Mapping[str, JobModels] = field(default_factory=dict)  # of jobs whose operators were profiled

    def start(self) -> Carried:
        """What to go on from: the stored memory of an earlier controller, or a fresh one."""
        fresh = self.policy.start()
        stored = self.store.last_memory(self.policy.name, type(fresh))
        return Carried(fresh if stored is None else stored)

    def run_cycle(self, intents: Mapping[str, Intent], carried: Carried, now: float) -> Carried:
        """One turn of the loop."""
        orders = self.control.orders(now)  # hear
        snapshot = carried.with_new_deeds(self.engine.observe(now))  # see
        wanted = {name: orders.intents.get(name, intent) for name, intent in intents.items()}
        seen = assess(snapshot, wanted, self.settings.stale_after_s, carried.outlooks)  # understand
        view = advised(seen, self.models)
        plan, memory = self._decide(view, carried.memory, orders)  # decide
        done = tuple(decision for decision in plan.decisions if decision.reason is not Reason.ADVISED)
        open_decisions, verdicts = carried.open_decisions.judge(view, done)
        plan = replace(plan, verdicts=verdicts) if verdicts else plan
        cycle = Cycle(now, self.policy.name, view, plan, Outcome(), memory)
        steps = () if self._dry_run(orders) else order(plan)
        if steps:
            self.store.announce(cycle)
        self.store.append(replace(cycle, outcome=self.engine.apply(steps)))  # act, and remember
        deeds_until_s = max((deed.at_s for deed in snapshot.deeds), default=carried.deeds_until_s)
        return Carried(memory, open_decisions, standing(carried.outlooks, plan.outlooks, now), deeds_until_s)

    def _dry_run(self, orders: Orders) -> bool:
        return self.settings.dry_run if orders.dry_run is None else orders.dry_run

    def _decide(self, view: View, memory: Memory, orders: Orders) -> tuple[Plan, Memory]:
        if orders.paused_by is not None:
            return Plan(note=f"paused by {orders.paused_by}: watching only"), memory
        if view.at_s < self.settings.govern_from_s:
            return Plan(note="watching only, not governing yet"), memory
        plan, memory = self.policy.decide(held_still(view, orders.held), memory)
        if self._dry_run(orders):
            return plan, memory
        return self._as_approved(plan, view, orders), memory

    def _as_approved(self, plan: Plan, view: View, orders: Orders) -> Plan:
        """The plan without what tenants must be asked first, and with what they said yes to."""
        parts = split(plan, self.settings.approval, orders.held)
        for decision in parts.asked:
            self.control.propose(decision)
        decisions = parts.plan.decisions
        for proposal, approved in renewed(orders.approved, view):
            self.control.settle(proposal, Answer.EXPIRED if approved is None else Answer.DONE, view.at_s)
            decisions += () if approved is None else (approved,)
        return replace(parts.plan, decisions=decisions)


def drive(
    governor: Governor,
    intents: Callable[[], Mapping[str, Intent]],
    clock: Clock,
    until_s: float,
    on_cycle: Callable[[float], None] = lambda now: None,
) -> None:
    """Repeat the cycle until `until_s`, or until the clock says to stop."""
    carried = governor.start()
    due = clock.now()
    while True:
        # A late cycle is not made up for: the next one is due an interval after now.
        due = max(due + governor.settings.interval_s, clock.now())
        if due > until_s or not clock.wait_until(due):
            return
        carried = governor.run_cycle(intents(), carried, clock.now())
        on_cycle(clock.now())
