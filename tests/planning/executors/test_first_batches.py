"""What nobody uses goes to applications whose first batch does not end, of which nothing is known."""

from dataclasses import replace

import pytest

from penstock.core.levers import Executors
from penstock.core.plan import Plan
from penstock.core.seen.view import JobView, View
from penstock.planning.executors.policy import ExecutorsPolicy
from tests.builders import job, operator
from tests.planning.executors.many import application, fleet

CLICKS = application("clicks", 2, ((1, 9.9), (2, 10.0)))


def decided(seen: View) -> Plan:
    return ExecutorsPolicy().decide(seen, ExecutorsPolicy().start())[0]


def first_batch(
    name: str = "fraud", worth: float = 40.0, busy: float | None = 1.0, up_s: float | None = 60.0
) -> JobView:
    """A tenant whose query runs, and of which no batch has ended."""
    found = job(name, 0.0, worth, [operator(capacity=busy)], up_s=up_s, trouble="no row came through in the 60 s")
    return replace(found, figures=replace(found.figures, latency=None), utility=None)


@pytest.mark.parametrize(
    ("cores", "held", "given"), [(3, 1, 1), (4, 2, 2), (5, 2, 3), (6, 2, 4), (16, 2, 4), (16, 7, 8)]
)
def test_it_gets_twice_as_many_or_what_is_left_or_what_it_may_have(cores: int, held: int, given: int) -> None:
    seen = fleet([CLICKS, application("fraud", held, most=8)], cores, jobs=[job("clicks", 10.0), first_batch()])
    decisions = decided(seen).decisions
    assert [move.after for decision in decisions for move in decision.moves] == ([given] if given > held else [])


# Clicks, which holds 2 and is content, is worth 10; fraud, which holds 1, 40: its share is four fifths of the cores. Of
# what nobody holds it has half at once; the odd one is kept for who is to begin yet.
BEGUN = [
    # cores, since when it runs, how busy it is, executors that fraud is given
    (4, 20.0, 0.1, 1),
    (5, 20.0, 0.1, 2),
    (6, 20.0, 0.1, 2),
    (7, 20.0, 0.1, 3),
    (13, 20.0, None, 6),
    (3, 20.0, 0.1, 1),  # nobody holds any less
    (6, 60.0, 0.1, 1),  # it makes no use of what it has
    (6, None, 0.1, 1),  # its query does not run yet
    (4, 20.0, 1.0, 2),
    (5, 60.0, 1.0, 2),  # twice as many as it works with
]


@pytest.mark.parametrize(("cores", "up_s", "busy", "given"), BEGUN)
def test_who_has_begun_just_now_gets_its_share_by_worth_of_half_of_what_nobody_holds(
    cores: int, up_s: float | None, busy: float | None, given: int
) -> None:
    begun = first_batch(busy=busy, up_s=up_s)
    plan = decided(fleet([CLICKS, application("fraud", 1)], cores, jobs=[job("clicks", 10.0), begun]))
    assert [move.after for decision in plan.decisions for move in decision.moves] == ([given] if given > 1 else [])


@pytest.mark.parametrize(("up_s", "given"), [(20.0, 2), (60.0, 1)])
def test_who_has_had_a_first_batch_that_tells_nothing_yet_has_begun_just_now_too(up_s: float, given: int) -> None:
    begun = job("fraud", 0.0, 40.0, [operator(capacity=0.1)], up_s=up_s)
    plan = decided(fleet([CLICKS, application("fraud", 1)], 6, jobs=[job("clicks", 10.0), begun]))
    assert [move.after for decision in plan.decisions for move in decision.moves] == ([given] if given > 1 else [])


def test_nobody_who_has_begun_just_now_gets_more_than_its_share_or_than_it_may_have() -> None:
    jobs = [job("clicks", 10.0, 90.0), first_batch("ads", 10.0, up_s=20.0, busy=0.1), first_batch(up_s=20.0, busy=0.1)]
    seen = fleet([application("ads", 1), CLICKS, application("fraud", 1, most=4)], 28, jobs=jobs)
    (decision,) = decided(seen).decisions
    # 28 cores for 140: 2 are the share of ads, 8 that of fraud, which may have 4
    assert decision.moves == (Executors(1, 2, "ads"), Executors(1, 4, "fraud"))


def test_rounds_that_follow_one_another_keep_half_once_for_those_who_are_to_begin_yet() -> None:
    policy = ExecutorsPolicy()
    jobs = [job("clicks", 10.0), first_batch("fraud", 40.0, 0.1, 2.0)]
    plan, memory = policy.decide(fleet([CLICKS, application("fraud", 1)], 16, jobs=jobs), policy.start())
    assert [move.after for move in plan.decisions[0].moves] == [7]  # 13 that nobody holds: 6 go, 7 are kept
    jobs = [*jobs, first_batch("ads", 40.0, 0.1, 2.0)]
    dials = [CLICKS, application("fraud", 8), application("ads", 1)]
    plan, _ = policy.decide(fleet(dials, 16, 4.0, jobs), memory)
    assert plan.decisions[0].moves == (Executors(1, 2, "ads"), Executors(8, 7, "fraud"))  # the shares of both are 7


KNOWN = ((1, 0.0), (5, 10.0))
# Ads, whose first batch has not ended, holds 5 of 8 cores; fraud, which counts for 40, has begun just now and holds 1.
LENT = [
    # what ads counts for, what it says of its executors, since when it and fraud run; what both are to hold then
    (10.0, (), 30.0, 20.0, {"ads": 1, "fraud": 6}),  # shares are 1 and 6; of the two that nobody holds one is kept
    (40.0, (), 30.0, 20.0, {"ads": 4, "fraud": 3}),  # 4 and 4
    (90.0, (), 30.0, 20.0, {"fraud": 2}),  # 5 are its share; fraud gets half of what nobody holds
    (10.0, KNOWN, 30.0, 20.0, {"fraud": 2}),  # all that it holds is worth something to it
    (10.0, (), None, 20.0, {"fraud": 2}),  # of a query that does not run yet nobody knows how long it has
    (10.0, (), 30.0, 60.0, {}),  # fraud makes no use of what it has
]


@pytest.mark.parametrize(("counts_for", "says", "ads_up_s", "fraud_up_s", "held"), LENT)
def test_who_began_before_lends_what_it_holds_beyond_its_share_to_who_begins(
    counts_for: float, says: tuple[tuple[float, float], ...], ads_up_s: float, fraud_up_s: float, held: dict[str, int]
) -> None:
    ads, fraud = first_batch("ads", counts_for, 0.1, ads_up_s), first_batch("fraud", 40.0, 0.1, fraud_up_s)
    ads = replace(ads, utility=counts_for if says else None)
    plan = decided(fleet([application("ads", 5, says), application("fraud", 1)], 8, jobs=[ads, fraud]))
    assert {move.job: move.after for decision in plan.decisions for move in decision.moves} == held


# Clicks holds all 6 of the cores but fraud's one, and is known: what it does as well without may be lent, as far as
# fraud, which has begun just now and counts for 40, lacks of its share (5 of 7).
SPARED = [
    # what clicks says of its executors, what it has of its 10, rows that wait; executors that it lends
    (((1, 5.0), (3, 10.0), (6, 10.0)), 10.0, 0.0, 3),
    (((1, 5.0), (6, 10.0)), 10.0, 0.0, 0),
    (((1, 5.0), (3, 9.98), (6, 10.0)), 10.0, 0.0, 1),  # 9.993 with five: that is as good
    (((1, 10.0), (6, 10.0)), 10.0, 0.0, 4),
    (((1, 0.0), (6, 0.0)), 0.0, 0.0, 0),  # nothing helps it, as far as it can tell
    (((1, 5.0), (3, 10.0), (6, 10.0)), 6.0, 900.0, 0),  # it is to come back yet, with all that it holds
]


@pytest.mark.parametrize(("says", "has", "waiting", "lends"), SPARED)
def test_who_is_known_lends_what_it_does_as_well_without(
    says: tuple[tuple[float, float], ...], has: float, waiting: float, lends: int
) -> None:
    jobs = [job("clicks", has, backlog_rows=waiting, arrival_rps=100.0), first_batch(busy=0.1, up_s=20.0)]
    plan = decided(fleet([application("clicks", 6, says), application("fraud", 1)], 7, jobs=jobs))
    held = {"clicks": 6 - lends, "fraud": 1 + lends} if lends else {}
    assert {move.job: move.after for decision in plan.decisions for move in decision.moves} == held


def test_nobody_lends_what_it_needs_to_live() -> None:
    jobs = [first_batch("ads", 10.0, 0.1, 30.0), first_batch("fraud", 40.0, 0.1, 20.0)]
    (decision,) = decided(fleet([application("ads", 5, least=4), application("fraud", 1)], 6, jobs=jobs)).decisions
    assert decision.moves == (Executors(5, 4, "ads"), Executors(1, 2, "fraud"))
    assert decision.why == (
        "1 executor to fraud, whose first batches have not ended, some lent by ads: their worth is not known until then"
    )


def test_nothing_is_lent_for_whoever_rests_nor_comes_to_anybody_else_then() -> None:
    policy = ExecutorsPolicy()
    jobs = [first_batch("ads", 10.0, up_s=90.0), first_batch("bots", 10.0, 0.1, 40.0), first_batch(busy=0.1, up_s=20.0)]
    dials = [application("ads", 1), application("bots", 3), application("fraud", 1)]
    plan, memory = policy.decide(fleet(dials, 6, jobs=jobs), policy.start())
    # 1 is the share of ads, which works on its first batch, and of bots, 4 that of fraud: what bots lends is for fraud
    assert plan.decisions[0].moves == (Executors(3, 1, "bots"), Executors(1, 3, "fraud"))
    dials = [application("ads", 1), application("bots", 2), application("fraud", 3)]
    plan, _ = policy.decide(fleet(dials, 6, 10.0, jobs), memory)
    assert not plan.decisions


def test_its_reason_says_that_nothing_is_known_and_it_rests_then() -> None:
    policy, jobs = ExecutorsPolicy(), [job("clicks", 10.0), first_batch()]
    plan, memory = policy.decide(fleet([CLICKS, application("fraud", 2)], 16, jobs=jobs), policy.start())
    assert plan.decisions[0].why == (
        "2 unused executors to fraud, whose first batches have not ended: their worth is not known until then"
    )
    assert plan.decisions[0].foretold == ()
    later = fleet([CLICKS, application("fraud", 4)], 16, at_s=10.0, jobs=jobs)
    plan, memory = policy.decide(later, memory)
    assert not plan.decisions
    plan, _ = policy.decide(replace(later, at_s=40.0), memory)
    assert [move.after for move in plan.decisions[0].moves] == [8]


IDLE = [first_batch(busy=0.3), first_batch(busy=None), first_batch(up_s=None)]
HAD_A_BATCH = job("fraud", 0.0, 40.0, [operator(capacity=1.0)], up_s=60.0)


@pytest.mark.parametrize("one", [*IDLE, HAD_A_BATCH])
def test_who_makes_no_use_of_its_slots_does_not_run_or_had_a_batch_is_left_as_it_is(one: JobView) -> None:
    seen = fleet([CLICKS, application("fraud", 2)], 16, jobs=[job("clicks", 10.0), one])
    assert not decided(seen).decisions


def test_the_most_valuable_comes_first_and_nobody_gives_anything() -> None:
    jobs = [job("clicks", 10.0), first_batch("ads", 10.0), first_batch("fraud", 40.0)]
    seen = fleet([application("ads", 1), CLICKS, application("fraud", 2)], 7, jobs=jobs)
    (decision,) = decided(seen).decisions
    assert decision.moves == (Executors(2, 4, "fraud"),)


@pytest.mark.parametrize(("gains", "given"), [(2.2, "fraud"), (30.0, "clicks")])
def test_what_nobody_uses_goes_to_who_is_known_or_to_who_is_not(gains: float, given: str) -> None:
    known = application("clicks", 1, ((1, 0.0), (2, gains)))
    jobs = [job("clicks", 0.0, 40.0), first_batch("fraud", 40.0)]
    (decision,) = decided(fleet([known, application("fraud", 1)], 3, jobs=jobs)).decisions
    assert decision.moves == (Executors(1, 2, given),)


def test_one_decision_gives_to_both_and_says_of_whom_nothing_is_known() -> None:
    known = application("clicks", 1, ((1, 0.0), (2, 30.0)))
    jobs = [job("clicks", 0.0, 40.0), first_batch("fraud", 40.0)]
    (decision,) = decided(fleet([known, application("fraud", 1)], 4, jobs=jobs)).decisions
    assert decision.why == (
        "1 unused executor to clicks: clicks rises from 0.0 to 30.0 of 30.0; 1 unused executor to "
        "fraud, whose first batches have not ended: their worth is not known until then"
    )
