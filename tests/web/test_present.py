"""What others work out is shown where it is there: forecasts, recovery estimates, where keys live."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from penstock.core.known.forecast import Forecast
from penstock.core.known.outlook import JobOutlook, RecoveryForetold
from penstock.core.plan import Plan
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.key_placement import KeyPlacement, KeysInPartition
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.recorded import SHORTFALL, a_cycle, a_foretelling_cycle, a_job, a_pooled_view, a_view
from tests.web import asking

pytestmark = pytest.mark.sockets

FORECAST = Forecast(60.0, (100.0, 120.0), (90.0, 100.0), (110.0, 140.0), 0.9, "seasonal")
BY_KIND = (
    RecoveryForetold(FailureKind.EXECUTOR, 12.0, 8.0, 18.0, of=9),
    RecoveryForetold(FailureKind.DRIVER, math.inf, of=2),
)
OUTLOOK = JobOutlook("ads", 50.0, 600.0, FORECAST, ((4, 171.0), (6, 120.0)), BY_KIND)
PARTS = (KeysInPartition(0, "1", "m1", 1200, 0.6), KeysInPartition(1, "2", "m2", None, 0.4), KeysInPartition(2))
KEYS = KeyPlacement.of("count", PARTS, locality=0.7, table=3)


@pytest.fixture
def told(store: SqlStore, serve: Callable[[WebSettings], Site], settings: WebSettings) -> Callable[[str], Any]:
    plain = a_job("ads")
    seen = a_view(50.0, (replace(plain, figures=replace(plain.figures, keys=(KEYS,))), a_job("fraud")))
    store.append(a_cycle(50.0, seen, Plan(outlooks=(OUTLOOK,))))
    site = serve(settings)
    return lambda path: asking.get(f"{site.url}{path}").raise_for_status()


def test_a_forecast_has_an_instant_for_each_value(told: Callable[[str], Any]) -> None:
    found = told("api/job?job=ads").json()["forecast"]
    assert (found["at_s"], found["mean_rps"]) == ([80.0, 140.0], [100.0, 120.0])  # the middles of its steps
    assert (found["high_rps"], found["level"], found["method"]) == ([110.0, 140.0], 0.9, "seasonal")


def test_a_recovery_estimate_stands_beside_its_target(told: Callable[[str], Any]) -> None:
    found = told("api/job?job=ads").json()
    assert (found["recovery_s"], found["recovery_target_s"]) == (171.0, 60.0)
    assert 'penstock_job_recovery_seconds{job="ads",run="demo"} 171.0' in told("metrics").text


def test_what_each_loss_would_cost_is_told_with_its_interval_once_there_is_one(told: Callable[[str], Any]) -> None:
    executor, driver = told("api/job?job=ads").json()["recoveries"]
    assert executor == {"lost": "executor", "seconds": 12.0, "low_s": 8.0, "high_s": 18.0, "of": 9}
    assert driver == {"lost": "driver", "seconds": None, "low_s": None, "high_s": None, "of": 2}
    metrics = told("metrics").text
    assert 'penstock_job_recovery_foretold_seconds{job="ads",lost="executor",run="demo"} 12.0' in metrics
    assert 'penstock_job_recovery_bound_seconds{bound="high",job="ads",lost="executor",run="demo"} 18.0' in metrics
    assert 'penstock_job_recovery_bound_seconds{bound="high",job="ads",lost="driver"' not in metrics


def test_an_outlook_is_told_until_it_is_over_and_for_the_slots_that_the_job_has(
    store: SqlStore, told: Callable[[str], Any]
) -> None:
    store.append(a_cycle(300.0, a_view(300.0, (a_job("ads", threads=6),))))
    assert told("api/job?job=ads").json()["recovery_s"] == 120.0
    store.append(a_cycle(601.0, a_view(601.0, (a_job("ads", threads=6),))))
    assert (told("api/job?job=ads").json()["recovery_s"], told("api/job?job=ads").json()["forecast"]) == (None, None)


def test_a_policy_at_rest_is_not_said_to_have_converged_while_nobody_has_figures(
    store: SqlStore, told: Callable[[str], Any]
) -> None:
    store.append(a_cycle(60.0, a_view(60.0, [a_job("ads", None)]), Plan(note="converged")))
    found = told("api/overview").json()["present"]
    assert (found["note"], found["state"]) == ("no figures yet", "blind")
    assert found["headline"] == "No figures of ads (latency is 3.0 s)."
    assert found["tenants"][0]["not_done"] == "Nothing yet: it has no figures."


def test_predictions_their_errors_and_what_no_shares_meet_are_told(store: SqlStore, told: Callable[[str], Any]) -> None:
    store.append(a_foretelling_cycle(60.0))
    found = told("api/overview").json()
    ads = next(tenant for tenant in found["present"]["tenants"] if tenant["name"] == "ads")
    assert ads["prediction_error"] == {"share": 0.031, "of": 12}
    assert found["present"]["shortfall"] == SHORTFALL
    assert found["decisions"][-1]["foretold"].startswith(
        "ads 2.1 s instead of 6.4 s; fraud processes 72 % of its input"
    )
    metrics = told("metrics").text
    assert 'penstock_prediction_error{job="ads",run="demo"} 0.031' in metrics
    assert 'penstock_shortfall{run="demo"} 1.0' in metrics


def test_weight_share_and_cores_are_told_apart(store: SqlStore, told: Callable[[str], Any]) -> None:
    view = a_pooled_view(60.0, {"ads": 2, "fraud": 9}, slots=8, capacity=3.45, cores=1.9)
    store.append(a_cycle(60.0, view))
    share = told("api/job?job=ads").json()["tenant"]["share"]
    assert share["text"] == "weight 2 of 11: 1.5 of 8 slots"
    assert share["busy_text"] == "all of its share, 5.0 slots with what others left"
    assert (share["weight"], share["weights"], share["of_slots"], share["cores"]) == (2, 11, 8, 1.9)
    metrics = told("metrics").text
    assert 'penstock_job_cores{job="ads",run="demo"} 1.9' in metrics
    assert 'penstock_job_slot_share{job="ads",run="demo"} 1.4545' in metrics


def test_keys_are_told_machine_by_machine_and_partition_by_partition(told: Callable[[str], Any]) -> None:
    (found,) = told("api/cluster").json()["keys"]
    assert (found["job"], found["operator"], found["table"], found["locality"]) == ("ads", "count", 3, 0.7)
    assert [(one["machine"], one["keys"], one["share"]) for one in found["machines"]] == [
        ("m1", 1200, 0.6),
        ("m2", None, 0.4),
    ]
    assert [(one["partition"], one["executor"], one["keys"]) for one in found["partitions"]] == [
        (0, "1", 1200),
        (1, "2", None),
        (2, None, None),
    ]


def test_a_figure_that_is_none_was_recorded_and_every_page_answers(store: SqlStore, site: Site) -> None:
    ads = a_job("ads")
    wrong = replace(ads.figures, backlog_rows=math.nan, arrival_rps=math.inf, latency=None)
    store.append(a_cycle(50.0, a_view(50.0, [replace(ads, figures=wrong), a_job("fraud", 35.0)])))
    found = asking.get(f"{site.url}api/overview").raise_for_status().json()
    ads_now = next(one for one in found["present"]["tenants"] if one["name"] == "ads")
    assert (ads_now["backlog_rows"], ads_now["arrival_rps"]) == (None, None)
    assert asking.get(f"{site.url}metrics").status_code == 200
    with asking.streamed(f"{site.url}api/live") as answer:
        told = ("event: news", "event: trouble")
        assert next(line for line in answer.iter_lines() if line in told) == "event: news"
