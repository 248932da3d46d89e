"""What a policy worked out on a simulated run is what the pages show."""

from dataclasses import replace
from pathlib import Path

import pytest

from penstock.simulation.checking import check_scenario
from penstock.simulation.run import simulate
from penstock.store.gallery import Gallery
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from tests.recorded import RUN
from tests.simulation.small_scale_out import scenario
from tests.web import asking

pytestmark = pytest.mark.sockets


@pytest.mark.parametrize("policy", ["phoebe", "penstock"])
def test_a_tenant_that_is_planned_ahead_shows_its_forecast_and_its_recovery(
    policy: str, store: SqlStore, site: Site, tmp_path: Path
) -> None:
    (variant,) = check_scenario(scenario(tmp_path, duration="1200s", faults=[]))
    run = store.begin(replace(RUN, id="ahead"))
    simulate(variant, policy, tmp_path, also=store)
    newest = Gallery(store.database, run.id).newest()
    assert newest is not None
    outlook = newest.outlooks["a"]
    found = asking.get(f"{site.url}api/job?job=a").raise_for_status().json()
    assert outlook.forecast is not None
    assert found["forecast"]["mean_rps"] == list(outlook.forecast.mean)
    assert found["forecast"]["at_s"][0] == outlook.at_s + 30.0
    assert found["recovery_s"] == found["tenant"]["recovery_s"] == newest.recovery_s(newest.view.job("a"))
    # Until a failure was seen a downtime of 120 s is assumed.
    assert found["recovery_s"] > 120.0 > found["recovery_target_s"] == 60.0
