"""What a store keeps of a run is all that its policy saw: shown it again, it decides the same."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from penstock.core.plan import Outcome, Plan, Step, StepOutcome
from penstock.core.ports import Policy, PolicyMemory
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.routes import RouteFigures
from penstock.core.seen.view import View, snapshot_of
from penstock.loop import Loop, LoopSettings
from penstock.planning.guards.limits import within_limits
from penstock.planning.registry import policy_named
from penstock.planning.routing_settings import RoutingSettings
from penstock.store.open import open_store
from tests.planning.routing.cases import grouped
from tests.recorded import ERRORS, FORETOLD, RUN, SHORTFALL, URGENT, a_decision, a_view


@dataclass(frozen=True, slots=True)
class Counted:
    rounds: int = 0


def again(policy: Policy, views: Iterable[View], from_s: float = 0.0) -> list[Plan]:
    """The plans of a policy that is shown what was recorded, from where the run was governed."""
    memory, plans = policy.start(), []
    for view in views:
        if view.at_s >= from_s:
            plan, memory = policy.decide(view, memory)
            plans.append(within_limits(plan, view))
    return plans


@dataclass(frozen=True, slots=True)
class Foretelling:
    """Acts in every round, says what it expects, how far off it was, and that no shares meet all."""

    name: str = "foretelling"

    def start(self) -> Counted:
        return Counted()

    def decide(self, view: View, memory: Counted) -> tuple[Plan, Counted]:
        decision = replace(a_decision(view.at_s), foretold=FORETOLD)
        return Plan((decision,), errors=ERRORS, shortfall=SHORTFALL), Counted(memory.rounds + 1)


def test_predictions_go_through_the_loop_into_the_store_and_are_made_again_of_what_was_recorded(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        loop = Loop(
            Routed(),
            Foretelling(),
            store,
            LoopSettings(approval=frozenset({"nobody"})),
            intents=lambda: {"ads": URGENT, "fraud": URGENT},
        )
        carried = loop.start()
        for at_s in (10.0, 20.0):
            carried = loop.run_cycle(carried, at_s)
        run = store.read_run(RUN.id)
        plans = again(Foretelling(), store.views(RUN.id))
    assert [record.decision.foretold for record in run.decisions] == [FORETOLD, FORETOLD]
    assert [[d.foretold for d in plan.decisions] for plan in plans] == [[FORETOLD], [FORETOLD]]
    assert (run.prediction_errors, [note.text for note in run.shortfalls]) == (ERRORS, [SHORTFALL])
    assert [(plan.errors, plan.shortfall) for plan in plans] == [(ERRORS, SHORTFALL)] * 2


def test_a_view_gives_back_the_figures_that_the_engine_gave() -> None:
    view = a_view(10.0)
    expected = Snapshot(10.0, tuple(job.figures for job in view.jobs), view.machines, max_threads=40)
    assert snapshot_of(view) == expected


@dataclass
class Routed:
    """An engine that tells a route by its last window: from 20 s on by the first, from 60 s on by the second."""

    def observe(self, now: float) -> Snapshot:
        told = () if now < 20.0 else (self._route(1 if now < 60.0 else 2),)
        return replace(snapshot_of(a_view(now)), routes=told)

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return Outcome(tuple(StepOutcome(step) for step in steps))

    def _route(self, window: int) -> RouteFigures:
        pairs = grouped(window)
        links = {("region", "hashtag"): pairs}
        return RouteFigures("ads", "tags", 6, 600.0, links, links, 10_000.0, window=window)


@dataclass(frozen=True, slots=True)
class Noting:
    """Any policy, whose plans are noted."""

    inner: Policy
    plans: list[Plan] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.inner.name

    def start(self) -> PolicyMemory:
        return self.inner.start()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, PolicyMemory]:
        plan, memory = self.inner.decide(view, memory)
        self.plans.append(plan)
        return plan, memory


def test_a_recorded_run_leads_to_the_same_plans_routing_included(tmp_path: Path) -> None:
    policy = policy_named("static", routing=RoutingSettings("act"))
    noting = Noting(policy)
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        loop = Loop(
            Routed(), noting, store, LoopSettings(govern_from_s=40.0), intents=lambda: {"ads": URGENT, "fraud": URGENT}
        )
        carried = loop.start()
        for number in range(1, 10):
            carried = loop.run_cycle(carried, 10.0 * number)
        plans = again(policy, store.views(RUN.id), from_s=40.0)
    assert plans == noting.plans
    assert [len(plan.decisions) for plan in plans] == [1, 0, 1, 0, 0, 0]  # one for each window
