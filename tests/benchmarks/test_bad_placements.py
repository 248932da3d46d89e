"""Bad placements have the plan's threads on the plan's slots, and the prediction knows them for bad."""

import pytest
from bad_placements import SPOILT, spoilt
from plans_on_spark import RATES, planned

from penstock.config.plan_job import read_plan_job
from penstock.planning.provision.settings import RUNTIMES, PlaceSettings

PAIR = "mba+sam-by-need"


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("dag", RATES)
def test_a_spoilt_plan_has_the_same_threads_on_no_other_slots_and_is_foretold_less(dag: str, how: str) -> None:
    good = planned(read_plan_job(dag, "measured"), PAIR, RATES[dag])
    bad = spoilt(good, how, PlaceSettings(routing="even", runtime=RUNTIMES["spark"]))
    assert bad.slot_of.keys() == good.slot_of.keys()
    assert set(bad.slot_of.values()) <= set(good.slot_of.values())
    assert bad.predicted_rate < 0.95 * good.predicted_rate


def test_crowded_has_every_operator_on_one_slot() -> None:
    bad = planned(read_plan_job("linear", "measured"), f"{PAIR}+crowded", RATES["linear"])
    assert all(len({slot for (name, _), slot in bad.slot_of.items() if name == one}) <= 1 for one, _ in bad.slot_of)
