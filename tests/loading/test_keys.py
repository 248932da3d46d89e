"""Keys: their skew, their pairs, and that they do not depend on how they are asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import ConfigError
from penstock.loading.keys import Keys, KeySettings


@given(st.integers(0, 50), st.integers(0, 50))
def test_the_same_seed_draws_the_same_keys_however_they_are_chunked(first: int, second: int) -> None:
    settings = KeySettings(keys=20, zipf=1.0, pairs=5)
    chunked = Keys(settings, seed=3)
    parts = [chunked.draw(first), chunked.draw(second)]
    whole = Keys(settings, seed=3).draw(first + second)
    for side in (0, 1):
        assert np.concatenate([part[side] for part in parts]).tolist() == whole[side].tolist()


def test_frequencies_follow_zipf() -> None:
    left, _ = Keys(KeySettings(keys=1000, zipf=1.0), seed=1).draw(200_000)
    counts = np.bincount(left, minlength=1000)
    # The harmonic number of 1000 is 7.485: the first key has 13.4 % of the rows, the second half of that.
    assert counts[0] / len(left) == pytest.approx(1 / 7.485, rel=0.02)
    assert counts[0] / counts[1] == pytest.approx(2.0, rel=0.05)


def test_without_skew_all_keys_are_alike() -> None:
    left, _ = Keys(KeySettings(keys=10), seed=1).draw(100_000)
    assert np.bincount(left) / len(left) == pytest.approx(np.full(10, 0.1), rel=0.05)


@pytest.mark.parametrize(("agreement", "together"), [(0.0, 0.1), (0.8, 0.82), (1.0, 1.0)])
def test_pairs_agree_as_often_as_asked_and_by_chance(agreement: float, together: float) -> None:
    # Of those that need not agree, one in ten does by chance.
    left, right = Keys(KeySettings(keys=100, pairs=10, agreement=agreement), seed=1).draw(100_000)
    assert np.mean(left % 10 == right) == pytest.approx(together, abs=0.01)


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigError, match="write a number from 1 to 10 million"):
        KeySettings(keys=0)
    with pytest.raises(ConfigError, match="write a share from 0 to 1"):
        KeySettings(agreement=1.5)
