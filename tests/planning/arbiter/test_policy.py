"""The arbiter round by round: when it acts, what it says, and what it takes back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.known.prediction import PredictionError
from penstock.core.levers import BatchBound, Dial, Shows, Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.figures import ALL_OPERATORS, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter import policy
from penstock.planning.arbiter.memory import Acted, ArbiterMemory, Expected
from penstock.planning.arbiter.policy import Arbiter
from penstock.planning.arbiter.rested import Rested
from penstock.planning.arbiter.settings import ArbiterSettings
from penstock.store.codec import decode, encode
from tests.builders import rounds
from tests.planning.arbiter.fleets import batch, fleet_view, job

# What all would need is worked out at the first look, and takes longer than all else of it: test_shortfall.py has that.
SAID = ArbiterMemory(shortfall_at_s=1e4)


def lived(views: Sequence[View]) -> tuple[list[Plan], ArbiterMemory]:
    """Round by round, by one who has said what all would need."""
    return rounds(Arbiter(), views, SAID)


def crowd(urgent_utility: float = 20.0, up_to_s: float = 10.0, target: str = "2s", **more: Any) -> tuple[JobView, ...]:
    """Three that want most of their rows and one in a hurry: more than four slots can do."""
    juicy = [
        job(name, 300.0, intent=Intent(Juice(0.9, utility=10.0)), utility=9.0, up_to_s=up_to_s, beside=3.0)
        for name in ("a", "b", "c")
    ]
    urgent = job("urgent", 150.0, target, 40.0, utility=urgent_utility, up_to_s=up_to_s, beside=3.0, **more)
    return (*juicy, urgent)


def seen(at_s: float, urgent_utility: float = 20.0) -> View:
    return fleet_view(*crowd(urgent_utility, up_to_s=at_s), at_s=at_s)


def first_decision(views: Sequence[View]) -> tuple[Decision, ArbiterMemory]:
    plans, memory = lived(views)
    (decision,) = next(plan.decisions for plan in plans if plan.decisions)
    return decision, memory


def test_it_acts_in_the_first_round_in_which_all_costs_are_known() -> None:
    plans, _ = lived([seen(2.0)])
    assert len(plans[0].decisions) == 1
    assert plans[0].again_s is None


def test_a_decision_tells_what_it_foretells_of_every_tenant_before_and_after() -> None:
    decision, _ = first_decision([seen(5.0)])
    urgent = next(one for one in decision.foretold if one.job == "urgent")
    assert {one.job for one in decision.foretold} == {"a", "b", "c", "urgent"}
    assert urgent.utility > urgent.was_utility
    assert (urgent.latency_s or 0.0) < (urgent.was_latency_s or 0.0)
    assert decision.expected_utility is not None
    assert decision.utility_before < decision.expected_utility <= 70.0
    assert decision.why.startswith("urgent misses")


@pytest.mark.parametrize(("came_old_s", "turned"), [(0.0, set()), (2.5, {"juicy", "urgent"})])
def test_whose_rows_come_old_to_their_source_is_helped_with_the_rest(came_old_s: float, turned: set[str]) -> None:
    beside = job("juicy", 240.0, intent=Intent(Juice(0.5, utility=10.0)), utility=10.0, beside=1.5)
    urgent = job("urgent", 100.0, "4s", 40.0, utility=30.0, beside=1.5)
    batches = tuple(replace(one, waited_s=0.5 + came_old_s) for one in urgent.figures.batches)
    plans, _ = lived([fleet_view(beside, replace(urgent, figures=replace(urgent.figures, batches=batches)))])
    assert {move.job for decision in plans[0].decisions for move in decision.moves} == turned


def test_all_that_is_turned_is_turned_together_and_within_limits() -> None:
    decision, _ = first_decision([seen(5.0)])
    assert {type(move) for move in decision.moves} <= {Slots, BatchBound}
    assert len({(move.job, move.kind) for move in decision.moves}) == len(decision.moves) >= 2


def test_shares_wait_a_little_for_the_first_batches_of_all_and_bounds_longer_but_not_for_ever() -> None:
    first, *others = crowd(target="1s")
    silent = replace(first, figures=replace(first.figures, batches=()))
    plans, memory = lived([fleet_view(silent, *others, at_s=at_s) for at_s in (10.0, 13.0, 14.0)])
    assert [bool(plan.decisions) for plan in plans] == [False, False, True]
    assert plans[0].note == "learning what batches cost; waiting for those of a"
    assert [plan.again_s for plan in plans] == [2.0, 2.0, 2.0]  # a batch that tells more may end at any moment
    late, _ = lived([fleet_view(silent, *others, at_s=at_s) for at_s in (10.0, 71.0)])
    assert late[-1].again_s is None
    assert {type(move) for move in plans[2].decisions[0].moves} == {Slots}
    again = replace(memory, acted=None)
    for at_s, bounded in ((39.0, False), (40.0, True)):
        plan, _ = Arbiter().decide(fleet_view(silent, *others, at_s=at_s), again)
        assert any(isinstance(move, BatchBound) for one in plan.decisions for move in one.moves) == bounded


def test_what_was_decided_over_shares_alone_is_completed_as_soon_as_all_have_told() -> None:
    unit = OperatorFigures(ALL_OPERATORS, 1, 0.5, is_source=True, max_threads=12)
    first, *others = crowd(target="1s", max_threads=3, operators=(unit,))  # all four slots would be worth more at once
    silent = replace(first, figures=replace(first.figures, batches=()))
    plans, memory = lived([fleet_view(silent, *others, at_s=at_s) for at_s in (10.0, 14.0)])
    weights = {move.job: move.after for move in plans[-1].decisions[0].moves if isinstance(move, Slots)}
    as_decided = [weighing(one, weights.get(one.name, 1)) for one in (first, *others)]
    (decision,) = at(16.0, memory, *as_decided)[0].decisions
    assert any(isinstance(move, BatchBound) for move in decision.moves)
    # What was decided over all levers is waited for, though just as much is foretold of another step.
    assert memory.acted is not None
    waiting, _ = at(16.0, replace(memory, acted=replace(memory.acted, shares_alone=False)), *as_decided)
    assert (waiting.decisions, waiting.note) == ((), "waiting for the effect of the last decision")


def weighing(one: JobView, weight: int) -> JobView:
    (unit,) = one.figures.operators
    return replace(one, figures=replace(one.figures, operators=(replace(unit, threads=weight),)))


def test_a_first_batch_alone_tells_too_little() -> None:
    first = replace(crowd()[0], figures=replace(crowd()[0].figures, batches=crowd()[0].figures.batches[:1]))
    plans, _ = lived([fleet_view(first, *crowd()[1:], at_s=3.0)])
    assert plans[0].note == "learning what batches cost; waiting for those of a"


@pytest.mark.parametrize(
    ("ended", "utility", "acts"),
    [
        (slice(-2, None), 40.0, False),  # all that is known of it is its second batch, and it misses nothing
        (slice(-3, None), 40.0, True),
        (slice(-2, None), 20.0, True),  # what it misses has come
        (slice(0, 2), 40.0, True),  # its second batch ended eight seconds ago: it is slow now
    ],
)
def test_a_miss_that_nobody_has_is_not_foretold_on_the_word_of_one_batch(
    ended: slice, utility: float, acts: bool
) -> None:
    *others, urgent = crowd(urgent_utility=utility)
    young = replace(urgent, figures=replace(urgent.figures, batches=urgent.figures.batches[ended]))
    plan, _ = at(10.0, SAID, *others, young)
    assert bool(plan.decisions) == acts
    if not acts:
        assert plan.note == "a miss is predicted from one batch alone; the next batch is awaited"
        assert plan.again_s == 2.0


def test_whom_nobody_can_tell_anything_of_is_not_waited_for() -> None:
    ended = replace(crowd()[0], figures=replace(crowd()[0].figures, batches=(), trouble="its query failed: no disk"))
    plans, _ = lived([fleet_view(ended, *crowd()[1:])])
    assert len(plans[0].decisions) == 1


def test_where_all_have_what_they_asked_for_it_rests_and_says_so() -> None:
    plans, _ = lived([fleet_view(job("a", 40.0), job("b", 40.0), at_s=10.0 + n) for n in range(5)])
    assert {plan.note for plan in plans} == {"everyone has what they asked for"}


def test_it_rests_without_saying_that_all_is_well_of_one_whom_nobody_sees() -> None:
    blind = replace(job("b", 40.0), utility=None, met=False)
    plans, _ = lived([fleet_view(job("a", 40.0), blind, at_s=10.0 + n) for n in range(5)])
    assert {plan.note for plan in plans} == {"no job is known to miss its targets; no figures of b"}


def test_it_rests_without_saying_that_all_is_well_beside_one_whose_query_fails() -> None:
    figures = replace(job("b", 40.0).figures, trouble="its query failed: no disk")
    failed = replace(job("b", 40.0), figures=figures, utility=None, met=False)
    plans, _ = lived([fleet_view(job("a", 40.0), failed, at_s=10.0 + n) for n in range(5)])
    assert {plan.note for plan in plans} == {"b is in trouble, which no shares or bounds mend"}


def after_acting(utility_before: float = 40.0, foretold: float = 65.0, left_alone: float = 40.0) -> ArbiterMemory:
    """The memory of one that gave urgent a slot more, ten seconds ago."""
    memory: ArbiterMemory = lived([seen(10.0)])[1]
    move = Slots("urgent", 1, 2)
    arrivals = {name: one.arrival_rps or 0.0 for name, one in memory.costs.items()}
    acted = Acted(10.0, 15.0, (move,), utility_before, left_alone, foretold, arrivals)
    return replace(memory, acted=acted)


def at(at_s: float, memory: ArbiterMemory, *jobs: JobView) -> tuple[Plan, ArbiterMemory]:
    return Arbiter().decide(fleet_view(*jobs, at_s=at_s), memory)


def given(*jobs: JobView) -> tuple[JobView, ...]:
    """The same with a slot more for the last one, as it was decided."""
    *others, urgent = jobs
    return (*others, weighing(urgent, 2))


def test_what_made_utility_fall_although_a_rise_was_foretold_is_taken_back_once_it_could_show() -> None:
    early, _ = at(30.0, after_acting(), *given(*crowd(2.0)))
    assert all(one.reason is not Reason.REVERTED for one in early.decisions)
    (decision,) = at(40.0, after_acting(), *given(*crowd(2.0)))[0].decisions
    assert decision.moves == (Slots("urgent", 2, 1),)
    assert decision.why == "utility fell from 40.0 to 29.0 (predicted: 65.0)"  # 3 x 9 and 2


def test_with_what_was_turned_for_later_the_look_so_far_ahead_is_taken_back_too() -> None:
    plan, memory = at(40.0, replace(after_acting(), further_until_s=170.0), *given(*crowd(2.0)))
    assert [decision.reason for decision in plan.decisions] == [Reason.REVERTED]
    assert memory.further_until_s == 0.0


@pytest.mark.parametrize(
    ("before", "foretold", "left_alone"),
    [
        (30.0, 65.0, 30.0),  # it fell by less than a twentieth of the 70 that there are
        (40.0, 31.0, 40.0),  # it fell as was foretold
        (40.0, 65.0, 20.0),  # it would have fallen further without
    ],
)
def test_what_came_as_foretold_or_did_no_harm_stays(before: float, foretold: float, left_alone: float) -> None:
    plan, _ = at(40.0, after_acting(before, foretold, left_alone), *given(*crowd(2.0)))
    assert all(one.reason is not Reason.REVERTED for one in plan.decisions)


@pytest.mark.parametrize(
    ("urgent_utility", "reverted"),
    [
        (20.0, False),  # costs as they are known now foretell 40 of the 47 that are seen, and 8 less without
        (2.0, True),  # only 29 are seen: they do not account for that
    ],
)
def test_what_would_be_worse_without_stays_if_costs_account_for_what_is_seen(
    urgent_utility: float, reverted: bool
) -> None:
    plan, _ = at(40.0, after_acting(60.0, 65.0, 60.0), *given(*crowd(urgent_utility)))
    assert any(one.reason is Reason.REVERTED for one in plan.decisions) == reverted


@pytest.mark.parametrize(
    ("foretold", "reverted"),
    [
        (65.0, True),  # it was off by 36: the 8 that costs foretell to be lost would not make it turn again
        (36.0, False),  # it was off by 7: in the next round it would be decided anew
    ],
)
def test_what_would_be_decided_anew_at_once_is_not_taken_back(foretold: float, reverted: bool) -> None:
    plan, _ = at(40.0, after_acting(60.0, foretold, 60.0), *given(*crowd(2.0)))
    assert any(one.reason is Reason.REVERTED for one in plan.decisions) == reverted


@pytest.mark.parametrize(("at_s", "turned"), [(95.0, []), (200.0, [BatchBound("calm", 600, None)])])
def test_a_bound_that_holds_nothing_back_is_taken_off_when_minutes_have_shown_that(
    at_s: float, turned: list[BatchBound]
) -> None:
    def calm(at_s: float, bound: int | None) -> View:
        dial = Dial("bound", "calm", bound, 1, shows=Shows.NEXT_BATCH)
        return fleet_view(job("calm", 100.0, up_to_s=at_s, levers=(dial,)), at_s=at_s)

    plans, _ = lived([calm(5.0, None), calm(at_s, 600)])
    assert [move for decision in plans[1].decisions for move in decision.moves] == turned


def behind(seconds: float = 30.0) -> View:
    """One with as many seconds' rows waiting, beside another that wants most of its own."""
    known: dict[str, Any] = {"up_to_s": 200.0, "beside": 1.5}
    juicy = job("juicy", 250.0, intent=Intent(Juice(0.9, utility=10.0)), utility=9.0, **known)
    late = job("late", 160.0, worth=20.0, utility=2.0, **known)
    waits = [replace(one, left_rows=seconds * 160.0) for one in late.figures.batches]
    late = replace(late, figures=replace(late.figures, batches=tuple(waits), backlog_rows=seconds * 160.0))
    return fleet_view(juicy, late, at_s=200.0)


def test_before_it_rests_while_somebody_misses_something_it_looks_further_ahead() -> None:
    decision, memory = first_decision([behind()])
    assert decision.why.endswith("; this pays within 160 s, not within 56 s")
    assert [move.job for move in decision.moves] == ["late"]
    assert memory.further_until_s == 200.0 + 160.0


def test_where_nobody_misses_anything_it_rests_on_what_the_next_seconds_tell() -> None:
    view = behind()
    (plan,), memory = lived([replace(view, jobs=tuple(replace(one, met=True) for one in view.jobs))])
    assert not plan.decisions
    assert memory.further_until_s == 0.0


def test_a_large_fleet_looks_no_further_for_its_search_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "MANY", 1)
    (plan,), memory = lived([behind()])
    assert not plan.decisions
    assert memory.further_until_s == 0.0


def test_until_what_was_turned_for_later_is_to_pay_it_looks_as_far() -> None:
    memory = replace(SAID, further_until_s=360.0)
    (decision,) = rounds(Arbiter(), [behind()], memory)[0][0].decisions
    assert "this pays within" not in decision.why  # it is what the search itself finds
    assert [move.job for move in decision.moves] == ["late"]


@pytest.mark.parametrize(("off", "again"), [(36.0, []), (9.0, [Reason.RECONFIGURED])])
def test_what_has_just_been_taken_back_is_tried_again_only_for_more_than_it_was_off_by(
    off: float, again: list[Reason]
) -> None:
    _, memory = at(40.0, after_acting(foretold=65.0), *given(*crowd(2.0)))
    assert memory.wary_of == 65.0 - 29.0
    plan, _ = at(57.0, replace(memory, wary_of=off), *crowd(2.0))
    assert [one.reason for one in plan.decisions] == again


def bounded(up_to_s: float) -> tuple[JobView, ...]:
    """The crowd, with `a` bounded as it was decided at 10 s; its last batch ended then."""
    first, *others, urgent = crowd(2.0)
    dial = Dial("bound", "a", 100, 1, shows=Shows.NEXT_BATCH)
    ended = crowd(up_to_s=up_to_s)[0].figures.batches
    return (replace(first, figures=replace(first.figures, levers=(dial,), batches=ended)), *others, urgent)


@pytest.mark.parametrize(
    ("at_s", "ended_s", "reverted"),
    [
        (40.0, 10.0, False),  # the batch goes on that began before: nothing of the bound can be seen
        (40.0, 20.0, True),
        (40.0, 25.0, False),  # a batch has run under it for 15 s
        (130.0, 10.0, False),  # what utility falls to until then is not its doing, however long that takes
    ],
)
def test_a_bound_is_judged_once_batches_ran_under_it(at_s: float, ended_s: float, reverted: bool) -> None:
    acted = after_acting()
    assert acted.acted is not None
    memory = replace(acted, acted=replace(acted.acted, moves=(BatchBound("a", None, 100),)))
    plan, _ = at(at_s, memory, *bounded(ended_s))
    assert any(one.reason is Reason.REVERTED for one in plan.decisions) == reverted


def test_what_was_foretold_of_a_bound_is_not_compared_with_what_came_without_it() -> None:
    acted = after_acting()
    assert acted.acted is not None
    expected = Expected(10.0, 70.0, {"urgent": 40.0}, acted.acted.arrivals_rps)
    memory = replace(acted, acted=replace(acted.acted, moves=(BatchBound("a", None, 100),)), expected=expected)
    assert "urgent" not in at(70.0, memory, *bounded(10.0))[1].errors
    assert "urgent" in at(70.0, memory, *bounded(20.0))[1].errors


@pytest.mark.parametrize(("at_s", "bounds"), [(12.0, False), (20.0, True)])
def test_one_whose_second_batch_drags_on_is_not_waited_for_but_bounded_before_its_third_begins(
    at_s: float, bounds: bool
) -> None:
    # A second of its rows took 5 s. In the second batch are five seconds of them, in the third 25.
    dear = batch(1, 1500.0, 6.0, took_s=5.0)
    juicy = Intent(Juice(0.9, utility=10.0))
    flood = job("flood", 1500.0, intent=juicy, utility=2.0, batches=(dear,))
    urgent = job("urgent", 30.0, "2s", 40.0, utility=20.0, up_to_s=at_s, beside=20.0)
    (_, plan), _ = lived([fleet_view(flood, urgent, at_s=5.0), fleet_view(flood, urgent, at_s=at_s)])
    turned = [type(move) for decision in plan.decisions for move in decision.moves if move.job == "flood"]
    assert (BatchBound in turned) == bounds


def test_a_fall_long_after_is_not_the_decisions_doing() -> None:
    plan, _ = at(101.0, after_acting(), *given(*crowd(2.0)))
    assert all(one.reason is not Reason.REVERTED for one in plan.decisions)


def test_what_was_decided_and_does_not_come_is_decided_anew_a_minute_later() -> None:
    views = [fleet_view(*crowd(up_to_s=10.0), at_s=10.0 + 10.0 * n) for n in range(7)]
    plans, _ = lived(views)
    assert [len(plan.decisions) for plan in plans] == [1, 0, 0, 0, 0, 0, 1]
    assert plans[1].note == "the last decision had no effect: something else sets these levers"


def test_under_another_load_a_fall_is_not_the_decisions_doing() -> None:
    rising = [replace(one, figures=replace(one.figures, batches=_twice(one))) for one in crowd(2.0)]
    plan, _ = at(40.0, after_acting(), *given(*rising))
    assert all(one.reason is not Reason.REVERTED for one in plan.decisions)


def _twice(one: JobView) -> tuple[Any, ...]:
    rate = 2.0 * (one.figures.arrival_rps or 0.0)
    return tuple(batch(number, rate, float(number)) for number in range(11, 30))


@pytest.mark.parametrize(
    ("since_s", "twice_as_much", "steps"),
    [
        (-100.0, False, [0, 1, 0]),  # found worth a turn twice
        (-100.0, True, [1, 0, 0]),  # the load is another one: that is a reason of its own
        (0.0, False, [1, 0, 0]),  # in the first minute costs still fall
    ],
)
def test_another_step_under_the_same_load_is_found_worth_a_turn_twice_before_it_is_taken(
    since_s: float, twice_as_much: bool, steps: list[int]
) -> None:
    jobs = [
        replace(one, figures=replace(one.figures, batches=_twice(one))) if twice_as_much else one for one in crowd()
    ]
    memory = replace(after_acting(), since_s=since_s)
    arbiter = Arbiter(ArbiterSettings(least_gain=0.08))  # so that no gain is five times what is worth a turn
    taken = []
    for at_s in (50.0, 56.0, 62.0):
        plan, memory = arbiter.decide(fleet_view(*given(*jobs), at_s=at_s), memory)
        taken.append(len(plan.decisions))
    assert taken == steps


@pytest.mark.parametrize(
    ("urgent_utility", "rested_at_rps", "steps"),
    [
        (40.0, None, [0, 1]),  # a miss is foretold, and nobody sees any: one slow batch would foretell it, too
        (20.0, None, [1, 0]),  # it is seen
        (40.0, 150.0, [0, 1]),  # looked at before under the same load
        (40.0, 75.0, [1, 0]),  # under half as much
    ],
)
def test_a_first_step_for_what_is_foretold_alone_is_found_worth_a_turn_twice_too(
    urgent_utility: float, rested_at_rps: float | None, steps: list[int]
) -> None:
    jobs = [replace(one, utility=10.0, met=True) for one in crowd()[:3]] + list(crowd(urgent_utility)[3:])
    memory = replace(after_acting(), since_s=-100.0, acted=None)
    if rested_at_rps is not None:
        arrivals = {**dict.fromkeys("abc", 300.0), "urgent": rested_at_rps}
        memory = replace(memory, rested=Rested(30.0, "", 70.0, (), (), arrivals))
    taken = []
    for at_s in (50.0, 56.0):
        plan, memory = at(at_s, memory, *jobs)
        taken.append(len(plan.decisions))
    assert taken == steps


@pytest.mark.parametrize(("urgent_utility", "steps"), [(20.0, [1, 0]), (40.0, [0, 1])])
def test_after_a_first_step_what_is_foretold_alone_is_found_worth_a_turn_twice_in_the_first_minute_too(
    urgent_utility: float, steps: list[int]
) -> None:
    jobs = [replace(one, utility=10.0, met=True) for one in crowd()[:3]] + list(crowd(urgent_utility)[3:])
    memory, taken = replace(after_acting(), since_s=0.0), []
    for at_s in (35.0, 41.0):
        plan, memory = at(at_s, memory, *given(*jobs))
        taken.append(len(plan.decisions))
    assert taken == steps


def test_its_error_is_kept_tenant_by_tenant_and_told_in_every_plan() -> None:
    calm = [fleet_view(job("a", 40.0, utility=6.0), job("b", 40.0), at_s=10.0 + 10.0 * n) for n in range(8)]
    plans, memory = lived(calm)
    assert [(error.job, round(error.share, 1), error.of) for error in plans[-1].errors] == [
        ("a", 0.4, 1),
        ("b", 0.0, 1),
    ]
    assert memory.lost(ArbiterSettings(lost_after=1)) == frozenset({"a"})


@pytest.mark.parametrize(("misread", "turns"), [("calm", True), ("held", False)])
def test_only_the_errors_seen_with_those_whom_a_step_would_touch_speak_against_it(misread: str, turns: bool) -> None:
    asked, calm = Intent(Juice(0.9, utility=10.0)), job("calm", 40.0, worth=60.0)
    _, memory = at(10.0, ArbiterMemory(), job("held", 60.0, intent=asked), calm)
    acted = Acted(-100.0, -90.0, (BatchBound("held", None, 5),), 60.0, 60.0, 60.0, {})
    errors = {misread: PredictionError(misread, 0.9, 20)}
    bound = (Dial("bound", "held", 5.0, 1, shows=Shows.NEXT_BATCH),)
    held = job("held", 60.0, intent=asked, utility=5.0, juice=0.5, levers=bound)
    plan, _ = at(11.0, replace(memory, acted=acted, expected=None, rested=None, errors=errors), held, calm)
    assert bool(plan.decisions) is turns


def test_its_memory_can_be_stored_and_read() -> None:
    _, memory = lived([seen(5.0), seen(7.0)])
    assert decode(encode(memory), ArbiterMemory) == memory


def test_it_is_a_function_of_what_it_is_given() -> None:
    assert rounds(Arbiter(), [seen(5.0), seen(7.0)]) == rounds(Arbiter(), [seen(5.0), seen(7.0)])
