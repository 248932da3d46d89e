"""Each look goes into a ledger; a budget that runs low raises what its tenant counts for, and nothing else."""

from dataclasses import replace

from penstock.analysis.budgets import budgeted, share_asked, with_ledgers, without_ledger
from penstock.analysis.verdicts import OpenDecisions
from penstock.core.asked.budget import Budget, BudgetWindow, WindowLook
from penstock.core.asked.hours import Hours
from penstock.core.asked.intent_hours import asked_at
from penstock.core.asked.intents import Intent, Latency
from penstock.core.levers import Tasks
from penstock.core.plan import Decision, Effect, Reason
from penstock.core.seen.states import State, state_of, tally_of
from penstock.core.seen.view import JobView
from penstock.planning.henge.actions import candidates
from tests.builders import job, view

TIGHT = Budget.of("99%", windows="1m", over="1h")  # 0.6 of 60 windows may be bad: one is too much


def with_budget(found: JobView, budget: Budget = TIGHT) -> JobView:
    return replace(found, intent=found.intent.lasting(budget))


def looked(*jobs: JobView, windows: tuple[BudgetWindow, ...] = (), at_s: float = 3600.0) -> tuple[JobView, ...]:
    budgets = without_ledger({one.name: one.intent for one in jobs}, {})
    ledgers = with_ledgers({}, budgets, dict.fromkeys(budgets, windows), at_s)
    return budgeted(view(at_s, jobs), ledgers, at_s)[0].jobs


def test_without_a_budget_nothing_changes() -> None:
    seen = view(10.0, [job("ads", 5.0)])
    assert budgeted(seen, {}, 10.0) == (seen, {})


def test_a_whole_budget_changes_nothing_but_what_is_told() -> None:
    before = with_budget(job("ads", 10.0))
    (after,) = looked(before, windows=(BudgetWindow(3000.0, good=6),))
    assert replace(after, spent=None, window=None) == before
    assert after.spent is not None
    assert after.spent.left == 1.0


def test_a_spent_budget_that_burns_makes_its_tenant_the_first_to_be_helped() -> None:
    """Both miss; what ads is worth beside the other turns once its budget is gone."""
    ads, clicks = with_budget(job("ads", 4.0, 8.0)), job("clicks", 6.0, 12.0)
    assert [one.name for one in candidates(view(3600.0, [ads, clicks]), set())] == ["clicks", "ads"]
    after = looked(ads, clicks, windows=(BudgetWindow(3000.0, bad=6), BudgetWindow(3060.0, bad=6)))
    assert [one.name for one in candidates(view(3600.0, after), set())] == ["ads", "clicks"]
    assert (after[0].urgency, after[0].utility, after[0].max_utility) == (3.0, 12.0, 24.0)
    assert after[0].stated == ads.intent
    assert after[1] == clicks


def test_states_are_what_looks_say() -> None:
    blind = replace(with_budget(job("ads", 0.0, up_s=300.0)), utility=None)
    stale, trouble = with_budget(job("ads", 10.0, fresh=False)), with_budget(job("ads", 10.0, trouble="it died"))
    for found, look in ((blind, WindowLook.UNKNOWN), (stale, WindowLook.UNKNOWN), (trouble, WindowLook.BAD)):
        (after,) = looked(found)
        assert after.window is not None
        assert getattr(after.window, look.value) == 1


def test_a_tenant_at_rest_is_nobodys_trouble_and_spends_nothing() -> None:
    by_day = Intent(Latency("1s", utility=10.0, hours=Hours.of("06:00", "20:00")), budget=TIGHT)
    late = replace(job("ads", 2.0), intent=asked_at(by_day, 3600.0), utility=1e-9, met=True)
    (after,) = looked(late, windows=(BudgetWindow(3000.0, bad=6), BudgetWindow(3060.0, bad=6)))
    assert state_of(after) is State.RESTING
    assert after.window == BudgetWindow(3600.0, idle=1)
    assert after.urgency == 1.0
    assert candidates(view(3600.0, [after]), set()) == []
    assert (tally_of(view(3600.0, [after])).judged, tally_of(view(3600.0, [after])).resting) == (0, 1)


def test_hours_shrink_a_budget_by_what_is_asked_of_the_period() -> None:
    daily = Budget.of("99%", windows="5m", over="28d")
    by_day = Intent(Latency("1s", hours=Hours.of("06:00", "18:00")), budget=daily)
    assert share_asked(asked_at(by_day, 0.0), 0.0) == 0.5
    assert share_asked(Intent(Latency("1s"), budget=daily), 0.0) == 1.0


def test_another_budget_begins_another_ledger() -> None:
    intents = {"ads": Intent(Latency("1s"), budget=TIGHT)}
    ledgers = with_ledgers({}, without_ledger(intents, {}), {}, 0.0)
    assert without_ledger(intents, ledgers) == {}
    wider = {"ads": intents["ads"].lasting(Budget.of("95%", windows="1m", over="1h"))}
    assert without_ledger(wider, ledgers) == {"ads": wider["ads"].budget}


def test_what_came_of_a_decision_is_known_though_the_tenants_budget_runs_low_meanwhile() -> None:
    """Its worth grows from round to round: that is no other intent, and no gain of the decision."""
    moved = Decision(Reason.RECONFIGURED, (Tasks("ads", "work", 4, 5),), "why", 0.0, 4.0, None)
    now_open, told = OpenDecisions(), []
    for number in range(10):
        windows = tuple(BudgetWindow(60.0 * one, bad=6) for one in range(number))
        (seen,) = looked(with_budget(job("ads", 0.37)), windows=windows, at_s=3000.0)
        now_open, verdicts = now_open.judge(view(10.0 * number, [seen]), [moved] if number == 0 else ())
        told += [(verdict.effect, verdict.text.partition(" (")[0]) for verdict in verdicts]
    assert told == [(Effect.SAME, "no change: utility of ads 0.4 -> 0.4")]
