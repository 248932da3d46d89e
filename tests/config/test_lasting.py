"""Budgets, hours and excluded periods as they stand in a tenants file."""

import re
from pathlib import Path

import pytest

from penstock.config.checking import CheckOptions, check_tenants
from penstock.config.tenants import TenantsFile, read_tenants
from penstock.config.wanted_file import read_wanted
from penstock.core.asked.budget import Budget
from penstock.core.asked.hours import Excluded, Hours, instant_of
from penstock.core.asked.intents import Intent, Latency
from penstock.errors import ConfigError

FILE = """
name: shop
excluded:
  - {from: 2026-12-24 18:00, to: 2026-12-27T06:00:00, zone: Europe/Berlin, why: the brokers are moved}
jobs:
  - name: fraud
    job: shop_jobs:fraud
    intent:
      - {latency: 2s, utility: 35, hours: {from: 06:00, to: 20:00, days: mon-fri, zone: Europe/Berlin}}
      - {latency: 30s, utility: 5, hours: {from: 20:00, to: 06:00}}
    budget: {keep: 99%, windows: 5m, over: 28d, each: 90%}
    excluded:
      - {from: 2026-11-02, to: 2026-11-03, why: a backfill}
"""


def a_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "tenants.yaml"
    path.write_text(text)
    return path


def test_a_file_says_how_often_and_when(tmp_path: Path) -> None:
    path = a_file(tmp_path, FILE)
    for file in (read_tenants(path), read_wanted(path)):
        intent = file.asked()["fraud"]
        assert intent.budget == Budget(0.99, 300.0, 28 * 86_400.0, 0.9)
        assert intent.objectives == (
            Latency("2s", utility=35, hours=Hours.of("06:00", "20:00", "mon-fri", "Europe/Berlin")),
            Latency("30s", utility=5, hours=Hours.of("20:00", "06:00")),
        )
        moves_s, moved_s = (instant_of(text, "Europe/Berlin") for text in ("2026-12-24 18:00", "2026-12-27 06:00"))
        backfill = Excluded(instant_of("2026-11-02"), instant_of("2026-11-03"), "a backfill")
        assert intent.excluded == (Excluded(moves_s, moved_s, "the brokers are moved"), backfill)


def test_a_file_without_them_says_what_it_said(tmp_path: Path) -> None:
    plain = a_file(tmp_path, "jobs: [{name: ads, job: 'shop_jobs:ads', intent: {latency: 2s}}]")
    assert read_tenants(plain).asked() == {"ads": Intent(Latency("2s"))}


@pytest.mark.parametrize(
    ("written", "mistake", "told"),
    [
        (
            "keep: 99%",
            "keep: 101%",
            "jobs.fraud.budget.keep: '101%' cannot be used; write the share of windows to keep",
        ),
        (
            "keep: 99%",
            "keep: often",
            "jobs.fraud.budget.keep: 'often' cannot be used; write a share such as 0.99 or 99%",
        ),
        ("windows: 5m, over: 28d", "windows: 1d, over: 2d", "jobs.fraud.budget.over"),
        ("over: 28d", "for: 28d", "jobs.fraud.budget.for: '28d' cannot be used; "),
        ("from: 06:00, to", "from: 6am, to", "from: '6am' cannot be used; write a time of day"),
        ("mon-fri", "workdays", "days: 'workdays' cannot be used; write some of mon"),
        ("Europe/Berlin}}", "Europe/Bern}}", "zone: 'Europe/Bern' cannot be used; write a time zone"),
        ("to: 2026-11-03", "to: 2026-11-01", "jobs.fraud.excluded.0.to"),
        ("to: 2026-11-03", "to: soon", "jobs.fraud.excluded.0.to: 'soon' cannot be used; write an instant such as"),
        (", why: a backfill", "", "jobs.fraud.excluded.0.why"),
    ],
)
def test_check_says_what_will_not_do_and_where(tmp_path: Path, written: str, mistake: str, told: str) -> None:
    assert written in FILE
    path = a_file(tmp_path, FILE.replace(written, mistake))
    with pytest.raises(ConfigError) as raised:
        check_tenants(path, CheckOptions())
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: jobs\.fraud\.", str(raised.value))
    assert told in str(raised.value)


def test_the_schema_knows_them() -> None:
    schema = TenantsFile.model_json_schema(by_alias=True)["$defs"]
    assert set(schema["HoursPart"]["properties"]) == {"from", "to", "days", "zone"}
    assert set(schema["ExcludedPart"]["required"]) == {"from", "to", "why"}
