"""A policy judged on what was recorded."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from penstock.core.plan import Outcome, Plan, Step, StepOutcome
from penstock.core.ports import Policy, PolicyMemory
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.routes import RouteFigures
from penstock.core.seen.view import View, snapshot_of
from penstock.loop import Governor, LoopSettings
from penstock.planning.registry import policy_named
from penstock.planning.routing_settings import RoutingSettings
from penstock.simulation.replay import replay
from penstock.store.open import open_store
from tests.planning.routing.cases import grouped
from tests.recorded import ERRORS, FORETOLD, RUN, SHORTFALL, URGENT, a_cycle, a_decision, a_view


@dataclass(frozen=True, slots=True)
class Counted:
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class EverySecond:
    """Acts in every second round."""

    name: str = "every-second"

    def start(self) -> Counted:
        return Counted()

    def decide(self, view: View, memory: Counted) -> tuple[Plan, Counted]:
        acts = memory.rounds % 2 == 1
        return Plan((a_decision(view.at_s),) if acts else ()), Counted(memory.rounds + 1)


def test_a_policy_sees_the_recorded_views_with_a_memory_of_its_own(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        for at_s in (10.0, 20.0, 30.0, 40.0):
            store.append(a_cycle(at_s))
        told = list(replay(EverySecond(), store.views(RUN.id)))
    assert [turn.view.at_s for turn in told if turn.plan.decisions] == [20.0, 40.0]
    assert told[-1].memory == Counted(4)


def test_a_run_that_only_watched_at_first_is_judged_from_where_it_governed() -> None:
    views = [a_view(at_s) for at_s in (10.0, 20.0, 30.0)]
    assert [turn.memory for turn in replay(EverySecond(), views, govern_from_s=20.0)] == [Counted(1), Counted(2)]


@dataclass(frozen=True, slots=True)
class Foretelling:
    """Acts in every round, says what it expects, how far off it was, and that no shares meet all."""

    name: str = "foretelling"

    def start(self) -> Counted:
        return Counted()

    def decide(self, view: View, memory: Counted) -> tuple[Plan, Counted]:
        decision = replace(a_decision(view.at_s), foretold=FORETOLD)
        return Plan((decision,), errors=ERRORS, shortfall=SHORTFALL), Counted(memory.rounds + 1)


def test_predictions_go_through_the_loop_into_the_store_and_are_made_again_in_a_replay(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        governor = Governor(
            Routed(),
            Foretelling(),
            store,
            LoopSettings(approval=frozenset({"nobody"})),
            intents=lambda: {"ads": URGENT, "fraud": URGENT},
        )
        carried = governor.start()
        for at_s in (10.0, 20.0):
            carried = governor.run_cycle(carried, at_s)
        run = store.read_run(RUN.id)
        replayed = [turn.plan for turn in replay(Foretelling(), store.views(RUN.id))]
    assert [record.decision.foretold for record in run.decisions] == [FORETOLD, FORETOLD]
    assert [[d.foretold for d in plan.decisions] for plan in replayed] == [[FORETOLD], [FORETOLD]]
    assert (run.prediction_errors, [note.text for note in run.shortfalls]) == (ERRORS, [SHORTFALL])
    assert [(plan.errors, plan.shortfall) for plan in replayed] == [(ERRORS, SHORTFALL)] * 2


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


def test_a_recorded_run_replays_to_the_same_plans_routing_included(tmp_path: Path) -> None:
    policy = policy_named("static", routing=RoutingSettings("act"))
    noting = Noting(policy)
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        governor = Governor(
            Routed(), noting, store, LoopSettings(govern_from_s=40.0), intents=lambda: {"ads": URGENT, "fraud": URGENT}
        )
        carried = governor.start()
        for number in range(1, 10):
            carried = governor.run_cycle(carried, 10.0 * number)
        replayed = [turn.plan for turn in replay(policy, store.views(RUN.id), govern_from_s=40.0)]
    assert replayed == noting.plans
    assert [len(plan.decisions) for plan in replayed] == [1, 0, 1, 0, 0, 0]  # one for each window
