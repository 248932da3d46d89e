"""When jobs that are late come back, by the batches that are foretold of the levers that were chosen."""

from dataclasses import replace

import pytest

from penstock.core.seen.figures import LatencyFigures
from penstock.core.seen.view import JobView
from penstock.planning.arbiter.candidates import present
from penstock.planning.arbiter.coming_back import coming_back
from penstock.planning.arbiter.fleet import Fleet
from tests.planning.arbiter.fleets import fleet, job


def late(backlog: float, rate_rps: float = 100.0) -> Fleet:
    """One job alone on four slots that work off some 380 rows a second; so many wait."""
    one = job("fraud", rate_rps, "2s", latency=LatencyFigures(9.0))
    return replace(fleet(one), backlog=replace(fleet(one)).backlog * 0.0 + backlog)


def seconds(of: Fleet, start_s: float = 0.0) -> float | None:
    found = coming_back(of, present(of), 40.0, start_s).get("fraud")
    return None if found is None else found[1]


def test_a_larger_backlog_takes_longer() -> None:
    found = [seconds(late(backlog)) for backlog in (300.0, 3000.0, 12000.0)]
    known = [one for one in found if one is not None]
    assert len(known) == 3
    assert known == sorted(known)
    assert known[-1] > 40.0  # beyond the horizon, too


def test_who_works_off_no_more_than_arrives_does_not_come_back() -> None:
    assert seconds(late(3000.0, rate_rps=500.0)) is None


def test_who_has_what_it_asks_for_does_not_come_back_to_it() -> None:
    one: JobView = job("fraud", 100.0, "2s")
    assert coming_back(fleet(one), present(fleet(one)), 40.0, 0.0) == {}


def test_executors_that_are_to_come_are_waited_for_while_rows_go_on_arriving() -> None:
    two = replace(late(3000.0, rate_rps=150.0), follows=True, held=1.0, cores=1.0, slots=4.0, each=1.0)
    more = replace(present(two), weights=present(two).weights * 4.0)
    now, later = (coming_back(two, more, 40.0, start_s)["fraud"][1] for start_s in (0.0, 10.0))
    assert later > now + 10.0  # what arrives meanwhile is more than one slot works off
    assert now == pytest.approx(3000.0 / (380.0 - 150.0), rel=0.5)
