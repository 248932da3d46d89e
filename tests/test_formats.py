"""The changelog's table of formats: each is where it says, in the version that it says."""

import re
from pathlib import Path

from penstock.config import openslo
from penstock.engines.applications import wire
from penstock.notifying import lineage
from penstock.store import migrations

ROOT = Path(__file__).parents[1]
ROWS = dict(
    re.findall(
        r"^\| ([^|]+) \| ([^|]+) \| [\d.]+ \|$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
)


def test_each_format_is_where_it_says() -> None:
    places = [place for told in ROWS.values() for place in re.findall(r"(?:src|docs)/[\w./]+", told)]
    assert len(places) > len(ROWS) / 2
    assert [place for place in places if not (ROOT / place).is_file()] == []


def test_whoever_changes_a_version_tells_it() -> None:
    assert f"version {wire.VERSION}," in ROWS["reports of agents, and answers"]
    assert f"version {migrations.newest()}," in ROWS["record of runs (SQLite, PostgreSQL)"]
    assert f"`{openslo.VERSION}`" in ROWS["intents as OpenSLO documents"]
    specification = re.search(r"spec/([\d-]+)/OpenLineage", lineage.SPEC)
    assert specification is not None
    assert f"specification {specification[1]}," in ROWS["messages as OpenLineage run events"]
