"""The parts of the optimiser, each by its law."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.analysis.models.job import job_model
from penstock.core.seen.failures import Failure, FailureKind
from penstock.planning.phoebe.budget import slots_by_worth
from penstock.planning.phoebe.path import first_step
from penstock.planning.phoebe.prospects import Ahead, Leeway, need
from tests.analysis.models.profiles import profile

MODEL = job_model(profile(), 0.0)
SIZES = st.integers(1, 24)
LEEWAY = Leeway(near_best=0.05, lateness=1.0)


def ahead(rate: float, rise: float = 0.0) -> Ahead:
    assert MODEL is not None
    failures = ((Failure(FailureKind.DRIVER, 120.0),),)
    return Ahead(lambda t: rate + rise * min(max(t, 0.0), 1800.0), MODEL, failures, 10.0, 600.0, 120.0)


@given(rate=st.floats(5_000.0, 110_000.0), target=st.floats(140.0, 400.0))
def test_the_need_is_the_smallest_that_recovers_in_time(rate: float, target: float) -> None:
    found = need(ahead(rate), target, 24, LEEWAY)
    if found.enough:
        assert found.recovery_s <= target
        assert found.scaleout == 1 or not (
            ahead(rate).keeps_up(found.scaleout - 1) and ahead(rate).recovery_s(found.scaleout - 1) <= target
        )
    else:
        assert ahead(rate).recovery_s(24) > target


def test_where_none_recovers_in_time_the_last_executors_that_buy_little_are_left() -> None:
    found = need(ahead(200_000.0), 130.0, 24, LEEWAY)
    assert not found.enough
    assert found.scaleout < 24
    assert found.recovery_s <= 1.05 * ahead(200_000.0).recovery_s(24)


def test_the_time_in_which_a_failure_is_not_noticed_is_added_and_builds_up_no_backlog() -> None:
    calm = ahead(50_000.0)
    late = replace(calm, failures=((Failure(FailureKind.DRIVER, 120.0, detect_s=60.0),),))
    assert late.recovery_s(12) == pytest.approx(60.0 + calm.recovery_s(12))


def test_what_could_not_be_saved_is_done_again() -> None:
    calm = ahead(50_000.0)
    unsaved = replace(calm, failures=((Failure(FailureKind.DRIVER, 120.0, unsaved_s=40.0),),))
    same = replace(calm, checkpoint_s=40.0)
    assert unsaved.recovery_s(12) == same.recovery_s(12) > calm.recovery_s(12)


def test_who_is_late_anyhow_is_no_later_than_the_leeway_and_nobody_who_can_be_in_time_is() -> None:
    assert Leeway(0.0, 2.0).within_s(180.0, 180.0) == 180.0  # at the target nothing is given away
    assert Leeway(0.0, 2.0).within_s(200.0, 180.0) == 220.0
    generous = need(ahead(200_000.0), 130.0, 24, Leeway(0.05, 3.0))
    assert generous.scaleout < need(ahead(200_000.0), 130.0, 24, LEEWAY).scaleout


def test_a_rate_beyond_every_capacity_takes_all_there_is() -> None:
    found = need(ahead(900_000.0), 180.0, 24, LEEWAY)
    assert (found.scaleout, found.enough, found.recovery_s) == (24, False, float("inf"))


def test_a_rising_rate_needs_more_than_a_steady_one() -> None:
    assert need(ahead(60_000.0, 40.0), 180.0, 24, LEEWAY).scaleout > need(ahead(60_000.0), 180.0, 24, LEEWAY).scaleout


@given(now=SIZES, needs=st.lists(SIZES, min_size=1, max_size=3), cost=st.floats(0.0, 2000.0))
def test_the_path_is_the_cheapest_of_all(now: int, needs: list[int], cost: float) -> None:
    sizes = sorted({now, *needs})

    def price(path: tuple[int, ...]) -> float:
        changes = zip((now, *path), path, strict=False)
        return 600.0 * sum(path) + sum(cost * max(a, b) for a, b in changes if a != b)

    ways = [path for path in product(sizes, repeat=len(needs)) if all(s >= n for s, n in zip(path, needs, strict=True))]
    first = first_step(now, needs, 600.0, cost)
    assert first >= needs[0]
    best = min(price(path) for path in ways)
    assert min(price(path) for path in ways if path[0] == first) == pytest.approx(best)


@given(
    worth=st.dictionaries(
        st.sampled_from("abcd"), st.lists(st.floats(0.0, 10.0), min_size=1, max_size=5), min_size=1, max_size=3
    ),
    budget=st.integers(1, 12),
)
def test_the_division_is_worth_most_and_within_the_budget(worth: dict[str, list[float]], budget: int) -> None:
    worth = {name: sorted(values) for name, values in worth.items()}
    shares = slots_by_worth(worth, budget)
    assert set(shares) == set(worth)
    if budget < len(worth):
        return
    assert sum(shares.values()) <= budget
    names = list(worth)
    every = product(*(range(1, len(worth[name]) + 1) for name in names))
    best = max(
        sum(worth[name][n - 1] for name, n in zip(names, way, strict=True)) for way in every if sum(way) <= budget
    )
    assert sum(worth[name][shares[name] - 1] for name in names) == pytest.approx(best, abs=1e-6)
