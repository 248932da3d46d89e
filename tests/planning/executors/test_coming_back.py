"""When a tenant with more executors comes back to its latency: tables, and laws that hold of all numbers."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.figures import LatencyFigures
from penstock.core.seen.view import JobView
from penstock.planning.executors.coming_back import Behind, back_s, job_back_s
from penstock.planning.executors.policy import ExecutorsMemory, ExecutorsPolicy
from penstock.planning.starts import ExecutorStarts
from tests.builders import job, operator
from tests.planning.executors.many import application, fleet

BACK = [
    # waiting, arriving, worked off, times as quick, executors come after, target, seconds
    (900.0, 100.0, 60.0, 3.0, 10.0, 2.0, 10.0 + (900.0 + 400.0 - 200.0) / 80.0),
    (900.0, 100.0, 60.0, 3.0, 0.0, 2.0, (900.0 - 200.0) / 80.0),
    (900.0, 100.0, 60.0, 1.5, 10.0, 2.0, None),  # 90 of 100 a second
    (100.0, 100.0, 60.0, 2.0, 2.0, 2.0, 2.0),  # 180 rows wait by then, 200 may
    (100.0, 100.0, 110.0, 1.0, 5.0, 1.0, 5.0),
]


@pytest.mark.parametrize(("waiting", "arrival_rps", "work_rps", "times", "start_s", "target_s", "seconds"), BACK)
def test_what_waits_grows_until_executors_are_there_and_is_worked_off_then(
    waiting: float,
    arrival_rps: float,
    work_rps: float,
    times: float,
    start_s: float,
    target_s: float,
    seconds: float | None,
) -> None:
    assert back_s(Behind(waiting, arrival_rps, work_rps), times, start_s, target_s) == seconds


figures = st.floats(1.0, 1e4)


@given(figures, figures, figures, st.floats(1.0, 8.0), st.floats(0.0, 60.0), st.floats(0.1, 60.0), st.floats(0.1, 8.0))
def test_more_executors_are_never_later_and_a_larger_backlog_never_sooner(
    waiting: float, arrival_rps: float, work_rps: float, times: float, start_s: float, target_s: float, more: float
) -> None:
    behind = Behind(waiting, arrival_rps, work_rps)
    found = back_s(behind, times, start_s, target_s)
    if found is None:
        assert back_s(replace(behind, waiting=waiting + more), times, start_s, target_s) is None or more > 0
        return
    assert found >= start_s
    quicker = back_s(behind, times + more, start_s, target_s)
    assert quicker is not None
    assert quicker <= found + 1e-6
    larger = back_s(replace(behind, waiting=waiting * (1.0 + more)), times, start_s, target_s)
    assert larger is None or larger >= found - 1e-6


def late(**more: Any) -> JobView:
    """A tenant that asks for 1 s and has 8; its slots are busy, 100 rows a second arrive and 60 are worked off."""
    known: dict[str, Any] = {"arrival_rps": 100.0, "processed_rps": 60.0, "backlog_rows": 900.0}
    found = job("fraud", 0.0, 40.0, [replace(operator(), capacity=1.0)], **{**known, **more})
    return replace(found, figures=replace(found.figures, latency=LatencyFigures(8.0)))


UNKNOWN = [
    late(arrival_rps=None),
    late(processed_rps=None),
    replace(late(), fresh=False),
    job("fraud", 40.0, 40.0, arrival_rps=100.0, processed_rps=60.0, backlog_rows=900.0),  # it has what it asks for
]


@pytest.mark.parametrize("one", UNKNOWN)
def test_of_who_is_not_late_or_not_known_nothing_is_foretold(one: JobView) -> None:
    assert job_back_s(one, 1, 3, 10.0) is None


def test_of_who_does_not_use_its_slots_nothing_is_foretold() -> None:
    idle = late()
    idle = replace(idle, figures=replace(idle.figures, operators=(replace(operator(), capacity=0.4),)))
    assert job_back_s(idle, 1, 3, 10.0) is None


def test_rows_that_nobody_counts_are_as_many_as_arrive_while_one_waits() -> None:
    # 800 wait, 400 more until executors come, 100 may; 180 - 100 a second are worked off.
    assert job_back_s(late(backlog_rows=None), 1, 3, 10.0) == 10.0 + (800.0 + 400.0 - 100.0) / 80.0


def test_a_fleets_decision_tells_how_soon_the_taker_is_back_and_of_the_giver_what_it_keeps() -> None:
    rich, poor = application("clicks", 3, ((1, 9.0), (3, 10.0))), application("fraud", 1, ((1, 3.0), (3, 40.0)))
    seen = fleet([rich, poor], jobs=[job("clicks", 10.0), late()])
    (decision,) = ExecutorsPolicy().decide(seen, ExecutorsMemory(starts=ExecutorStarts(5.0, 3)))[0].decisions
    assert [one.text for one in decision.foretold] == [
        "clicks loses 1.0 utility",
        "fraud gains 37.0 utility and is back at 1 s in about 18 s",  # 5 + (900 + 5 * 40 - 100) / 80
    ]


def test_how_long_executors_take_is_learnt_from_those_that_came() -> None:
    policy, memory = ExecutorsPolicy(), ExecutorsPolicy().start()
    for at_s, now, asked in ((0.0, 1, None), (5.0, 1, 3), (10.0, 2, 3), (12.0, 3, None), (20.0, 3, None)):
        _, memory = policy.decide(fleet([application("fraud", now, asked=asked)], at_s=at_s), memory)
    assert (memory.starts.mean_s, memory.starts.of) == (7.0, 1)
    gone = memory
    for at_s, dials in ((30.0, [application("fraud", 3, asked=4)]), (90.0, [application("clicks", 1)])):
        _, gone = policy.decide(fleet(dials, at_s=at_s), gone)
    assert gone.starts == memory.starts
