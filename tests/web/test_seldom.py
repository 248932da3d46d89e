"""The log says the same thing once a minute, however often it happens."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from penstock.web.seldom import KEPT, Seldom, seldom

NAME = "penstock.web.tested"


@dataclass
class Heard(logging.Handler):
    """What came through, at the times that a test gives."""

    now: float = 0.0
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.addFilter(Seldom(lambda: self.now))

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())

    __hash__ = logging.Handler.__hash__


@pytest.fixture
def heard() -> Iterator[Heard]:
    handler, log = Heard(), logging.getLogger(NAME)
    log.addHandler(handler)
    yield handler
    log.removeHandler(handler)


def test_what_was_said_less_than_a_minute_ago_is_counted_instead(heard: Heard) -> None:
    log = logging.getLogger(NAME)
    for heard.now in (0.0, 1.0, 59.0, 60.0, 61.0):
        log.error("%s failed", f"request at {heard.now:.0f}")
    assert heard.said == ["request at 0 failed", "request at 60 failed (and 2 times more since)"]


def fail(where: int) -> None:
    if where == 1:
        raise ValueError("one")
    raise ValueError("other")


def test_faults_in_other_places_are_other_things(heard: Heard) -> None:
    for where in (1, 2, 1, 2):
        try:
            fail(where)
        except ValueError as error:
            logging.getLogger(NAME).error("failed", exc_info=error)
    assert len(heard.said) == 2


def test_what_is_remembered_is_bounded() -> None:
    less = Seldom(lambda: 0.0)
    for number in range(2 * KEPT):
        assert less.filter(logging.LogRecord(NAME, logging.ERROR, "", 1, f"number {number}", (), None))
    assert len(less._said) == KEPT


def test_it_is_so_only_while_a_site_serves(caplog: pytest.LogCaptureFixture) -> None:
    with seldom(NAME):
        for _ in range(3):
            logging.getLogger(NAME).error("failed")
    logging.getLogger(NAME).error("failed")
    assert len(caplog.records) == 2
