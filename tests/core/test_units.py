"""Durations as people write them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.units import non_negative, positive, positive_seconds, seconds, text_of_seconds
from penstock.errors import ConfigError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("250ms", 0.25),
        ("2s", 2.0),
        ("1.5s", 1.5),
        ("10m", 600.0),
        ("10min", 600.0),
        ("1h", 3600.0),
        ("2d", 172_800.0),
        (" 2 s ", 2.0),
        (0, 0.0),
        (2, 2.0),
        (0.07, 0.07),
        (np.float64(1.5), 1.5),
        (np.int64(3), 3.0),
    ],
)
def test_a_duration_is_read_as_seconds(written: object, expected: float) -> None:
    assert seconds(written) == pytest.approx(expected)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "2",
        "s",
        "-2s",
        "2 weeks",
        "1h30m",
        "1e3s",
        "nan",
        "infs",
        -1,
        -0.1,
        math.nan,
        math.inf,
        True,
        None,
        [2],
        pytest.param(10**400, id="beyond every float"),
    ],
)
def test_a_bad_duration_is_refused_with_field_value_and_remedy(written: object) -> None:
    with pytest.raises(ConfigError) as caught:
        seconds(written, "timeout")
    assert (caught.value.field, caught.value.value) == ("timeout", written)
    assert "'250ms', '2s', '10m' or '1h'" in str(caught.value)


@pytest.mark.parametrize("written", [0, 0.0, "0s", "0ms"])
def test_zero_is_no_positive_duration(written: object) -> None:
    assert seconds(written) == 0.0
    with pytest.raises(ConfigError, match="above zero"):
        positive_seconds(written, "interval")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1e-9, "5", None, False])
def test_what_is_no_finite_number_of_zero_or_more_is_refused(value: object) -> None:
    for check in (non_negative, positive):
        with pytest.raises(ConfigError, match="rate: "):
            check(value, "rate")


def test_zero_is_not_negative_and_not_positive() -> None:
    assert non_negative(0, "rate") == 0.0
    with pytest.raises(ConfigError, match="rate: 0 cannot be used; write a number above zero"):
        positive(0, "rate")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0ms"),
        (0.0005, "0.5ms"),
        (0.07, "70ms"),
        (0.9999, "1000ms"),
        (1.0, "1s"),
        (2.25, "2.25s"),
        (59.96, "60s"),
        (90.0, "90s"),
        (120.0, "2m"),
        (999.7, "1000s"),
        (3600.0, "1h"),
        (5400.0, "90m"),
        (3601.0, "3601s"),
    ],
)
def test_seconds_are_written_as_people_would(value: float, text: str) -> None:
    assert text_of_seconds(value) == text


@given(st.floats(1e-6, 1e7))
def test_what_is_written_can_be_read_again_to_three_digits(value: float) -> None:
    assert seconds(text_of_seconds(value)) == pytest.approx(value, rel=0.006)
