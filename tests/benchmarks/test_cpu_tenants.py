"""The tenants that bind the cores: nothing tuned, but for what a person sets by hand, and rows when they are due."""

from pathlib import Path

import pytest
from cpu_calibration import CALIBRATION_ROWS, rates_between, steady
from cpu_load import due
from cpu_tenants import INTENTS, TENANTS, URGENT, Fixed, by_hand, grid, tenants_of
from kafka_cpu import check

from penstock.engines.spark.watch.progress import Batch
from penstock.errors import ConfigError

RATES = {tenant.name: 100.0 for tenant in TENANTS}


def test_as_they_come_they_have_no_bound_and_an_equal_share() -> None:
    jobs = tenants_of("nowhere:1", RATES, None).jobs(Path("checkpoints"))
    assert [(job.slots, job.max_rows_per_batch) for job in jobs] == [(None, None)] * 4
    assert all(job.function is not None and job.limits.max_slots is None for job in jobs)


def test_bounds_by_hand_are_seconds_worth_of_the_others_rows() -> None:
    jobs = tenants_of("nowhere:1", {**RATES, "clicks": 250.0}, Fixed("two", 3, 2.0)).jobs(Path("checkpoints"))
    assert {job.name: (job.slots, job.max_rows_per_batch) for job in jobs} == {
        URGENT: (3, None),
        "reports": (1, 200),
        "clicks": (1, 500),
        "models": (1, 200),
    }


def test_the_urgent_tenant_is_worth_forty_of_seventy() -> None:
    assert sum(intent.max_utility for intent in INTENTS.values()) == 70.0
    assert INTENTS[URGENT].max_utility == 40.0


@pytest.mark.parametrize(("slots", "shares"), [(2, {1, 2}), (4, {1, 3, 4}), (8, {1, 3, 8})])
def test_the_grid_has_equal_half_and_most_of_the_slots_by_four_bounds(slots: int, shares: set[int]) -> None:
    found = grid(slots)
    assert {fixed.urgent_slots for fixed in found.values()} == shares
    assert {fixed.bound_s for fixed in found.values()} == {None, 1.0, 2.0, 3.0}
    assert len(found) == 4 * len(shares)
    assert not found.keys() & by_hand(slots).keys()


def test_rows_are_due_at_a_steady_rate() -> None:
    assert [due(2.5, at_s) for at_s in (0.0, 0.39, 0.4, 4.0)] == [0, 0, 1, 10]


def ended(count: int, rows: float = CALIBRATION_ROWS) -> list[Batch]:
    """One batch every two seconds."""
    return [Batch("run", number, 2.0 * number, 2.0 * number + 2.0, rows) for number in range(count)]


def test_what_the_machine_can_do_is_told_when_all_have_ended_three_batches() -> None:
    batches = {tenant.name: ended(10) for tenant in TENANTS}
    assert rates_between(batches, 4.0, 15.0) == dict.fromkeys(batches, CALIBRATION_ROWS / 2.0)
    assert rates_between({**batches, "models": ended(3)}, 4.0, 15.0) is None  # two of them since
    assert rates_between({**batches, "models": []}, 4.0, 15.0) is None


def test_rates_that_rise_are_of_code_that_gets_warm() -> None:
    cold, warmer, warm = ({"a": 40.0, "b": 20.0}, {"a": 60.0, "b": 40.0}, {"a": 64.0, "b": 38.0})
    assert [steady(some) for some in ([cold], [cold, warmer], [cold, warmer, warm], [None, warm])] == [
        False,
        False,
        True,
        False,
    ]


def test_rows_that_run_out_are_no_measure() -> None:
    with pytest.raises(SystemExit, match="no more rows"):
        rates_between({"models": ended(4, rows=17)}, 0.0, 9.0)


def test_whatever_the_grid_holds_can_be_asked_for_by_name() -> None:
    check(["penstock", "shares by hand", *grid(4)], 4)
    assert not any("," in name for name in grid(4))
    with pytest.raises(ConfigError, match="choose among"):
        check(["slots 3 no bound"], 2)
