"""Capacity from quiet service: what use says, by scale-out, where no capacity was ever seen."""

import pytest

from penstock.analysis.models.serving import capacities_served
from penstock.core.seen.evidence import Observation


def quiet(scaleout: int, rate_rps: float, busy_share: float | None, at_s: float = 0.0) -> Observation:
    return Observation(scaleout, rate_rps, 1.0, at_s=at_s, busy_share=busy_share)


def test_each_scale_out_is_told_of_by_its_own_service() -> None:
    found = capacities_served([quiet(8, 400.0, 0.25, 10.0), quiet(2, 300.0, 0.5, 20.0)])
    assert found == (Observation(2, 600.0, None, True, 20.0), Observation(8, 1600.0, None, True, 10.0))


def test_busy_stretches_count_more() -> None:
    # (50 x 0.1 + 450 x 0.5) / (0.1^2 + 0.5^2) = 884.6: near the 900 of the busy one, far from the idle one's 500.
    (found,) = capacities_served([quiet(4, 50.0, 0.1), quiet(4, 450.0, 0.5)])
    assert found.rate_rps == pytest.approx(884.62)


def test_what_was_seen_at_its_capacity_is_not_guessed() -> None:
    assert capacities_served([quiet(4, 100.0, 0.5), Observation(4, 150.0, None, saturated=True)]) == ()


@pytest.mark.parametrize("share", [None, 0.0, 0.04])
def test_a_job_that_is_nearly_idle_says_nothing(share: float | None) -> None:
    assert capacities_served([quiet(4, 100.0, share)]) == ()
