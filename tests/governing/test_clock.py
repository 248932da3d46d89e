"""Between rounds there is always a moment for what is done there."""

from threading import Event

from penstock.governing.clock import RealClock


def test_what_is_done_between_rounds_is_done_also_where_a_round_is_late() -> None:
    ticks: list[None] = []
    clock = RealClock(Event(), lambda: ticks.append(None), already_s=100.0)
    assert clock.wait_until(50.0)
    assert len(ticks) == 1


def test_a_run_that_is_told_to_stop_does_nothing_more() -> None:
    stop, ticks = Event(), list[None]()
    stop.set()
    assert not RealClock(stop, lambda: ticks.append(None)).wait_until(50.0)
    assert ticks == []


def test_a_wait_is_over_where_somebody_hurries() -> None:
    ticks: list[None] = []
    clock = RealClock(Event(), lambda: ticks.append(None), hurries=lambda: len(ticks) == 2)
    assert clock.wait_until(3600.0)
    assert (len(ticks), clock.now() < 3600.0) == (2, True)
