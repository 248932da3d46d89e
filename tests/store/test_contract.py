"""What every store does."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from penstock.actuation.order import order
from penstock.core.asked.budget import Budget, BudgetWindow, Burn, SpentBudget
from penstock.core.asked.hours import Excluded
from penstock.core.asked.intent_hours import asked_at
from penstock.core.asked.intents import Intent, Latency, scaled
from penstock.core.asked.price import Price
from penstock.core.cycle import Cycle
from penstock.core.known.prediction import PredictionError
from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import (
    KINDS,
    WHOLE,
    WORDS,
    Dial,
    Disturbs,
    Move,
    Shows,
    Table,
    Tasks,
    move_of,
)
from penstock.core.plan import AGAIN, Effect, Outcome, Plan, Step, StepOutcome, Verdict
from penstock.core.run import Note
from penstock.core.seen.deeds import Deed
from penstock.core.seen.shares import Pool
from penstock.core.seen.states import State
from penstock.core.seen.trouble import TroubleId, TroubleKind
from penstock.core.seen.view import JobView
from penstock.errors import ConfigError
from penstock.store.archive import Archive
from penstock.store.open import find_run
from tests.recorded import (
    FORETOLD,
    RUN,
    SHORTFALL,
    URGENT,
    Noted,
    a_cycle,
    a_decision,
    a_foretelling_cycle,
    a_job,
    a_judging_cycle,
    a_pooled_view,
    a_route,
    a_view,
    an_acting_cycle,
)

Reopen = Callable[[], Archive]
BUDGET = Budget.of("99%", windows="5m", over="28d")


@dataclass(frozen=True, slots=True)
class OtherMemory:
    level: int


def begun(reopen: Reopen) -> Archive:
    store = reopen()
    store.begin(RUN)
    return store


def test_a_new_store_has_no_memory(reopen: Reopen) -> None:
    assert begun(reopen).last_memory("henge", Noted) is None


def test_a_controller_that_comes_back_finds_the_memory_of_the_last_cycle(reopen: Reopen) -> None:
    store = begun(reopen)
    for at_s in (10.0, 20.0):
        store.append(a_cycle(at_s))
    assert begun(reopen).last_memory("henge", Noted) == Noted(20, {("ads", "map"): 3})


def test_each_policy_has_a_memory_of_its_own(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(a_cycle(10.0))
    store.append(replace(a_cycle(20.0), policy="ds2"))
    assert store.last_memory("henge", Noted) == Noted(10, {("ads", "map"): 3})


def test_another_run_does_not_inherit_a_memory(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(a_cycle(10.0))
    store.begin(replace(RUN, id="demo-2"))
    assert store.last_memory("henge", Noted) is None


def test_a_memory_that_no_longer_fits_its_type_is_left_with_a_warning(
    reopen: Reopen, caplog: pytest.LogCaptureFixture
) -> None:
    begun(reopen).append(a_cycle(10.0))
    with caplog.at_level(logging.WARNING):
        assert begun(reopen).last_memory("henge", OtherMemory) is None
    assert "memory of policy henge" in caplog.text
    assert "afresh" in caplog.text


def test_a_run_that_goes_on_keeps_its_start(reopen: Reopen) -> None:
    begun(reopen).append(a_cycle(10.0))
    again = reopen().begin(replace(RUN, started_at_s=2_000_000.0, policy="ds2"))
    assert (again.started_at_s, again.policy) == (RUN.started_at_s, "ds2")


def test_a_price_that_changes_is_told_of_the_whole_run(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(a_cycle(10.0))
    store.reprice(Price(0.05, "EUR"))
    store.append(a_cycle(20.0))
    assert store.read_run(RUN.id).info.price == Price(0.05, "EUR")
    assert store.read_run(RUN.id).at_s == (10.0, 20.0)


def a_budgeted_cycle(at_s: float, window: BudgetWindow, urgent: bool = False) -> Cycle:
    spent = SpentBudget(BUDGET, 80.64, 100, 79 if urgent else 2, 3, (Burn(3600.0, 7.0), Burn(21_600.0, None)))
    plain = a_job("ads", intent=URGENT.lasting(BUDGET))
    pressed = scaled(plain.intent, spent.urgency)
    utility = (plain.utility or 0.0) * spent.urgency
    return a_cycle(at_s, a_view(at_s, [replace(plain, intent=pressed, utility=utility, spent=spent, window=window)]))


def test_windows_of_a_budget_go_on_from_run_to_run_of_one_name(reopen: Reopen) -> None:
    first_s, now_s = 1_000_200.0, 1_000_800.0
    store = begun(reopen)
    for at_s, looks in ((210.0, 1), (220.0, 2)):
        cycle = a_budgeted_cycle(at_s, BudgetWindow(first_s, good=looks, bad=1))
        store.announce(cycle)
        store.append(cycle)
    store.append(a_budgeted_cycle(510.0, BudgetWindow(first_s + 300.0, idle=1)))
    store = reopen()
    store.begin(replace(RUN, id="demo-2", started_at_s=now_s))
    kept = (BudgetWindow(first_s, good=2, bad=1), BudgetWindow(first_s + 300.0, idle=1))
    assert tuple(store.windows("ads", BUDGET, now_s)) == kept
    assert tuple(store.windows("clicks", BUDGET, now_s)) == ()
    assert tuple(store.windows("ads", replace(BUDGET, windows_s=60.0), now_s)) == ()
    assert tuple(store.windows("ads", BUDGET, now_s + BUDGET.over_s)) == ()


def test_how_a_budget_stood_is_told_in_the_worth_that_was_stated(reopen: Reopen) -> None:
    """An urgent tenant counts for more in the fleet's totals; its own figures stay comparable."""
    store = begun(reopen)
    store.append(a_budgeted_cycle(10.0, BudgetWindow(1_000_000.0, good=1)))
    store.append(a_budgeted_cycle(20.0, BudgetWindow(1_000_000.0, good=2), urgent=True))
    run = store.read_run(RUN.id)
    (ads,) = run.jobs
    assert ads.spent is not None
    assert ads.spent.urgency > 1.5
    assert ads.spent.burns == (Burn(3600.0, 7.0), Burn(21_600.0, None))
    assert (ads.max_utility, list(ads.utility)) == (35.0, [20.0, 20.0])
    assert run.max_utility[1] == 35.0 * ads.spent.urgency
    *_, last = store.views(RUN.id)
    assert last.job("ads").spent == ads.spent


def test_a_tenant_at_rest_is_neither_met_nor_missed(reopen: Reopen) -> None:
    store = begun(reopen)
    asked = Intent(Latency("2s", utility=35), excluded=[Excluded(15.0, 25.0, "maintenance")])
    for at_s in (10.0, 20.0, 30.0):
        now = asked_at(asked, at_s)
        utility = 10.0 if not now.rests else now.max_utility
        store.append(a_cycle(at_s, a_view(at_s, [replace(a_job("ads", utility, intent=now), met=bool(now.rests))])))
    (ads,) = store.read_run(RUN.id).jobs
    assert list(ads.met) == [False, None, False]
    assert list(ads.utility) == [10.0, None, 10.0]
    assert ads.max_utility == 35.0
    assert [change.state for change in ads.states] == [State.MISSING, State.RESTING, State.MISSING]
    assert [note.text for note in ads.intents][1] == "nothing now (maintenance)"


def test_runs_are_listed_oldest_first(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(a_cycle(10.0))
    second = replace(RUN, id="demo-2", started_at_s=2_000_000.0)
    store.begin(second)
    assert store.runs() == (RUN, second)
    assert [find_run(store, name).id for name in ("demo-1", "demo", "last")] == ["demo-1", "demo-2", "demo-2"]


def test_a_run_that_is_not_there_is_an_error_that_names_those_that_are(reopen: Reopen) -> None:
    store = begun(reopen)
    for ask in (store.read_run, lambda name: find_run(store, name)):
        with pytest.raises(ConfigError, match=r"run: 'nightly' cannot be used; .*demo-1"):
            ask("nightly")


def test_timelines_hold_every_figure_and_none_where_there_was_none(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(a_cycle(10.0))
    store.append(a_cycle(20.0, a_view(20.0, [a_job("ads", utility=None), a_job("late", utility=35.0, threads=7)])))
    run = store.read_run(RUN.id)
    assert (run.info, run.at_s, run.utility, run.max_utility) == (RUN, (10.0, 20.0), (55.0, 35.0), (70.0, 70.0))
    assert [job.name for job in run.jobs] == ["ads", "fraud", "late"]
    assert (run.job("ads").utility, run.job("ads").met) == ([20.0, None], [False, None])
    assert (run.job("fraud").threads, run.job("late").threads) == ([4, None], [None, 7])
    # p95 is what the intent asks for: 3 s; the mean would be 1.5 s.
    assert (run.job("late").latency_s, run.job("late").juice) == ([None, 3.0], [None, 0.9])
    assert [(machine.name, list(machine.load)) for machine in run.machines] == [("m1", [6.5] * 2), ("m2", [None] * 2)]


def test_a_decision_is_told_with_its_outcome_and_its_verdict(reopen: Reopen) -> None:
    store = begun(reopen)
    for cycle in (an_acting_cycle(10.0, error="no free slot"), a_cycle(20.0), a_judging_cycle(70.0, 10.0)):
        store.append(cycle)
    (record,) = store.read_run(RUN.id).decisions
    assert record.decision == an_acting_cycle(10.0).plan.decisions[0]
    assert record.errors == ("ads: no free slot",)
    assert record.verdict is not None
    assert record.verdict.utility_came == 64.0


def test_of_a_run_that_is_over_no_decision_waits_for_a_verdict(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(an_acting_cycle(10.0))
    (record,) = store.read_run(RUN.id).decisions
    assert record.verdict is not None
    assert (record.verdict.text, record.verdict.utility_came) == ("not judged: the run ended too early", None)


OF_ONE_OPERATOR = Tasks("ads", "map", 3, 6)
TO_A_TABLE = Table(
    "ads", "tweets", None, RoutingTable(2, {"left": {"Asia": 1, ("x", 1): 0}, "right": {7: 1}}, version=3), 3
)
FIGURES = {"bound": (None, 2000), "trigger": (5.0, 2.5)}  # others go from one whole number to another
EVERY_KIND: tuple[Move, ...] = (
    OF_ONE_OPERATOR,
    TO_A_TABLE,
    *(
        move_of(Dial(kind, WHOLE if WORDS[kind].of_all else "ads", now, 1), after)
        for kind in KINDS
        if kind not in (OF_ONE_OPERATOR.kind, TO_A_TABLE.kind)
        for now, after in [FIGURES.get(kind, (3, 6))]
    ),
)


def test_every_kind_of_move_survives(reopen: Reopen) -> None:
    assert {move.kind for move in EVERY_KIND} == set(KINDS)
    decision = replace(a_decision(10.0), moves=EVERY_KIND)
    steps = tuple(StepOutcome(step) for step in order(Plan((decision,))))
    store = reopen()
    store.begin(RUN)
    store.append(Cycle(10.0, "henge", a_view(10.0), Plan((decision,)), Outcome(steps), Noted()))
    (told,) = reopen().read_run(RUN.id).decisions
    assert told.decision == decision
    assert told.outcomes == steps
    assert told.carried_out
    assert told.errors == ()


def test_a_decision_keeps_the_prediction_that_it_was_made_on(reopen: Reopen) -> None:
    store = begun(reopen)
    cycle = a_foretelling_cycle(10.0)
    store.announce(replace(cycle, outcome=Outcome()))
    store.append(cycle)
    store.append(an_acting_cycle(20.0))
    assert [record.decision.foretold for record in store.read_run(RUN.id).decisions] == [FORETOLD, ()]


def test_how_far_off_predictions_were_is_told_as_it_was_said_last(reopen: Reopen) -> None:
    store = begun(reopen)
    later = (PredictionError("ads", 0.02, 13), PredictionError("clicks", 0.5, 1))
    store.append(a_cycle(5.0))
    assert store.read_run(RUN.id).prediction_errors == ()
    for cycle in (a_foretelling_cycle(10.0), a_foretelling_cycle(20.0, errors=later), a_cycle(30.0)):
        store.append(cycle)
    assert store.read_run(RUN.id).prediction_errors == later


def test_that_no_shares_meet_all_is_told_from_its_begin_to_its_end(reopen: Reopen) -> None:
    store = begun(reopen)
    for at_s in (10.0, 20.0):
        store.announce(a_foretelling_cycle(at_s))
        store.append(a_foretelling_cycle(at_s))
    for at_s in (30.0, 40.0):
        store.append(a_cycle(at_s))
    assert store.read_run(RUN.id).shortfalls == (Note(10.0, SHORTFALL), Note(30.0, ""))


def test_a_run_is_told_with_what_its_jobs_shared_by_weight_in_the_end(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(a_cycle(10.0))
    assert store.read_run(RUN.id).pool == Pool()  # these operators have threads of their own
    store.append(a_cycle(20.0, a_pooled_view(20.0, {"ads": 5, "fraud": 6}, slots=8)))
    assert store.read_run(RUN.id).pool == Pool(8, {"ads": 5, "fraud": 6})


def test_how_every_lever_stood_is_kept_with_the_view(reopen: Reopen) -> None:
    bound = Dial("bound", "ads", None, 1, asked=500, disturbs=Disturbs.QUERY, shows=Shows.AFTER_RESTART)
    ads = a_job("ads")
    seen = a_view(10.0, [replace(ads, figures=replace(ads.figures, levers=(bound,)))])
    seen = replace(seen, levers=(Dial("executors", WHOLE, 2, 1, 4, shows=Shows.WHEN_GIVEN),))
    store = reopen()
    store.begin(RUN)
    store.append(a_cycle(10.0, seen))
    assert [view.dials for view in reopen().views(RUN.id)] == [seen.dials]


def test_a_step_that_failed_says_whether_what_had_been_done_of_it_was_taken_back(reopen: Reopen) -> None:
    store = begun(reopen)
    for at_s, undone in ((10.0, None), (20.0, True), (30.0, False)):
        failed = StepOutcome(Step("ads", ()), "no free slot", undone)
        store.append(replace(an_acting_cycle(at_s), outcome=Outcome((failed,))))
    records = store.read_run(RUN.id).decisions
    assert [record.outcomes[0].undone for record in records] == [None, True, False]
    assert records[2].errors == ("ads: no free slot; what had been done of it was not taken back",)


def test_a_verdict_that_nobody_knows_has_no_utility(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(an_acting_cycle(10.0))
    unknown = Verdict(10.0, 70.0, None, "not known: ads had no figures", Effect.UNKNOWN)
    store.append(a_cycle(70.0, plan=Plan(verdicts=(unknown,))))
    assert store.read_run(RUN.id).decisions[0].verdict == unknown


def test_a_verdict_that_is_not_the_last_one_says_until_when_another_may_come(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(an_acting_cycle(10.0))
    first = Verdict(10.0, 70.0, 50.0, f"worse; {AGAIN}", Effect.WORSE, place=0, again=True, again_until_s=370.0)
    store.append(a_cycle(70.0, plan=Plan(verdicts=(first,))))
    (told,) = store.read_run(RUN.id).decisions  # nobody governs it any more
    assert told.verdict == replace(
        first, text="worse; the record ends before the next check", again=False, again_until_s=None
    )
    store.append(a_cycle(380.0))
    (told,) = store.read_run(RUN.id).decisions
    assert told.verdict is not None
    assert told.verdict.text == "worse; not checked again: governing restarted before that"


def test_rounds_are_told_from_before_the_first_decision_that_may_be_open(reopen: Reopen) -> None:
    store = begun(reopen)
    acting = [an_acting_cycle(at_s) for at_s in (10.0, 60.0, 90.0)]
    quiet = [a_cycle(at_s) for at_s in (20.0, 30.0, 50.0, 70.0, 80.0)]
    for cycle in sorted((*acting, *quiet), key=lambda cycle: cycle.at_s):
        store.announce(replace(cycle, outcome=Outcome()))
        store.append(cycle)
    store = begun(reopen)
    found = store.past_cycles(decided_from_s=40.0, before_s=25.0)
    assert [one.view.at_s for one in found] == [50.0, 60.0, 70.0, 80.0, 90.0]
    assert [one.decisions for one in found if one.decisions] == [cycle.plan.decisions for cycle in acting[1:]]
    assert [one.view.jobs for one in found[:2]] == [quiet[2].view.jobs, acting[1].view.jobs]
    assert len(store.past_cycles(decided_from_s=0.0, before_s=0.0)) == 8
    assert tuple(store.past_cycles(decided_from_s=95.0, before_s=95.0)) == ()


def test_rounds_of_another_run_are_not_told(reopen: Reopen) -> None:
    store = begun(reopen)
    store.append(an_acting_cycle(10.0))
    store.begin(replace(RUN, id="demo-2"))
    assert tuple(store.past_cycles(decided_from_s=0.0, before_s=60.0)) == ()


def test_what_went_wrong_in_the_loop_is_kept_until_it_is_over(reopen: Reopen) -> None:
    store = begun(reopen)
    failed = replace(a_cycle(20.0), error="observing failed: no answer; trying again in 20 s")
    for cycle in (a_cycle(10.0), replace(failed, error="another first"), failed, a_cycle(40.0)):
        store.append(cycle)
    run = store.read_run(RUN.id)
    assert [(note.at_s, note.text) for note in run.errors] == [(20.0, failed.error), (40.0, "")]
    assert [(note.at_s, note.text) for note in run.notes] == [
        (10.0, "all is quiet"),
        (20.0, "observing failed: no answer; trying again in 20 s; all is quiet"),
        (40.0, "all is quiet"),
    ]


def test_notes_are_kept_where_the_words_change(reopen: Reopen) -> None:
    store = begun(reopen)
    for cycle in (a_cycle(10.0), a_cycle(20.0), a_judging_cycle(30.0, 10.0)):
        store.append(cycle)
    assert [(note.at_s, note.text) for note in store.read_run(RUN.id).notes] == [
        (10.0, "all is quiet"),
        (30.0, "waiting"),
    ]


def test_the_trouble_of_a_job_is_told_from_its_begin_to_its_end(reopen: Reopen) -> None:
    store = begun(reopen)
    well = a_job("ads")
    ill = replace(well, figures=replace(well.figures, trouble="its query died: out of memory"))
    for at_s, job in ((10.0, well), (20.0, ill), (30.0, ill), (40.0, well)):
        store.append(a_cycle(at_s, a_view(at_s, [job])))
    assert store.read_run(RUN.id).job("ads").troubles == (Note(20.0, "its query died: out of memory"), Note(40.0, ""))


def test_a_trouble_that_goes_on_is_told_once_as_it_was_last_and_another_one_for_itself(reopen: Reopen) -> None:
    store = begun(reopen)
    for at_s, cause, trouble in (
        (10.0, "no topic", "the topic is gone, looked 1 time"),
        (20.0, "no topic", "still no topic after 7 looks in 64 s"),
        (30.0, "no host", "the host is gone, looked 8 times"),
    ):
        which = TroubleId(TroubleKind.NOT_RUNNING, cause)
        store.append(a_cycle(at_s, a_view(at_s, [troubled(trouble, which)])))
    assert store.read_run(RUN.id).job("ads").troubles == (
        Note(10.0, "still no topic after 7 looks in 64 s"),
        Note(30.0, "the host is gone, looked 8 times"),
    )


def test_a_trouble_that_an_engine_tells_in_words_alone_is_another_one_with_each_of_its_words(reopen: Reopen) -> None:
    store = begun(reopen)
    for at_s, trouble in ((10.0, "down for 1 s"), (20.0, "down for 11 s"), (30.0, "down for 11 s")):
        store.append(a_cycle(at_s, a_view(at_s, [troubled(trouble)])))
    assert [note.text for note in store.read_run(RUN.id).job("ads").troubles] == ["down for 1 s", "down for 11 s"]


def troubled(text: str, which: TroubleId | None = None) -> JobView:
    job = a_job("ads")
    return replace(job, figures=replace(job.figures, trouble=text, trouble_id=which))


def test_a_cycle_that_was_announced_is_completed_afterwards(reopen: Reopen) -> None:
    store = begun(reopen)
    meant = an_acting_cycle(20.0)
    store.append(a_cycle(10.0))
    store.announce(replace(meant, outcome=Outcome()))
    assert store.last_memory("henge", Noted) == meant.memory
    store.append(meant)
    run = store.read_run(RUN.id)
    assert run.at_s == (10.0, 20.0)
    assert [record.outcomes for record in run.decisions] == [meant.outcome.steps]


def test_what_an_engine_did_by_itself_is_told_once_with_its_cycle(reopen: Reopen) -> None:
    store = begun(reopen)
    deeds = (
        Deed(12.0, "ads", "weight 6 -> 3", "the cluster gives 4 in all"),
        Deed(13.0, None, "executors 4 -> 2", "the jobs have 4 slots in all", "no acknowledgement"),
    )
    acting = replace(an_acting_cycle(20.0), view=replace(a_view(20.0), deeds=deeds))
    store.append(a_cycle(10.0))
    store.announce(replace(acting, outcome=Outcome()))
    store.append(acting)
    store.append(a_cycle(30.0))
    assert [view.deeds for view in store.views(RUN.id)] == [(), deeds, ()]
    assert store.read_run(RUN.id).deeds == deeds


def test_routes_come_back_with_every_cycle_that_saw_them(reopen: Reopen) -> None:
    first, second = a_route(window=7), a_route(window=8, table=RoutingTable(2, {"left": {"Asia": 1, ("x", 2): 0}}))
    other = replace(first, route="others")
    told = [(first, other), (first, other), (), (second, other), (second,)]
    store = begun(reopen)
    for number, routes in enumerate(told):
        cycle = replace(an_acting_cycle(10.0 * number), view=replace(a_view(10.0 * number), routes=routes))
        store.announce(replace(cycle, outcome=Outcome()))
        store.append(cycle)
    assert [view.routes for view in store.views(RUN.id)] == told


def test_views_come_back_as_they_were_seen(reopen: Reopen) -> None:
    store = begun(reopen)
    changed = Intent(Latency("4s", shape="piecewise", points=[("8s", 0.3)]))
    seen = [a_view(10.0), a_view(20.0, [a_job("ads", utility=None), a_job("fraud", intent=changed)])]
    for view in seen:
        store.append(a_cycle(view.at_s, view))
    assert list(store.views(RUN.id)) == seen


def test_words_from_anywhere_are_kept(reopen: Reopen) -> None:
    store = begun(reopen)
    job = a_job("ads; DROP TABLE penstock_runs --'\"")
    trouble = replace(job, figures=replace(job.figures, trouble="died of \x00 and \ud800"))
    store.append(a_cycle(10.0, a_view(10.0, [trouble])))
    assert store.read_run(RUN.id).jobs[0].name == job.name
