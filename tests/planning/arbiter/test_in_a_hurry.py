"""Who is in the greatest hurry is served first, while nobody knows what batches cost."""

from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.levers import Move, Slots
from penstock.core.plan import Reason
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.in_a_hurry import first_in_a_hurry
from penstock.planning.arbiter.policy import Arbiter
from tests.builders import rounds
from tests.planning.arbiter.fleets import fleet_view, followed, job

REST = (job("a", 20.0, "20s"), job("b", 20.0, "10s"), job("c", 20.0, intent=Intent(Juice(0.8, utility=10.0))))
URGENT = job("urgent", 20.0, "4s", worth=40.0)


def just_begun(*jobs: JobView, at_s: float = 2.0) -> View:
    """No batch of theirs has ended."""
    begun = [replace(one, figures=replace(one.figures, batches=(), up_s=at_s)) for one in jobs]
    return fleet_view(*begun, at_s=at_s)


@pytest.mark.parametrize(
    ("jobs", "turned"),
    [
        ((*REST, URGENT), (Slots("urgent", 1, 9),)),  # three of four slots, beside three others
        ((*REST[1:], URGENT, job("too", 20.0, "3s", worth=25.0)), (Slots("urgent", 1, 3), Slots("too", 1, 3))),
        ((*REST, job("urgent", 20.0, "4s", worth=40.0, max_threads=2)), (Slots("urgent", 1, 2),)),
        ((REST[2], REST[2], URGENT), (Slots("urgent", 1, 6),)),
    ],
    ids=["one", "two", "with a limit", "beside juice"],
)
def test_most_of_the_slots_are_for_whom_most_hangs_on_each_second(
    jobs: tuple[JobView, ...], turned: tuple[Move, ...]
) -> None:
    assert first_in_a_hurry(fleet_view(*jobs)) == turned


@pytest.mark.parametrize(
    "view",
    [
        fleet_view(*(job(name, 20.0, "4s") for name in "abcd")),
        fleet_view(REST[2], REST[2]),
        fleet_view(URGENT),
        fleet_view(*REST, URGENT, slots=1),
        fleet_view(*REST, job("urgent", 20.0, "4s", worth=40.0, weight=2)),
        followed(*REST, URGENT),
    ],
    ids=["all alike", "nobody", "alone", "one slot", "chosen by somebody", "slots come with weights"],
)
def test_nobody_is_preferred_where_nobody_stands_out_or_slots_were_chosen(view: View) -> None:
    assert first_in_a_hurry(view) == ()


def test_it_is_decided_once_and_says_why() -> None:
    plans, _ = rounds(Arbiter(), [just_begun(*REST, URGENT, at_s=at_s) for at_s in (2.0, 4.0, 6.0)])
    (decision,) = plans[0].decisions
    assert (decision.reason, decision.moves) == (Reason.RECONFIGURED, (Slots("urgent", 1, 9),))
    assert decision.why == "most in a hurry: urgent; served first until it is known what batches cost"
    assert [plan.decisions for plan in plans[1:]] == [(), ()]  # though the levers stand as they did


def test_beside_jobs_that_are_known_a_new_one_is_awaited_like_any_other() -> None:
    late = just_begun(URGENT).jobs
    plans, _ = rounds(Arbiter(), [fleet_view(*REST, *late, at_s=10.0)])
    assert plans[0].decisions == ()
    assert plans[0].note.startswith("learning what batches cost; waiting for those of urgent")
