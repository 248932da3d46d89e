"""How many rows are drawn of a batch, and what a window of such draws adds up to."""

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.pairs import Pair, PairCounts
from penstock.correlation.sampling import A_BATCH, A_WINDOW, MOST, SampledWindow, one_in_for


@given(rows=st.floats(0, 1e9), of_window=st.floats(-1, 2))
def test_about_as_many_rows_are_drawn_of_any_batch_and_all_of_a_small_one(rows: float, of_window: float) -> None:
    one_in = one_in_for(rows, of_window)
    assert math.log2(one_in).is_integer()
    assert one_in == 1 or A_BATCH <= rows / one_in <= 2 * MOST
    assert one_in > 1 or rows <= 2 * MOST


def test_a_window_of_few_batches_draws_more_of_each() -> None:
    drawn = [64_000 // one_in_for(64_000, 1 / batches) for batches in (2, 5, 10, 20, 1_000)]
    assert drawn == [8_000, 4_000, 2_000, 1_000, 500]  # at least 5,000; 4,000; 2,000; 1,000; 500


def test_a_window_of_batches_drawn_at_different_shares_counts_pairs_as_they_were() -> None:
    chance, window = random.Random(1), SampledWindow()
    truth = Counter[Pair]()
    for one_in in (1, 4, 16):
        rows: list[Pair] = [(n % 3, n % 2) for n in range(12_000)]
        drawn = [pair for pair in rows if chance.random() * one_in < 1]
        error = 0.0 if one_in == 1 else one_in * 5 * math.sqrt(max(Counter(drawn).values()))
        window.add(PairCounts({pair: n * one_in for pair, n in Counter(drawn).items()}, len(rows), error))
        truth.update(rows)
    counted = window.closed()
    assert counted.rows == 36_000
    assert counted.pairs == pytest.approx(dict(truth), abs=counted.error)
    assert counted.error < 0.1 * counted.rows
    assert window.closed() == PairCounts(rows=0.0, error=0.0)


def test_a_window_of_which_no_two_rows_have_the_same_pair_keeps_them_all() -> None:
    window = SampledWindow()
    for batch in range(4):
        window.add(PairCounts.exact({(batch, row): 1 for row in range(A_WINDOW // 4)}))
    counted = window.closed()
    assert (len(counted.pairs), counted.error) == (A_WINDOW, 0)
