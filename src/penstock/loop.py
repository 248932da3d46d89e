"""The loop: see, understand, decide, act, remember; every few seconds, for all tenants at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from penstock.actuation.order import order
from penstock.analysis.assess import STALE_AFTER_S, assess
from penstock.analysis.verdicts import OpenDecisions
from penstock.core.cycle import Cycle
from penstock.core.intents import Intent
from penstock.core.plan import Outcome, Plan, Reason
from penstock.core.ports import Clock, Engine, Memory, Policy, Store


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop runs. Rounds are 10 s apart in Henge, section 4.3.1."""

    interval_s: float = 10.0
    govern_from_s: float = 0.0  # only watch before this
    stale_after_s: float = STALE_AFTER_S
    dry_run: bool = False  # decide and say so, but do nothing


@dataclass(frozen=True, slots=True)
class Carried:
    """What one turn hands to the next."""

    memory: Memory
    open_decisions: OpenDecisions = OpenDecisions()


@dataclass(frozen=True, slots=True)
class Governor:
    """One engine, one policy, one store, and the intents that they serve."""

    engine: Engine
    policy: Policy
    store: Store
    settings: LoopSettings = LoopSettings()

    def start(self) -> Carried:
        """What to go on from: the stored memory of an earlier controller, or a fresh one."""
        fresh = self.policy.start()
        stored = self.store.last_memory(self.policy.name, type(fresh))
        return Carried(fresh if stored is None else stored)

    def run_cycle(self, intents: Mapping[str, Intent], carried: Carried, now: float) -> Carried:
        """One turn of the loop."""
        snapshot = self.engine.observe(now)  # see
        view = assess(snapshot, intents, self.settings.stale_after_s)  # understand
        plan, memory = Plan(note="watching only, not governing yet"), carried.memory
        if now >= self.settings.govern_from_s:
            plan, memory = self.policy.decide(view, memory)  # decide
        done = tuple(decision for decision in plan.decisions if decision.reason is not Reason.ADVISED)
        open_decisions, verdicts = carried.open_decisions.judge(view, done)
        plan = replace(plan, verdicts=verdicts) if verdicts else plan
        cycle = Cycle(now, self.policy.name, view, plan, Outcome(), memory)
        steps = () if self.settings.dry_run else order(plan)
        if steps:
            self.store.announce(cycle)
        self.store.append(replace(cycle, outcome=self.engine.apply(steps)))  # act, and remember
        return Carried(memory, open_decisions)


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
