"""The loop keeps budgets from what it sees and what a store kept, and asks only what holds at that time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.asked.hours import Excluded, Hours
from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.orders import NoControl, Orders
from penstock.core.plan import Outcome, Plan, Step
from penstock.core.ports import PolicyMemory
from penstock.core.seen.figures import LatencyFigures, Snapshot
from penstock.core.seen.states import State, state_of
from penstock.core.seen.view import JobView, View, snapshot_of
from penstock.loop import Carried, Loop
from penstock.store.memory import MemoryStore
from tests.recorded import Noted, a_job, a_view

DAY = Budget.of("99%", windows="1m", over="1h")
STARTED_S = 1_000_000_020.0  # within a minute of the epoch's
SIX_S = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Late:
    """An engine whose one job is so late."""

    latency_s: float

    def observe(self, now: float) -> Snapshot:
        ads = a_job("ads")
        figures = replace(ads.figures, latency=LatencyFigures(self.latency_s))
        return snapshot_of(a_view(now, [replace(ads, figures=figures)]))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return Outcome()


@dataclass(frozen=True, slots=True)
class Watching:
    """Decides nothing."""

    name: str = "watching"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        return Plan(), Noted(memory.rounds + 1)


@dataclass(frozen=True, slots=True)
class Asking(NoControl):
    """Somebody wants something else of ads."""

    wanted: Intent = Intent(Latency("60s"))

    def orders(self, now: float) -> Orders:
        return Orders(intents={"ads": self.wanted})


def seen(store: MemoryStore) -> list[JobView]:
    (run,) = store.runs()
    return [view.job("ads") for view in store.views(run.id)]


def governed(
    intent: Intent, rounds: Sequence[float], latency_s: float = 9.0, began_s: float = STARTED_S
) -> list[JobView]:
    store = MemoryStore()
    loop = Loop(Late(latency_s), Watching(), store, began_epoch_s=began_s, intents=lambda: {"ads": intent})
    carried = loop.start()
    for at_s in rounds:
        carried = loop.run_cycle(carried, at_s)
    return seen(store)


def test_a_budget_is_spent_and_its_tenant_counts_for_more_from_then_on() -> None:
    first, *_, last = governed(Intent(Latency("3s", utility=30), budget=DAY), [10.0, 20.0, 30.0, 70.0])
    assert first.spent is not None
    assert last.spent is not None
    assert (first.spent.bad, last.spent.bad) == (1, 2)  # the windows begin at 999,999,960, 1,000,000,020 and ...,080
    assert last.window == BudgetWindow(STARTED_S + 60.0, bad=1)
    assert (last.urgency, last.max_utility) == (3.0, 90.0)


def test_who_comes_after_goes_on_with_the_windows_that_a_store_kept() -> None:
    store, intent = MemoryStore(), Intent(Latency("3s"), budget=DAY)
    for at_s in (10.0, 70.0):  # each a controller of its own
        loop = Loop(Late(9.0), Watching(), store, began_epoch_s=STARTED_S, intents=lambda: {"ads": intent})
        loop.run_cycle(loop.start(), at_s)
    spent = seen(store)[-1].spent
    assert spent is not None
    assert spent.bad == 2


def test_what_is_asked_at_some_hours_only_is_judged_then_only() -> None:
    by_day = Intent(Latency("3s", utility=30, hours=Hours.of("06:00", "20:00")), budget=DAY)
    night, day = governed(by_day, [SIX_S - 10.0, SIX_S + 10.0], began_s=0.0)
    assert (state_of(night), state_of(day)) == (State.RESTING, State.MISSING)
    assert night.spent is not None
    assert night.spent.bad == 0
    assert day.max_utility >= 30.0


def test_in_an_excluded_period_nothing_is_missed() -> None:
    moved = Excluded(STARTED_S + 15.0, STARTED_S + 25.0, "the brokers are moved")
    states = [state_of(job) for job in governed(Intent(Latency("3s"), excluded=[moved]), [10.0, 20.0, 30.0])]
    assert states == [State.MISSING, State.RESTING, State.MISSING]


def test_what_a_person_asks_for_keeps_the_budget_and_the_excluded_periods_of_the_file() -> None:
    filed = Intent(Latency("3s"), budget=DAY, excluded=[Excluded(STARTED_S + 15.0, STARTED_S + 25.0, "a backfill")])
    store = MemoryStore()
    loop = Loop(Late(9.0), Watching(), store, control=Asking(), began_epoch_s=STARTED_S, intents=lambda: {"ads": filed})
    carried: Carried = loop.start()
    for at_s in (10.0, 20.0):
        carried = loop.run_cycle(carried, at_s)
    first, second = seen(store)
    assert (state_of(first), state_of(second)) == (State.FINE, State.RESTING)
    assert first.intent.budget == DAY
