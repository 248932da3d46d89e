"""What is kept for applications that are listed and have not come, and what those that are there get meanwhile."""

from dataclasses import replace

import pytest

from penstock.core.asked.coming import ListedApplication, ToCome
from penstock.core.levers import Executors
from penstock.core.seen.view import JobView
from penstock.planning.executors.claims import claims_of, tenants_of
from penstock.planning.executors.policy import ExecutorsPolicy
from penstock.planning.executors.to_come import kept_for_listed
from tests.builders import job, operator
from tests.planning.executors.many import application, fleet

FRAUD = ListedApplication("fraud", utility=40.0)
SILENT = ListedApplication("ads")


def begun(name: str, worth: float) -> JobView:
    found = job(name, 0.0, worth, [operator(capacity=0.1)], up_s=10.0)
    return replace(found, utility=None)


# Clicks, worth 10, is there and holds two. What each counts for bounds its share; nobody has less than one.
KEPT = [
    # cores, who is to come, executors that are kept
    (10, (FRAUD,), 8),
    (10, (), 0),
    (9, (FRAUD,), 7),  # 7.2
    (10, (replace(FRAUD, most=3),), 3),
    (10, (replace(FRAUD, utility=1.0),), 1),  # 0.9
    (10, (replace(FRAUD, utility=1.0, least=4),), 4),
    (10, (SILENT,), 5),  # worth as much as clicks
    (12, (FRAUD, SILENT), 10),  # 6 of 12 for 40 of 75 and 4 for 25 of 75: what the known are worth in the mean
    (3, (FRAUD,), 1),  # that is all that nobody holds
    (1, (FRAUD,), 0),
]


@pytest.mark.parametrize(("cores", "to_come", "kept"), KEPT)
def test_the_share_by_worth_of_each_that_is_to_come_is_kept_of_what_nobody_holds(
    cores: int, to_come: tuple[ListedApplication, ...], kept: int
) -> None:
    view = fleet([application("clicks", 2)], cores, jobs=[job("clicks", 5.0, 10.0)])
    claims = claims_of(view)
    assert kept_for_listed(ToCome(to_come), tenants_of(view, ["clicks"]), claims, cores).executors == kept


def test_executors_of_several_cores_are_kept_whole() -> None:
    view = fleet([application("clicks", 1, cores=4)], 16, jobs=[job("clicks", 5.0, 10.0)])
    found = kept_for_listed(ToCome((FRAUD,)), tenants_of(view, ["clicks"]), claims_of(view), 15)
    assert (found.executors, found.cores) == (2, 8)  # four fifths of three, and 11 cores are free


def test_who_is_there_gets_no_more_than_its_share_and_is_told_for_whom_the_rest_is_kept() -> None:
    greedy = application("clicks", 1, ((1, 1.0), (10, 10.0)), most=10)
    view = fleet([greedy], 10, jobs=[job("clicks", 1.0, 10.0)])
    (decision,) = ExecutorsPolicy().decide(view, ExecutorsPolicy().start())[0].decisions
    assert decision.moves == (Executors(1, 10, "clicks"),)
    listed = replace(view, to_come=ToCome((FRAUD, replace(FRAUD, name="payments", utility=10.0))))
    (decision,) = ExecutorsPolicy().decide(listed, ExecutorsPolicy().start())[0].decisions
    assert decision.moves == (Executors(1, 3, "clicks"),)  # 6 are kept for fraud, worth 40 of 60, and 1 for payments
    assert decision.why.endswith("; keeps 7 executors for fraud and payments, which are listed and have not come")


def test_it_is_said_in_a_round_without_a_decision_too() -> None:
    view = fleet([application("clicks", 2, ((1, 9.9), (2, 10.0)))], 4, jobs=[job("clicks", 10.0)])
    plan, _ = ExecutorsPolicy().decide(replace(view, to_come=ToCome((FRAUD,))), ExecutorsPolicy().start())
    told = "keeps 2 executors for fraud, which is listed and has not come"
    assert plan.note == f"everyone has what they asked for; {told}"


@pytest.mark.parametrize(("others", "given"), [(True, 2), (False, 4)])
def test_half_is_kept_for_others_only_where_some_may_come_that_nobody_listed(others: bool, given: int) -> None:
    view = fleet([application("clicks", 1)], 20, jobs=[begun("clicks", 10.0)])
    plan, _ = ExecutorsPolicy().decide(replace(view, to_come=ToCome((FRAUD,), others)), ExecutorsPolicy().start())
    # Of 20 cores 16 are kept for fraud, which is worth 40 of 50; of the three that are left half, where others may come
    assert [move for decision in plan.decisions for move in decision.moves] == [Executors(1, given, "clicks")]


def test_what_is_kept_is_not_kept_from_who_needs_it_to_live() -> None:
    needs = application("clicks", 1, ((3, 9.0), (4, 10.0)), least=3)
    view = fleet([needs], 4, jobs=[job("clicks", 1.0)])
    plan, _ = ExecutorsPolicy().decide(replace(view, to_come=ToCome((FRAUD,))), ExecutorsPolicy().start())
    assert [move for decision in plan.decisions for move in decision.moves] == [Executors(1, 3, "clicks")]


def test_nobody_gives_anything_for_who_has_not_come() -> None:
    view = fleet([application("clicks", 4, ((1, 1.0), (4, 10.0)))], 4, jobs=[job("clicks", 9.0)])
    plan, _ = ExecutorsPolicy().decide(replace(view, to_come=ToCome((FRAUD,))), ExecutorsPolicy().start())
    assert not plan.decisions
    assert "keeps" not in plan.note
