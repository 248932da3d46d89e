"""Jobs with less than two batches, where slots are fewer than jobs, are served first for a while, the most valuable."""

from dataclasses import replace

import pytest

from penstock.core.levers import Slots
from penstock.core.seen.view import JobView
from penstock.planning.arbiter.policy import Arbiter
from tests.builders import rounds
from tests.planning.arbiter.fleets import batch, fleet_view, job


def without_a_batch(name: str, worth: float = 10.0, up_s: float = 100.0) -> JobView:
    one = job(name, 20.0, worth=worth, utility=0.0)
    return replace(one, figures=replace(one.figures, batches=(), latency=None, up_s=up_s))


def moves(*silent: JobView, slots: int = 2) -> list[tuple[Slots, ...]]:
    """What is turned in some rounds, ten seconds apart: two jobs run, and those beside them have no batch.

    The first round is left out, in which the first batches of all are awaited.
    """
    busy = [job("a", 40.0), job("b", 40.0)]
    views = [fleet_view(*busy, *silent, slots=slots, cores=slots, at_s=20.0 + 10.0 * n) for n in range(8)]
    plans, _ = rounds(Arbiter(), views)
    return [
        tuple(move for one in plan.decisions for move in one.moves if isinstance(move, Slots)) for plan in plans[1:]
    ]


def test_who_has_no_batch_for_long_is_served_before_all_others() -> None:
    assert moves(without_a_batch("z"))[0] == (Slots("z", 1, 2),)


def with_a_batch(name: str, ended_s: float) -> JobView:
    """Of one batch, which makes its rows look twenty times as dear as they are."""
    one = job(name, 20.0, utility=0.0)
    return replace(one, figures=replace(one.figures, batches=(batch(0, 20.0, ended_s, busy_s=4.0, staged_s=4.0),)))


def test_a_first_batch_alone_is_not_what_a_job_is_given_up_for() -> None:
    # Seen first at second 20; at 50 its second batch has not ended for half a minute.
    found = moves(with_a_batch("z", 20.0))
    assert [Slots("z", 1, 2) in each for each in found[:3]] == [False, False, True]
    assert sum(Slots("z", 1, 2) in each for each in found) == 2  # and once more for the batch that did not come


def test_for_a_second_batch_of_one_of_many_nobody_is_kept_waiting() -> None:
    busy = [job(name, 40.0) for name in ("a", "b", "c", "d")]  # a fifth of all utility is the last one's
    views = [fleet_view(*busy, with_a_batch("z", 20.0), slots=2, cores=2, at_s=20.0 + 10.0 * n) for n in range(8)]
    plans, _ = rounds(Arbiter(), views)
    assert not any("served first" in decision.why for plan in plans for decision in plan.decisions)


def test_no_more_of_them_at_once_than_there_are_slots_and_the_most_valuable_first() -> None:
    found = moves(*(without_a_batch(name, worth) for name, worth in (("x", 10.0), ("y", 12.0), ("z", 14.0))))
    assert found[0] == (Slots("y", 1, 2), Slots("z", 1, 2))
    assert found[1:3] == [(), ()]
    assert Slots("x", 1, 2) in found[3]


@pytest.mark.parametrize(
    ("silent", "slots"),
    [
        (without_a_batch("z"), 3),  # a slot for each
        (without_a_batch("z", up_s=5.0), 2),  # it has only just begun
        (without_a_batch("z", worth=4.0), 2),  # the others are worth ten each
    ],
)
def test_nobody_is_kept_waiting_for_one_who_need_not_be_served_first(silent: JobView, slots: int) -> None:
    assert Slots("z", 1, 2) not in moves(silent, slots=slots)[0]


def test_who_was_served_in_vain_is_not_served_first_for_ever() -> None:
    found = moves(without_a_batch("z"))
    assert sum(Slots("z", 1, 2) in each for each in found) == 1
