"""Rate curves against their definitions."""

from pathlib import Path

import numpy as np
import pytest

from penstock.errors import ConfigError
from penstock.workloads import rates


def test_curves_have_the_values_that_their_names_say() -> None:
    assert rates.constant(5, 3).tolist() == [5, 5, 5]
    assert rates.step(1, 2, at_s=2, seconds=4).tolist() == [1, 1, 2, 2]
    assert rates.spike(10, 3, 1, 3, 4).tolist() == [10, 30, 30, 10]
    assert rates.sine(10, 20, 4, 4).tolist() == pytest.approx([10, 30, 10, 0])  # never below zero


def test_a_replay_has_the_mean_asked_for_and_repeats() -> None:
    trace = rates.Trace(np.array([1.0, 2.0, 3.0]), step_s=10)
    replayed = rates.replay(trace, 60, mean_rps=100)
    assert replayed.mean() == pytest.approx(100)
    assert np.allclose(replayed[:30], replayed[30:])
    assert replayed[0] == 50


def test_a_replay_at_twice_the_speed_takes_half_the_time() -> None:
    trace = rates.Trace(np.array([1.0, 2.0, 3.0, 2.0]), step_s=10)
    assert np.allclose(rates.replay(trace, 20, 100, speed=2.0), rates.replay(trace, 40, 100)[::2])


def test_smoothing_keeps_the_mean_and_lowers_the_spread() -> None:
    trace = rates.Trace(np.random.default_rng(1).poisson(20, 500).astype(float), step_s=60)
    rough, smooth = (rates.replay(trace, 30_000, 100, smooth_s=s) for s in (0, 600))
    assert smooth.mean() == pytest.approx(rough.mean(), rel=0.01)
    assert smooth.std() < rough.std() / 2


def test_noise_is_never_negative_and_keeps_the_mean() -> None:
    noisy = rates.noisy(rates.constant(10, 10_000), 0.8, np.random.default_rng(3))
    assert noisy.min() == 0
    assert noisy.mean() == pytest.approx(10, rel=0.1)


@pytest.mark.parametrize("text", ["h\n", "h\nx\n", "h\n-1\n", "h\nnan\n"])
def test_a_trace_without_numbers_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"rate\.trace\.file: .* its last column must hold"):
        rates.read_trace(path, 60)
