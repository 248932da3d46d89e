"""The last word before a plan leaves the planning room."""

from dataclasses import replace

from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import WHOLE, BatchBound, Dial, Executors, Move, Partitions, Table, Tasks
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View
from penstock.planning.guards.limits import room, within_limits
from tests.builders import job, operator, view


def plan(*moves: Move) -> Plan:
    return Plan((Decision(Reason.RESCALED, moves, "because", 0.0, 1.0),))


def limited(seen: View, *moves: Move) -> tuple[Move, ...]:
    return tuple(move for decision in within_limits(plan(*moves), seen).decisions for move in decision.moves)


def test_an_operator_stays_within_its_own_limits() -> None:
    seen = view(0.0, [job("a", 0, operators=[operator(threads=4, min_threads=2, max_threads=6)])])
    assert limited(seen, Tasks("a", "work", 4, 9)) == (Tasks("a", "work", 4, 6),)
    assert limited(seen, Tasks("a", "work", 4, 1)) == (Tasks("a", "work", 4, 2),)


def test_a_job_stays_within_its_tenants_limit() -> None:
    seen = view(0.0, [job("a", 0, operators=[operator("x"), operator("y")], max_threads=10)])
    changes = limited(seen, Tasks("a", "x", 4, 9), Tasks("a", "y", 4, 9))
    assert changes == (Tasks("a", "x", 4, 6),)  # 8 + 2 = 10; nothing is left for y


def test_what_one_job_frees_another_may_take_in_the_same_decision() -> None:
    seen = view(0.0, [job("a", 0), job("b", 0)], max_threads=8)
    changes = limited(seen, Tasks("a", "work", 4, 6), Tasks("b", "work", 4, 2))
    assert changes == (Tasks("b", "work", 4, 2), Tasks("a", "work", 4, 6))


def test_a_configuration_over_its_limit_is_neither_grown_nor_forced_down() -> None:
    seen = view(0.0, [job("a", 0, operators=[operator(threads=9, max_threads=6)])])
    assert limited(seen, Tasks("a", "work", 9, 12)) == ()


def test_room_is_the_tighter_of_the_jobs_and_the_clusters_limit() -> None:
    jobs = [job("a", 0, max_threads=6), job("b", 0)]
    assert room(view(0.0, jobs), jobs[0]) == 2
    assert room(view(0.0, jobs, max_threads=9), jobs[0]) == 1
    assert room(view(0.0, jobs), jobs[1]) == float("inf")


def test_every_lever_stays_within_what_its_dial_says() -> None:
    bound = Dial("bound", "a", 2000, 100, 5000)
    seen = replace(view(0.0, [job("a", 0, levers=(bound,))]), levers=(Dial("executors", WHOLE, 2, 1, 4),))
    assert limited(seen, BatchBound("a", 2000, 20)) == (BatchBound("a", 2000, 100),)
    assert limited(seen, BatchBound("a", 2000, None)) == (BatchBound("a", 2000, None),)
    assert limited(seen, Executors(2, 9)) == (Executors(2, 4),)


def test_a_lever_that_is_not_there_is_left_out_and_said() -> None:
    seen = view(0.0, [job("a", 0)])
    kept = within_limits(plan(Partitions("a", 2, 4), Tasks("a", "work", 4, 5), Tasks("b", "work", 1, 2)), seen)
    assert [decision.moves for decision in kept.decisions] == [(Tasks("a", "work", 4, 5),)]
    assert kept.note == "a has no partitions to turn; b has no tasks of 'work' to turn"


def test_a_decision_that_only_moves_keys_or_only_advises_is_let_through() -> None:
    seen, keys = view(0.0, [job("a", 0)]), Table("a", "tweets", None, RoutingTable(2), 5)
    assert limited(seen, keys) == (keys,)
    advice = Plan((Decision(Reason.ADVISED, (), "it would pay", 0.0, 1.0),))
    assert within_limits(advice, seen) == advice
