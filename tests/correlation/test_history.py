"""History: windows fade with their age and never take more room than allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.pairs import PairCounts
from penstock.correlation.history import PairHistory
from penstock.errors import ConfigError

WINDOW = PairCounts.exact({("a", 1): 16, ("b", 1): 4})


def test_a_row_counts_half_after_each_half_life() -> None:
    history = PairHistory(60.0).closed(WINDOW, 60.0)
    for expected in (8, 4, 2):
        history = history.closed(PairCounts(), 60.0)
        assert history.basis.pairs["a", 1] == pytest.approx(expected)


def test_without_a_half_life_only_the_newest_window_counts() -> None:
    newer = PairCounts.exact({("c", 2): 3})
    history = PairHistory(0.0).closed(WINDOW, 60.0).closed(newer, 60.0)
    assert history.basis == history.newest == newer


@given(st.lists(st.dictionaries(st.tuples(st.integers(0, 9), st.integers(0, 9)), st.integers(1, 9)), max_size=5))
def test_no_more_pairs_are_kept_than_allowed_and_no_row_is_lost_from_the_sum(
    windows: list[dict[tuple[int, int], int]],
) -> None:
    history = PairHistory(60.0, most_pairs=7)
    rows = 0.0
    for window in windows:
        counts = PairCounts.exact(window)
        history, rows = history.closed(counts, 60.0), rows / 2 + counts.rows
    assert len(history.basis.pairs) <= 7
    assert history.basis.rows == pytest.approx(rows)


def test_a_history_tells_what_it_was_a_window_ago() -> None:
    older = PairHistory(60.0).closed(WINDOW, 60.0)
    history = older.closed(PairCounts.exact({("c", 2): 3}), 60.0)
    assert (history.newest_before, history.basis_before) == (older.newest, older.basis)


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"half_life_s: -1 cannot be used"):
        PairHistory(-1)
    with pytest.raises(ConfigError, match=r"most_pairs: 0 cannot be used"):
        PairHistory(60.0, most_pairs=0)
    with pytest.raises(ConfigError, match=r"length_s: 0 cannot be used"):
        PairHistory(60.0).closed(WINDOW, 0)
