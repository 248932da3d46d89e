"""What a turn waits for, and how soon the next look is due."""

import pytest

from penstock.core.levers import Slots
from penstock.planning.arbiter.memory import Acted, ArbiterMemory
from penstock.planning.arbiter.waiting import look_due_s, settling
from tests.planning.arbiter.fleets import fleet, fleet_view, job


@pytest.mark.parametrize(
    ("awaits_batches", "since_s", "wanted_s", "due_s"),
    [
        (False, 60.0, None, None),  # an interval is soon enough
        (True, 60.0, None, 2.0),
        (True, 40.0, None, None),  # they have not come for a minute
        (False, 40.0, 100.0, 5.2),  # a step that was found now: it is found again after 5 s, or is not taken
        (False, 40.0, 97.0, 2.2),
        (True, 60.0, 100.0, 2.0),
        (False, 40.0, 80.0, None),  # it was found for long enough
    ],
)
def test_the_next_look_is_due_as_soon_as_it_can_tell_more(
    awaits_batches: bool, since_s: float, wanted_s: float | None, due_s: float | None
) -> None:
    memory = ArbiterMemory(since_s=since_s, wanted_s=wanted_s)
    found = look_due_s(fleet_view(job("a", 40.0), at_s=100.0), memory, awaits_batches=awaits_batches)
    assert found == pytest.approx(due_s)


@pytest.mark.parametrize(("at_s", "waits"), [(99.0, True), (99.95, False), (100.0, False)])
def test_a_round_that_begins_some_hundredths_earlier_after_the_last_one_waits_no_interval_longer(
    at_s: float, waits: bool
) -> None:
    memory = ArbiterMemory(acted=Acted(80.0, 100.0, (Slots("a", 1, 2),), 10.0, 10.0, 10.0, {}))
    assert settling(fleet_view(job("a", 40.0), at_s=at_s), fleet(job("a", 40.0)), memory) == waits
