"""The last word before a plan leaves the planning room."""

from dataclasses import dataclass

from penstock.core.plan import Change, Decision, Plan, Reason
from penstock.core.view import View
from penstock.planning.baselines.hands_off import NoMemory
from penstock.planning.limits import WithLimits, room
from tests.builders import job, operator, view


@dataclass(frozen=True)
class Wants:
    """A policy that always wants the same changes."""

    changes: tuple[Change, ...]
    name: str = "wants"

    def start(self) -> NoMemory:
        return NoMemory()

    def decide(self, seen: View, memory: NoMemory) -> tuple[Plan, NoMemory]:
        return Plan((Decision(Reason.RESCALED, self.changes, "because", seen.at_s, seen.utility),)), memory


def limited(seen: View, *changes: Change) -> tuple[Change, ...]:
    plan, _ = WithLimits(Wants(changes)).decide(seen, NoMemory())
    return tuple(change for decision in plan.decisions for change in decision.changes)


def test_an_operator_stays_within_its_own_limits() -> None:
    seen = view(0.0, [job("a", 0, operators=[operator(threads=4, min_threads=2, max_threads=6)])])
    assert limited(seen, Change("a", "work", 4, 9)) == (Change("a", "work", 4, 6),)
    assert limited(seen, Change("a", "work", 4, 1)) == (Change("a", "work", 4, 2),)


def test_a_job_stays_within_its_tenants_limit() -> None:
    seen = view(0.0, [job("a", 0, operators=[operator("x"), operator("y")], max_threads=10)])
    changes = limited(seen, Change("a", "x", 4, 9), Change("a", "y", 4, 9))
    assert changes == (Change("a", "x", 4, 6),)  # 8 + 2 = 10; nothing is left for y


def test_what_one_job_frees_another_may_take_in_the_same_decision() -> None:
    seen = view(0.0, [job("a", 0), job("b", 0)], max_threads=8)
    changes = limited(seen, Change("a", "work", 4, 6), Change("b", "work", 4, 2))
    assert changes == (Change("b", "work", 4, 2), Change("a", "work", 4, 6))


def test_a_configuration_over_its_limit_is_neither_grown_nor_forced_down() -> None:
    seen = view(0.0, [job("a", 0, operators=[operator(threads=9, max_threads=6)])])
    assert limited(seen, Change("a", "work", 9, 12)) == ()


def test_room_is_the_tighter_of_the_jobs_and_the_clusters_limit() -> None:
    jobs = [job("a", 0, max_threads=6), job("b", 0)]
    assert room(view(0.0, jobs), jobs[0]) == 2
    assert room(view(0.0, jobs, max_threads=9), jobs[0]) == 1
    assert room(view(0.0, jobs), jobs[1]) == float("inf")
