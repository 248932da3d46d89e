"""What a turn waits for."""

import pytest

from penstock.core.levers import Slots
from penstock.planning.arbiter.memory import Acted, ArbiterMemory
from penstock.planning.arbiter.waiting import settling
from tests.planning.arbiter.fleets import fleet, fleet_view, job


@pytest.mark.parametrize(("at_s", "waits"), [(99.0, True), (99.95, False), (100.0, False)])
def test_a_round_that_begins_some_hundredths_earlier_after_the_last_one_waits_no_interval_longer(
    at_s: float, waits: bool
) -> None:
    memory = ArbiterMemory(acted=Acted(80.0, 100.0, (Slots("a", 1, 2),), 10.0, 10.0, 10.0, {}))
    assert settling(fleet_view(job("a", 40.0), at_s=at_s), fleet(job("a", 40.0)), memory) == waits
