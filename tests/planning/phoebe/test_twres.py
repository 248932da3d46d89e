"""TWRES: capacity for what is expected, one more when latency is too high."""

from penstock.core.seen.figures import LatencyFigures
from penstock.planning.phoebe.memory import PhoebeMemory
from penstock.planning.phoebe.settings import TwresSettings
from penstock.planning.phoebe.twres import Twres
from tests.analysis.models.profiles import profile
from tests.planning.phoebe.rounds import changes_of, seen, view

POLICY = Twres(TwresSettings(profiles={"a": profile()}))


def test_it_takes_the_smallest_that_can_process_what_arrives() -> None:
    plan, _ = POLICY.decide(view(10.0, seen(54_000.0, 12)), PhoebeMemory())
    assert changes_of(plan.decisions) == [4]  # 3 can process 53,150 rows/s
    assert "4 can process the 54k/s" in plan.decisions[0].why


def test_one_more_is_taken_when_latency_is_too_high() -> None:
    plan, _ = POLICY.decide(view(10.0, seen(54_000.0, 4, latency=LatencyFigures(9.0))), PhoebeMemory())
    assert changes_of(plan.decisions) == [5]


def test_it_decides_once_in_an_interval() -> None:
    plan, memory = POLICY.decide(view(10.0, seen(54_000.0, 4)), PhoebeMemory())
    plan, memory = POLICY.decide(view(20.0, seen(154_000.0, 4)), memory)
    assert not plan.decisions
    plan, _ = POLICY.decide(view(610.0, seen(154_000.0, 4)), memory)
    assert changes_of(plan.decisions)


def test_a_job_that_nothing_is_known_of_is_left_as_it_is() -> None:
    plan, _ = Twres().decide(view(10.0, seen(54_000.0, 4)), PhoebeMemory())
    assert not plan.decisions
    assert "left unchanged" in plan.note
