"""What the engine did by itself is told to everybody who asks, for ten minutes, at one instant whoever asks."""

from dataclasses import dataclass

import pytest

from penstock.engines.deed_log import KEPT_S, DeedLog


@dataclass
class Clock:
    at_s: float = 5000.0

    def __call__(self) -> float:
        return self.at_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_deed_is_told_again_and_again_at_its_instant_on_the_clock_of_who_asks(clock: Clock) -> None:
    log = DeedLog(clock)
    log.note("ads", "weight 6 -> 3", "the cluster gives 4 in all")
    clock.at_s += 4.0
    first = log.told(24.0)
    clock.at_s += 10.0
    assert first == log.told(34.001)  # clocks are read one after the other: the deed is where it was
    assert [(deed.at_s, deed.job) for deed in first] == [(20.0, "ads")]


def test_a_deed_is_told_by_the_clock_of_who_asks_also_once_that_was_put_forward(clock: Clock) -> None:
    log = DeedLog(clock)
    log.note("ads", "weight 6 -> 3", "the cluster gives 4 in all")
    clock.at_s += 4.0
    assert [deed.at_s for deed in log.told(24.0)] == [20.0]
    clock.at_s += 10.0
    assert [deed.at_s for deed in log.told(534.0)] == [520.0]
    assert [deed.at_s for deed in log.told(534.0)] == [520.0]


def test_what_was_done_before_the_run_began_is_told_at_its_begin(clock: Clock) -> None:
    log = DeedLog(clock)
    for name in ("ads", "fraud"):
        log.note(name, "a route is not followed", "its columns are not known")
        clock.at_s += 1.0
    log.note(None, "executors 4 -> 2", "the jobs have 2 slots in all")
    ads, fraud, executors = log.told(0.5)
    assert 0.0 <= ads.at_s < fraud.at_s < 0.001 < executors.at_s == 0.5


def test_deeds_of_one_moment_have_instants_of_their_own(clock: Clock) -> None:
    log = DeedLog(clock)
    for name in ("ads", "fraud"):
        log.note(name, "weight 2 -> 1", "the cluster gives 2 in all")
    ads, fraud = log.told(0.0)
    assert ads.at_s < fraud.at_s


def test_the_very_same_is_told_once_a_minute(clock: Clock) -> None:
    log = DeedLog(clock)
    for _ in range(25):
        log.note("ads", "2 state partitions sent", "together", "no such store")
        clock.at_s += 5.0
    assert len(log.told(0.0)) == 2  # of 0 and of 65 s; the next would be of 130 s
    log.note("ads", "2 state partitions sent", "together")
    assert len(log.told(0.0)) == 3


def test_what_is_long_past_is_not_told(clock: Clock) -> None:
    log = DeedLog(clock)
    log.note(None, "executors 4 -> 2", "the jobs have 2 slots in all")
    clock.at_s += KEPT_S + 1.0
    assert log.told(0.0) == ()
