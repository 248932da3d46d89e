"""Drifting pairs are the same for the same seed, as loyal as asked, and drift."""

import pytest
from drifting_pairs import DriftingPairs

from penstock.core.seen.pairs import PairCounts
from penstock.errors import ConfigError


def overlap(a: PairCounts, b: PairCounts) -> float:
    """The share of rows that both have in common."""
    return sum(min(rows, b.pairs.get(pair, 0)) for pair, rows in a.pairs.items()) / a.rows


def test_the_same_seed_gives_the_same_rows_and_another_gives_others() -> None:
    made = [list(DriftingPairs(windows=2, rows=200, seed=seed).counts()) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]


def test_windows_further_apart_have_less_in_common() -> None:
    windows = list(DriftingPairs(windows=12, rows=20_000, left_keys=20, right_keys=40, communities=5).counts())
    assert overlap(windows[0], windows[1]) > overlap(windows[0], windows[5]) > overlap(windows[0], windows[11])


def test_without_drift_the_same_keys_meet_for_ever() -> None:
    first, *_, last = DriftingPairs(
        windows=6, rows=20_000, left_keys=20, right_keys=40, communities=5, wander=0.0, renew=0.0
    ).counts()
    assert overlap(first, last) > 0.9


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"loyal: 1\.2 cannot be used; write a share between 0 and 1"):
        DriftingPairs(loyal=1.2)
