"""What is about to arrive: forecasts count where they were better than what arrives now."""

import math

from penstock.planning.arbiter.coming import LEAST, STANDS_S, STEP_S, Coming, remembered


def seen(rates: list[float], names: tuple[str, ...] = ("ads",)) -> dict[str, Coming]:
    known: dict[str, Coming] = {}
    for step, rate in enumerate(rates):
        known = remembered(known, dict.fromkeys(names, rate), step * STEP_S)
    return known


def test_a_load_that_rises_steadily_is_foretold_to_rise() -> None:
    rising = [100.0 + 10.0 * step for step in range(40)]
    foretold = seen(rising)["ads"].at(39 * STEP_S)
    assert foretold is not None
    assert foretold > rising[-1]


def test_a_load_that_stays_or_that_nobody_has_watched_for_long_is_not_foretold() -> None:
    assert seen([100.0] * 40)["ads"].rps is None
    assert seen([100.0 + 10.0 * step for step in range(LEAST)])["ads"].rps is None


def test_a_forecast_stands_for_a_while_and_no_longer() -> None:
    waves = [100.0 + 50.0 * math.sin(step / 5.0) for step in range(120)]
    one = seen(waves)["ads"]
    assert one.at(one.looked_s + STANDS_S) == one.rps is not None
    assert one.at(one.looked_s + STANDS_S + 1.0) is None


def test_one_job_is_looked_ahead_for_in_a_round_and_those_that_are_gone_are_forgotten() -> None:
    known = seen([100.0 + 10.0 * step for step in range(LEAST + 3)], ("a", "b", "c"))
    assert len({one.looked_s for one in known.values()}) == 3
    assert set(remembered(known, {"a": 1.0}, 1e3)) == {"a"}
