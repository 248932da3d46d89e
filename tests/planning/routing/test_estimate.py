"""The estimator: what a re-routing brings, what it costs, and how long the gain will last."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.routes import PastMove
from penstock.errors import ConfigError
from penstock.planning.routing.estimate import Offer, Promise, estimated, paid_back, pause
from penstock.planning.routing_settings import CostSettings

OFFER = Offer(local_now=0.41, local_promised=0.68, rows_rps=10_000, keys=3_120)


def test_the_decision_is_told_in_one_line_with_share_keys_pause_and_payback() -> None:
    estimate = estimated(OFFER, None, settings=CostSettings(delay_worth=3.6))
    # 0.27 x 10,000 = 2,700 rows/s saved; 3.03 s x 10,000 x 3.6 = 109,123 rows of cost; 40 s
    assert estimate.why(600.0) == (
        "local share 0.41 -> expected 0.68 on the last 10 min; moves 3,120 keys, about 3 s; pays back in 40 s"
    )
    assert estimate.pays


def test_a_promise_of_which_half_was_kept_last_time_is_taken_for_half() -> None:
    last = Promise(at_first=0.77, now=0.47, hashed=0.17, age_s=600.0)  # 0.6 promised over hashing, 0.3 left
    assert last.kept == pytest.approx(0.5)
    assert last.half_life_s == pytest.approx(600.0)
    assert estimated(OFFER, last).local_expected == pytest.approx(0.41 + 0.27 / 2)


def test_correlations_that_fade_faster_than_the_cost_is_paid_back_are_not_chased() -> None:
    fleeting = Promise(at_first=0.9, now=0.2, hashed=0.17, age_s=10.0)
    estimate = estimated(OFFER, fleeting, settings=CostSettings(delay_worth=10.0))
    assert math.isinf(estimate.payback_s)
    assert not estimate.pays
    assert estimate.why(60.0).endswith("never pays back")


def test_a_table_that_holds_what_it_promised_says_nothing_of_an_end() -> None:
    assert Promise(0.6, 0.6, 0.2, 600.0).half_life_s == math.inf
    assert Promise(0.2, 0.5, 0.2, 600.0).kept == 1.0  # nothing was promised


def test_no_gain_never_pays() -> None:
    worse = Offer(local_now=0.5, local_promised=0.4, rows_rps=1000, keys=10)
    assert estimated(worse, None).local_expected == 0.5
    assert not estimated(worse, None).pays


def test_a_payback_later_than_the_limit_is_said_and_not_taken() -> None:
    estimate = estimated(OFFER, None, settings=CostSettings(payback_s=5.0))
    assert not estimate.pays
    assert "would pay back in 11 s" in estimate.why(600.0)


def test_state_that_crosses_the_network_counts_as_rows_where_their_size_is_known() -> None:
    heavy = Offer(0.41, 0.68, 10_000, 3_120, moved_bytes=2.7e9, row_bytes=1000.0)  # 2.7 million rows more
    assert estimated(heavy, None).payback_s == pytest.approx(estimated(OFFER, None).payback_s + 1000.0)


def test_pauses_are_guessed_first_and_learnt_from_the_moves_that_were_made() -> None:
    assert pause(100_000, []) == pytest.approx(4.0)
    lived = [PastMove(keys, 0.0, 0.5 + keys * 2e-5) for keys in (10_000, 50_000, 100_000, 200_000)] * 10
    assert pause(100_000, lived) == pytest.approx(2.5, rel=0.06)
    assert pause(0, lived) == pytest.approx(0.5, rel=0.3)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 60)), max_size=8), st.integers(0, 10**6))
def test_a_pause_is_never_negative_and_never_falls_with_more_keys(moves: list[tuple[int, float]], keys: int) -> None:
    past = [PastMove(count, 0.0, pause_s) for count, pause_s in moves]
    assert 0 <= pause(keys, past) <= pause(2 * keys, past) + 1e-9


@given(st.floats(1, 1e6), st.floats(0.1, 1e6), st.floats(1, 1e6))
def test_what_fades_takes_longer_to_pay_back(cost: float, saved: float, half_life_s: float) -> None:
    assert paid_back(cost, saved, half_life_s) >= paid_back(cost, saved, math.inf) * (1 - 1e-9)


def test_costs_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"payback_s: 0 cannot be used"):
        CostSettings(payback_s=0)
