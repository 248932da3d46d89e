"""What others work out is shown where it is there: forecasts, recovery estimates, where keys live."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest

from penstock.core.outlook import Forecast, KeyPlacement, KeysOnMachine
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.recorded import a_cycle, a_job, a_view

FORECAST = Forecast("seasonal", 50.0, 60.0, (100.0, 120.0), (90.0, 100.0), (110.0, 140.0), level=0.9)
KEYS = KeyPlacement("count", (KeysOnMachine("m1", 4, 1200, 0.6), KeysOnMachine("m2", 4, None, 0.4)), locality=0.7)


@pytest.fixture
def told(store: SqlStore, serve: Callable[[WebSettings], Site], settings: WebSettings) -> Callable[[str], Any]:
    plain = a_job("ads")
    figures = replace(plain.figures, forecast=FORECAST, recovery_s=171.0, keys=(KEYS,))
    store.append(a_cycle(50.0, a_view(50.0, (replace(plain, figures=figures), a_job("fraud")))))
    site = serve(settings)
    return lambda path: httpx.get(f"{site.url}{path}", timeout=60.0).raise_for_status()


def test_a_forecast_has_an_instant_for_each_value(told: Callable[[str], Any]) -> None:
    found = told("api/job?job=ads").json()["forecast"]
    assert (found["at_s"], found["mean_rps"]) == ([50.0, 110.0], [100.0, 120.0])
    assert (found["high_rps"], found["level"], found["method"]) == ([110.0, 140.0], 0.9, "seasonal")


def test_a_recovery_estimate_stands_beside_its_target(told: Callable[[str], Any]) -> None:
    found = told("api/job?job=ads").json()
    assert (found["recovery_s"], found["recovery_target_s"]) == (171.0, 60.0)
    assert 'penstock_job_recovery_seconds{job="ads",run="demo"} 171.0' in told("metrics").text


def test_keys_are_told_machine_by_machine(told: Callable[[str], Any]) -> None:
    found = told("api/cluster").json()
    assert [(one["machine"], one["keys"], one["share"]) for one in found["keys"]] == [
        ("m1", 1200, 0.6),
        ("m2", None, 0.4),
    ]
    assert found["locality"] == {"ads: count": 0.7}
