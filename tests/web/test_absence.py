"""How soon pages that are gone are begun again, and what is told of it."""

from collections.abc import Callable

import pytest

from penstock.web.absence import Absence


def an_absence(now: list[float]) -> tuple[Absence, list[str]]:
    told: list[str] = []
    return Absence(told.append, lambda: now[0]), told


def waits(absence: Absence, count: int) -> list[float]:
    return [absence.wait_s() for _ in range(count)]


def test_pages_are_tried_more_and_more_seldom_until_they_stay() -> None:
    now = [0.0]
    absence, _ = an_absence(now)
    absence.goes_on("ended")
    assert waits(absence, 7) == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    absence.ends("http://here/")
    now[0] = 59.0  # a server that ends again and again is no quicker
    absence.goes_on("ended")
    assert waits(absence, 1) == [30.0]
    absence.ends("http://here/")
    now[0] = 59.0 + 60.0
    absence.goes_on("ended")
    assert waits(absence, 2) == [1.0, 2.0]


def test_each_reason_is_told_once_and_the_end_with_how_long_it_took(caplog: pytest.LogCaptureFixture) -> None:
    now = [10.0]
    absence, told = an_absence(now)
    absence.ends("http://here/")  # the first time they are there is nothing to tell
    steps: list[Callable[[], None]] = [lambda: absence.goes_on("ended")] + [lambda: absence.goes_on("taken")] * 3
    for step in steps:
        step()
        now[0] += 20.0
    absence.ends("http://here/")
    assert told == ["the pages are gone: ended", "the pages are gone: taken", "the pages were gone for 80 s: taken"]
    assert caplog.messages == [
        "the pages are gone: ended; they are begun again",
        "the pages are gone: taken; they are begun again",
        "the pages are back at http://here/",
    ]
