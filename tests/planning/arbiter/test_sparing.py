"""While code is new nothing is taken from whoever is worth most."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.view import JobView
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.futures import while_young
from penstock.planning.arbiter.search import search
from penstock.planning.arbiter.sparing import sparing
from tests.planning.arbiter.fleets import fleet, job


def tenants(rates: tuple[float, ...] = (200.0, 60.0, 60.0), weights: tuple[int, ...] = (2, 1, 3)) -> list[JobView]:
    asked = (("urgent", "4s", 40.0), ("a", "10s", 10.0), ("b", "20s", 10.0))
    return [
        job(name, rate, target, worth=worth, weight=weight)
        for (name, target, worth), rate, weight in zip(asked, rates, weights, strict=True)
    ]


def new(*jobs: JobView, fell: float = 1.0, **changed: Any) -> Fleet:
    """Of code that is new, and whose costs were seen to fall so far."""
    return fleet(*jobs, cores=2, futures=while_young(fell), **changed)


def test_its_slots_get_no_fewer_and_its_batches_no_smaller() -> None:
    tried = sparing(new(*tenants()))
    assert tried.lowest.tolist() == [2.0, 1.0, 1.0]
    assert tried.most.tolist()[1:] == [1.0, 3.0]
    assert tried.can_bound.tolist() == [False, True, True]


@pytest.mark.parametrize(
    "there",
    [
        new(*tenants(), fell=0.0),  # it costs what it costs
        fleet(*tenants()),
        new(*(job(name, 60.0) for name in "abc")),
        new(*tenants(), follows=True),
    ],
    ids=["does not fall", "not new", "nobody stands out", "slots come with weights"],
)
def test_all_is_tried_elsewhere(there: Fleet) -> None:
    assert sparing(there) is there


@given(st.tuples(*[st.floats(20.0, 900.0)] * 3), st.tuples(*[st.integers(1, 3)] * 3), st.floats(0.1, 1.0))
def test_whatever_is_found_its_part_of_the_slots_is_no_smaller(
    rates: tuple[float, ...], weights: tuple[int, ...], fell: float
) -> None:
    there = new(*tenants(rates, weights), fell=fell)
    best = search(sparing(there)).best
    part, was = best.weights[0] / best.weights[0].sum(), there.weights / there.weights.sum()
    assert part[0] >= was[0] - 1e-9
    assert best.bounds[0, 0] == there.bounds[0]


@pytest.mark.parametrize("fell", [0.0, 0.05, 0.4, 1.0])
def test_what_may_come_of_new_code_is_as_likely_as_it_was_seen(fell: float) -> None:
    futures = while_young(fell)
    assert sum(one.likely for one in futures) == pytest.approx(1.0)
    warm = sum(one.likely for one in futures if one.warm)
    stays = sum(one.likely for one in futures if one.cold)
    assert (warm > stays) == (fell >= 0.4)
    assert all(one.likely > 0.0 for one in futures)
    assert any(one.warm for one in futures) == (fell > 0.0)
    assert np.isclose(warm, 0.7 * fell)
