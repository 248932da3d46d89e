"""Executors that nothing helps now stand by where a rise of load would cost the most: view in, plan out."""

from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.levers import Dial, Executors
from penstock.core.plan import Decision
from penstock.core.seen.figures import JobFigures, LatencyFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.executors.policy import ExecutorsMemory, ExecutorsPolicy
from penstock.planning.executors.reserve import Reserve
from tests.builders import operator
from tests.planning.executors.many import application, fleet

ADS = application("ads", 3, ((1, 10.0), (8, 10.0)))  # one does for it
FRAUD = application("fraud", 2, ((1, 0.0), (2, 40.0), (8, 40.0)))


def content(name: str, worth: float, target_s: float) -> JobView:
    """Has what it asks for, and is busy all the time with all that it holds."""
    figures = JobFigures(name, (operator(capacity=1.0),), latency=LatencyFigures(4.0), arrival_rps=50.0)
    intent = Intent(Latency(f"{target_s:g}s", utility=worth))
    return JobView(figures, intent, worth, met=True, fresh=True)


def seen(cores: int = 5, ads: Dial = ADS) -> View:
    return fleet([ads, FRAUD], cores, jobs=[content("ads", 10.0, 40.0), content("fraud", 40.0, 10.0)])


def decided(view: View, memory: ExecutorsMemory | None = None) -> tuple[Decision, ...]:
    return ExecutorsPolicy().decide(view, memory or ExecutorsMemory())[0].decisions


def test_those_that_nothing_helps_stand_by_with_whom_a_rise_would_cost_the_most_and_why_is_said() -> None:
    (decision,) = decided(seen())
    assert decision.moves == (Executors(3, 1, "ads"), Executors(2, 4, "fraud"))
    # Two would do at 2 times the load what one does now, nothing; four what two do, all.
    assert decision.why == (
        "2 executors from ads stand by with fraud: ads keeps 10.0 of 10.0, "
        "fraud would keep 40.0 of 40.0 at 2 times its load, not 0.0"
    )


def test_what_nobody_holds_is_left_there_for_it_costs_nothing_until_it_is_needed() -> None:
    assert not decided(seen(cores=7, ads=replace(ADS, now=1)))


# Until executors have come for a rise 30 s go by. Ads is worth 40, too. At three times its load it does a third of it
# with one: rows are 20 s late by then, of the 36 that a target of 40 s allows.
@pytest.mark.parametrize(("target_s", "after"), [(40.0, [1, 4]), (8.0, [2, 3])])
def test_who_bears_to_be_late_until_executors_have_come_keeps_none_for_a_rise(
    target_s: float, after: list[int]
) -> None:
    ads = replace(ADS, worth=((1.0, 40.0), (8.0, 40.0)))
    jobs = [content("ads", 40.0, target_s), content("fraud", 40.0, 10.0)]
    (decision,) = decided(fleet([ads, FRAUD], 5, jobs=jobs))
    assert [move.after for move in decision.moves] == after


def late(view: View) -> View:
    ads, fraud = view.jobs
    waits = replace(fraud.figures, latency=LatencyFigures(20.0), backlog_rows=600.0)  # 12 s of rows
    return replace(view, jobs=(ads, replace(fraud, figures=waits, utility=30.0)))


def without_worth(view: View) -> View:
    return replace(view, levers=(*view.levers, application("new", 1)), jobs=(*view.jobs, content("new", 10.0, 9.0)))


@pytest.mark.parametrize("view", [late(seen()), without_worth(seen(cores=6))])
def test_nothing_is_moved_for_a_rise_while_somebody_is_late_or_not_known(view: View) -> None:
    assert not decided(view)


def test_whoever_was_moved_a_moment_ago_keeps_what_it_has() -> None:
    assert not decided(seen(), ExecutorsMemory(moved_s={"fraud": -10.0}))
    assert not decided(seen(), ExecutorsMemory(stood_by_s=-10.0))
    assert decided(seen(), ExecutorsMemory(moved_s={"fraud": -30.0}, stood_by_s=-30.0))


@pytest.mark.parametrize("ads", [replace(ADS, least=3), replace(ADS, worth=((2.0, 8.0), (3.0, 10.0)))])
def test_nobody_gives_what_it_needs_for_a_rise_of_another(ads: Dial) -> None:
    assert not decided(seen(ads=ads))


def test_it_does_not_go_there_and_back() -> None:
    policy, view = ExecutorsPolicy(), seen()
    plan, memory = policy.decide(view, policy.start())
    after = {move.job: move.after for move in plan.decisions[0].moves if isinstance(move, Executors)}
    levers = tuple(replace(dial, now=after[dial.job]) for dial in view.levers)
    assert not memory.moved_s  # what is urgent a moment later is not to gain more for it
    for at_s in (10.0, 40.0, 100.0):
        plan, memory = policy.decide(replace(view, levers=levers, at_s=at_s), memory)
        assert not plan.decisions


# Where fewer than two do nothing of use, and two all: three do for a load of 1.5 times, four for 2, six for 3.
@pytest.mark.parametrize(("executors", "utility"), [(2, 0.0), (3, 10.0), (4, 20.0), (5, 20.0), (6, 30.0)])
def test_so_many_count_for_the_rises_that_they_do_for(executors: int, utility: float) -> None:
    assert Reserve(((0.0, 0.0), (1.99, 0.0), (2.0, 30.0))).value(executors) == pytest.approx(utility)
