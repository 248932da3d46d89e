"""What a first rise of an application's load teaches, and how it counts: loads in, executors that stand by out."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.asked.intents import Intent, Latency
from penstock.core.levers import Executors
from penstock.core.seen.figures import JobFigures, LatencyFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.executors.policy import ExecutorsMemory, ExecutorsPolicy
from penstock.planning.executors.rises import Rise, UsualLoad, loads_after
from tests.builders import job, operator
from tests.planning.executors.many import application, fleet


def after(rates_rps: list[float], every_s: float = 10.0) -> UsualLoad:
    """What is known after one look each ten seconds."""
    looks = ((place * every_s, rate_rps) for place, rate_rps in enumerate(rates_rps[1:], 1))
    return reduce(lambda load, look: load.after(look[1], look[0]), looks, UsualLoad(0.0, rates_rps[0]))


@pytest.mark.parametrize(
    ("rates_rps", "peaks"),
    [
        ([60.0, 80.0, 60.0], []),  # less than half as much again
        ([60.0, 165.0, 270.0, 270.0, 60.0], [270.0]),
        ([60.0, 270.0, 60.0, 180.0, 60.0], [270.0, 180.0]),
        ([60.0, 270.0, 270.0], []),  # it lasts
        ([60.0, *[120.0] * 61, 119.0], []),  # ten minutes of it: as usual by then
        ([270.0, 60.0, 60.0], []),  # what falls does not rise
    ],
)
def test_a_rise_is_what_goes_half_as_high_again_and_comes_back(rates_rps: list[float], peaks: list[float]) -> None:
    assert [one.peak_rps for one in after(rates_rps).seen] == peaks


def test_it_is_remembered_for_an_hour() -> None:
    load = after([60.0, 270.0, 60.0])
    assert load.after(60.0, 3610.0).seen
    assert not load.after(60.0, 3611.0).seen


@given(st.lists(st.floats(0.0, 1e6), min_size=2, max_size=60))
def test_whatever_comes_no_rise_is_below_the_load_of_now_or_without_bound(rates_rps: list[float]) -> None:
    load = after(rates_rps)
    assert all(1.0 <= times <= 10.0 for times, _ in load.rises)
    assert sum(many for _, many in load.rises) == pytest.approx(1.0 + len(load.seen))


def rated(arrival_rps: float | None, up_s: float, fresh: bool = True) -> JobView:
    return job("fraud", 10.0, fresh=fresh, arrival_rps=arrival_rps, up_s=up_s)


@pytest.mark.parametrize("tenant", [rated(None, 100.0), rated(60.0, 100.0, fresh=False), rated(60.0, 59.0)])
def test_nothing_is_learnt_of_loads_that_nobody_tells_that_are_old_or_of_a_start(tenant: JobView) -> None:
    assert loads_after({}, {"fraud": [tenant]}, 0.0) == {}
    assert loads_after({"fraud": UsualLoad(0.0, 5.0)}, {"fraud": [tenant]}, 10.0) == {"fraud": UsualLoad(0.0, 5.0)}


def test_who_is_gone_is_forgotten() -> None:
    assert loads_after({"ads": UsualLoad(0.0, 5.0)}, {"fraud": [rated(60.0, 100.0)]}, 0.0) == {
        "fraud": UsualLoad(0.0, 60.0)
    }


# Both do with two now, and with six at three times the load: five are 5 s late by the time at which others have come,
# of the 6 that both bear. One of them has five of the nine that both hold, for neither is likelier to rise.
DIALS = tuple(application(name, now, ((1, 0.0), (2, 40.0), (8, 40.0))) for name, now in (("ads", 5), ("fraud", 4)))


def urgent(name: str) -> JobView:
    figures = JobFigures(name, (operator(capacity=1.0),), latency=LatencyFigures(4.0), arrival_rps=60.0, up_s=500.0)
    return JobView(figures, Intent(Latency("10s", utility=40.0)), 40.0, met=True, fresh=True)


def calm() -> View:
    return fleet(DIALS, 9, at_s=1000.0, jobs=[urgent("ads"), urgent("fraud")])


def test_where_a_rise_was_seen_executors_stand_by_for_the_next_one() -> None:
    view, policy = calm(), ExecutorsPolicy()
    assert not policy.decide(view, ExecutorsMemory(loads={"fraud": UsualLoad(990.0, 60.0)}))[0].decisions
    seen = UsualLoad(990.0, 60.0, seen=(Rise(900.0, 180.0),))
    (decision,) = policy.decide(view, ExecutorsMemory(loads={"fraud": seen}))[0].decisions
    assert decision.moves == (Executors(5, 4, "ads"), Executors(4, 5, "fraud"))
    assert decision.why.endswith("fraud would keep 40.0 of 40.0 at 3 times its load, not 13.3")
