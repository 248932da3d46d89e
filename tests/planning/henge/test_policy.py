"""The Henge state machine, round by round: fleets in, decisions out."""

from dataclasses import replace
from typing import Any

import pytest

from penstock.core.levers import Tasks
from penstock.core.plan import Plan, Reason
from penstock.core.seen.view import JobView, View
from penstock.planning.henge.memory import ActionKind, HengeMemory, PastConfiguration, Pending, Phase
from penstock.planning.henge.policy import HANDLERS
from penstock.planning.henge.signals import Signal
from tests.builders import job, operator, rounds, view
from tests.planning.henge.searches import HENGE, converged, searching, steady


def test_every_state_answers_every_signal_that_it_can_find() -> None:
    never_when_converged = {Signal.DROPPED, Signal.CATCHING_UP}
    never_when_searching = {Signal.FELL, Signal.EXPIRED, Signal.SET_ASIDE}
    for signal in Signal:
        assert ((Phase.CONVERGED, signal) in HANDLERS) == (signal not in never_when_converged)
        assert ((Phase.NOT_CONVERGED, signal) in HANDLERS) == (signal not in never_when_searching)


def test_the_first_action_waits_for_six_quiet_rounds_and_helps_the_most_valuable_job() -> None:
    plans, _ = rounds(HENGE, steady(lambda: [job("a", 1, 10), job("b", 1, 20)], 0, 7))
    assert [len(plan.decisions) for plan in plans] == [0, 0, 0, 0, 0, 0, 1]
    (decision,) = plans[-1].decisions
    # Equation 4: (0.5 / 0.3 - 1) x 10 = 6.67, rounded to 7.
    assert decision.moves == (Tasks("b", "work", 4, 11),)
    assert decision.reason is Reason.RECONFIGURED
    assert decision.expected_utility == 2 - 1 + 20  # what is there now, with b at its maximum
    assert "b misses mean latency <= 1s" in decision.why


def test_ties_in_maximum_utility_go_to_the_lower_current_utility() -> None:
    plans, _ = rounds(HENGE, steady(lambda: [job("a", 5, 10), job("b", 2, 10)], 0, 7))
    assert plans[-1].decisions[0].jobs == ("b",)


def test_a_job_without_congested_operators_yields_its_turn() -> None:
    idle = [operator(capacity=0.3), operator("unknown", capacity=None)]
    plans, _ = rounds(HENGE, steady(lambda: [job("a", 1, 20, idle), job("b", 1, 10)], 0, 7))
    assert plans[-1].decisions[0].jobs == ("b",)


def test_a_job_without_figures_is_not_known_to_miss_anything() -> None:
    unknown = replace(job("a", 0, 20), utility=None)
    plans, _ = rounds(HENGE, [view(10.0 * n, [unknown, job("b", 1, 10)]) for n in range(7)])
    assert plans[-1].decisions[0].jobs == ("b",)


def test_a_job_that_works_off_its_backlog_is_not_judged_by_the_latency_of_the_past() -> None:
    plan, after = caught_up_with(job("a", 5, 10, **CATCHING), job("b", 10, 10))
    assert (plan.decisions, after.blocked_until) == ((), {})
    assert plan.note == "waiting while a work off their backlog"


# 3,000 rows wait and 20 a second more are processed than come: 150 s to go.
CATCHING: dict[str, Any] = {"arrival_rps": 100.0, "processed_rps": 120.0, "backlog_rows": 3000.0}


def caught_up_with(a: JobView, b: JobView) -> tuple[Plan, HengeMemory]:
    """Job "a" was given more 200 s ago, and processed less before; what is decided now."""
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 10.0, "a", 5.0, 80.0)
    moves = (Tasks("a", "work", 1, 4),)
    memory = searching(PastConfiguration(()), PastConfiguration(moves), pending=pending, helped_at_s={"a": 0.0})
    return HENGE.decide(view(200.0, [a, b]), memory)


def test_others_that_miss_their_slo_are_helped_while_a_job_works_off_its_backlog() -> None:
    plan, after = caught_up_with(job("a", 5, 10, **CATCHING), job("b", 5, 10))
    assert plan.decisions[0].jobs == ("b",)
    assert after.blocked_until == {}
    assert after.helped_at_s == {"a": 0.0, "b": 200.0}


def test_a_job_is_waited_for_the_longer_the_less_it_is_worth() -> None:
    # It loses 8 of the fleet's 50: a minute of all of it is 375 s of that, and 150 s are to go.
    plan, _ = caught_up_with(job("a", 2, 10, **CATCHING), job("b", 40, 40))
    assert plan.decisions == ()
    # It loses 38 of 50: that is 79 s. There is more to give.
    plan, _ = caught_up_with(job("a", 2, 40, **CATCHING), job("b", 10, 10))
    assert plan.decisions[0].jobs == ("a",)


def test_the_search_does_not_end_while_a_job_still_works_off_its_backlog() -> None:
    stuck = [operator(capacity=0.3)]
    memory = searching(PastConfiguration(()), helped_at_s={"a": 0.0})
    plan, after = HENGE.decide(view(200.0, [job("a", 5, 10, **CATCHING), job("b", 5, 10, stuck)]), memory)
    assert (plan.decisions, after.state) == ((), Phase.NOT_CONVERGED)


def test_more_rows_processed_are_a_gain_even_if_utility_does_not_show_it_yet() -> None:
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 10.0, "a", 5.0, 80.0)
    memory = searching(PastConfiguration(()), PastConfiguration((Tasks("a", "work", 1, 4),)), pending=pending)
    slower: dict[str, Any] = {"arrival_rps": 100.0, "processed_rps": 90.0, "backlog_rows": 3000.0}  # 90 > 80 x 1.05
    _, after = HENGE.decide(view(200.0, [job("a", 5, 10, **slower), job("b", 5, 10)]), memory)
    assert after.blocked_until == {}


def test_utilities_that_still_move_are_waited_for_but_not_for_ever() -> None:
    moving = [view(10.0 * n, [job("a", 0.2 * n, 10)]) for n in range(20)]
    plans, _ = rounds(HENGE, moving)
    acted = [n for n, plan in enumerate(plans) if plan.decisions]
    assert acted == [18]  # 0.6 of 10 per 3 rounds is above 1 %; after 180 s it is judged all the same


def test_a_marginal_gain_is_kept_and_the_job_blocklisted_for_an_hour() -> None:
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 10.0, "a", 5.0)
    memory = searching(PastConfiguration(()), PastConfiguration((Tasks("a", "work", 1, 4),)), pending=pending)
    plan, after = HENGE.decide(view(200.0, [job("a", 5.2, 10), job("b", 5, 10)]), memory)
    assert after.blocked_until == {"a": 200.0 + 3600.0}  # 5.2 < 5.0 x 1.05
    assert plan.decisions[0].jobs == ("b",)


def test_a_gain_of_five_percent_keeps_the_job_in_the_queue() -> None:
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 9.0, "a", 4.0)
    memory = searching(PastConfiguration(()), PastConfiguration((Tasks("a", "work", 1, 4),)), pending=pending)
    plan, after = HENGE.decide(view(200.0, [job("a", 4.2, 10), job("b", 5, 10)]), memory)
    assert after.blocked_until == {}
    assert plan.decisions[0].jobs == ("a",)


def test_a_drop_on_a_crowded_cluster_reduces_satisfied_jobs_but_not_their_sources_or_busy_operators() -> None:
    spare = [
        operator("source", 10, 0.1, is_source=True),
        operator("idle", 10, 0.1),
        operator("one", 1, 0.1),
        operator("busy", 10, 0.4),
    ]
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 14.0, "a", 4.0)
    memory = searching(
        PastConfiguration((), 14.0), PastConfiguration((Tasks("a", "work", 1, 4),)), pending=pending, recent=12.0
    )
    plan, after = HENGE.decide(view(200.0, [job("a", 2, 10), job("b", 10, 10, spare)], load=9.0), memory)
    assert plan.decisions[0].reason is Reason.REDUCED
    assert plan.decisions[0].moves == (Tasks("b", "idle", 10, 2),)  # 80 % of 10, never below one thread
    assert after.reduced == {"b"}
    assert after.locked_out


def test_a_second_drop_right_after_a_reduction_reverts_to_the_best_configuration() -> None:
    history = (
        PastConfiguration((), 14.0),
        PastConfiguration((Tasks("b", "work", 9, 4),), 13.0),
        PastConfiguration((Tasks("a", "work", 1, 4),)),
    )
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 13.0, "a", 3.0)
    memory = searching(*history, pending=pending, recent=12.0, locked_out=True, reduced=frozenset({"b"}))
    plan, after = HENGE.decide(view(200.0, [job("a", 2, 10), job("b", 10, 10)], load=9.0), memory)
    assert plan.decisions[0].reason is Reason.REVERTED
    assert plan.decisions[0].moves == (Tasks("a", "work", 4, 1), Tasks("b", "work", 4, 9))
    assert plan.decisions[0].expected_utility == 14.0
    assert after.state is Phase.CONVERGED


def test_a_drop_without_crowding_reverts_at_once() -> None:
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 14.0, "a", 4.0)
    memory = searching(
        PastConfiguration((), 14.0), PastConfiguration((Tasks("a", "work", 1, 4),)), pending=pending, recent=12.0
    )
    plan, after = HENGE.decide(view(200.0, [job("a", 2, 10), job("b", 10, 10)], load=1.0), memory)
    assert plan.decisions[0].moves == (Tasks("a", "work", 4, 1),)
    assert after.state is Phase.CONVERGED
    assert after.history == (PastConfiguration((), 14.0),)


def test_a_job_is_reduced_once_only() -> None:
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 14.0, "a", 4.0)
    memory = searching(
        PastConfiguration((), 14.0),
        PastConfiguration((Tasks("a", "work", 1, 4),)),
        pending=pending,
        recent=12.0,
        reduced=frozenset({"b"}),
    )
    plan, _ = HENGE.decide(view(200.0, [job("a", 2, 10), job("b", 10, 10, [operator(capacity=0.1)])], 9.0), memory)
    assert plan.decisions[0].reason is Reason.REVERTED


def test_four_quiet_rounds_at_the_maximum_converge() -> None:
    plans, memory = rounds(HENGE, steady(lambda: [job("a", 10, 10), job("b", 20, 20)], 0, 10))
    assert not any(plan.decisions for plan in plans)
    assert [plan.note[:9] for plan in plans[-4:]] == ["everyone ", "everyone ", "everyone ", "converged"]
    assert memory.state is Phase.CONVERGED


def test_a_fall_of_more_than_five_percent_forgets_the_history_but_not_the_blocklist() -> None:
    memory = converged(20.0, history=(PastConfiguration((), 20.0),), blocked_until={"a": 9e9}, reduced=frozenset({"b"}))
    plans, after = rounds(
        HENGE, [view(500.0 + 10 * n, [job("a", 8.5, 10), job("b", 10, 10)]) for n in range(3)], memory
    )
    assert plans[-1].note.startswith("utility fell from 20.0 to 18.5: history discarded")
    assert (after.history, after.reduced) == ((PastConfiguration((), 18.5),), frozenset())
    assert after.blocked_until == {"a": 9e9}
    assert not any(plan.decisions for plan in plans)  # "a" is the only one that misses, and blocked


def test_after_a_fall_the_first_step_does_not_wait_for_quiet() -> None:
    falling = [view(500.0 + 10 * n, [job("a", 9.0 - n, 10), job("b", 10, 10)]) for n in range(3)]
    plans, _ = rounds(HENGE, falling, converged(20.0))
    assert [plan.decisions[0].jobs if plan.decisions else () for plan in plans] == [(), (), ("a",)]


@pytest.mark.parametrize(
    ("arrivals_then", "rate_then", "reverted"),
    [
        (100.0, 100.0, True),
        (200.0, 100.0, False),  # the input changed too: the fall may be its doing
        (100.0, 80.0, False),  # the job does more than before: what still falls is the past's backlog
    ],
)
def test_a_fall_after_a_step_is_blamed_on_it_only_when_it_is_its_doing(
    arrivals_then: float, rate_then: float, reverted: bool
) -> None:
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 14.0, "a", 4.0, rate_then, {"a": arrivals_then, "b": 100.0})
    memory = searching(
        PastConfiguration((), 14.0), PastConfiguration((Tasks("a", "work", 2, 4),)), pending=pending, recent=12.0
    )
    rates: Any = {"arrival_rps": 100.0, "processed_rps": 100.0}
    plan, _ = HENGE.decide(view(200.0, [job("a", 2, 10, **rates), job("b", 10, 10, **rates)]), memory)
    assert any(decision.reason is Reason.REVERTED for decision in plan.decisions) == reverted


def test_a_blocklisted_job_is_tried_again_when_its_hour_is_over() -> None:
    memory = converged(15.0, blocked_until={"a": 4000.0})
    before, _ = HENGE.decide(view(3990.0, [job("a", 5, 10), job("b", 10, 10)]), memory)
    after, _ = HENGE.decide(view(4000.0, [job("a", 5, 10), job("b", 10, 10)]), memory)
    assert before.decisions == ()
    assert after.decisions[0].jobs == ("a",)


def test_stale_figures_stop_all_action_until_five_minutes_of_fresh_ones() -> None:
    def at(second: float) -> View:
        return view(second, [job("a", 1, 10, fresh=not 1020 <= second < 1380), job("b", 1, 10)])

    plans, _ = rounds(HENGE, [at(10.0 * n) for n in range(100, 180)])
    acted = [10 * (100 + n) for n, plan in enumerate(plans) if plan.decisions]
    assert acted[0] == 1680  # 1380 + 300


def test_an_action_that_never_arrived_is_not_held_against_the_job() -> None:
    pending = Pending(ActionKind.RECONFIGURATION, 0.0, 14.0, "a", 4.0)
    memory = searching(
        PastConfiguration((), 14.0), PastConfiguration((Tasks("a", "work", 4, 9),)), pending=pending, recent=12.0
    )
    plan, after = HENGE.decide(view(200.0, [job("a", 2, 10), job("b", 10, 10)]), memory)
    assert after.blocked_until == {}
    assert plan.decisions[0].moves == (Tasks("a", "work", 4, 11),)


@pytest.mark.parametrize(("each_round", "acts"), [(-0.5, True), (0.5, False)])
def test_a_new_fleet_that_does_worse_and_worse_is_helped_at_once_and_one_that_improves_is_not(
    each_round: float, acts: bool
) -> None:
    views = [view(10.0 * n, [job("a", 5 + each_round * n, 10), job("b", 10, 10)]) for n in range(8)]
    plans, _ = rounds(HENGE, views)
    assert any(plan.decisions for plan in plans) == acts


def test_settling_jobs_are_waited_for() -> None:
    views = [view(10.0 * n, [job("a", 1, 10, settling=True), job("b", 1, 10)]) for n in range(40)]
    plans, _ = rounds(HENGE, views)
    assert not any(plan.decisions for plan in plans)


def fallen(arrivals_now: float, at_s: float = 400.0) -> tuple[Plan, HengeMemory]:
    """A step for "b" at 100 s was judged harmless, the cluster rests; then "a" falls from 10 to 5."""
    step = (Tasks("b", "work", 4, 9),)
    history = (
        PastConfiguration((), 14.0, {"a": 100.0, "b": 100.0}),
        PastConfiguration(step, 14.5, {"a": 100.0, "b": 100.0}),
    )
    memory = replace(converged(14.5), history=history, disturbed_at_s=100.0, recent=(9.5,) * 5)
    rate = {"arrival_rps": arrivals_now}
    after: Any = {"operators": [operator(threads=9)], "arrival_rps": arrivals_now}
    a: Any = rate
    return HENGE.decide(view(at_s, [job("a", 5, 10, **a), job("b", 4.5, 10, **after)]), memory)


def test_a_step_whose_harm_shows_late_is_taken_back() -> None:
    plan, after = fallen(arrivals_now=90.0)
    assert plan.decisions[0].reason is Reason.REVERTED
    assert plan.decisions[0].moves == (Tasks("b", "work", 9, 4),)
    assert (after.state, len(after.history)) == (Phase.CONVERGED, 1)


def test_a_fall_with_other_input_or_long_after_the_step_is_the_workloads_doing() -> None:
    for plan, after in (fallen(arrivals_now=200.0), fallen(arrivals_now=90.0, at_s=2000.0)):
        assert plan.decisions[0].reason is Reason.RECONFIGURED
        assert (after.state, len(after.history)) == (Phase.NOT_CONVERGED, 2)  # now, and the new search's first step
