"""`penstock report --incident`: a recorded run, one tenant, one part of its time."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.reading import Reader
from tests.cli.calling import Called, penstock
from tests.recorded import RUN, a_cycle, a_job, a_view, an_acting_cycle


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """ads misses from 10 to 40 s and has what it asks for from there on; fraud always has it."""
    with closing(open_store(tmp_path / "runs.sqlite")) as opened:
        opened.begin(RUN)
        for at_s in (10.0, 30.0):
            opened.append(a_cycle(at_s, a_view(at_s, [a_job("ads", 20.0), a_job("fraud", 35.0)])))
            opened.append(an_acting_cycle(at_s + 10.0))
        for at_s in (50.0, 60.0, 70.0):
            opened.append(a_cycle(at_s, a_view(at_s, [a_job("ads", 35.0), a_job("fraud", 35.0)])))
        yield opened


def reported(store: SqlStore, *options: str) -> Called:
    return penstock("report", "--incident", RUN.id, "--store", store.database.target, *options)


def test_the_tenant_and_the_time_are_told_in_chapters(store: SqlStore) -> None:
    told = reported(store, "--tenant", "ads", "--from", "20s", "--to", "0:01:00").stdout
    assert told.startswith(f"ads, 0:00:20 to 0:01:00 of demo ({RUN.id})\n")
    assert "missed it for 30 s of 40 s, longest from 0:00:20 to 0:00:50" in told
    assert "ads alone: every other tenant met its intent" in told
    assert "Decision 1 at 0:00:20" in told
    for chapter in ("What happened", "To whom", "Why", "What was done", "What it cost", "In its order"):
        assert f"\n{chapter}\n" in told


def test_it_is_a_document_and_a_page_too(store: SqlStore, tmp_path: Path) -> None:
    page = tmp_path / "incident.html"
    called = reported(store, "--tenant", "ads", "--json", "-", "--html", str(page))
    found = json.loads(called.stdout)
    assert (found["tenant"], found["missed_s"], found["unseen_s"]) == ("ads", 40.0, 0.0)
    assert found["chapters"][0]["name"] == "What happened"
    assert "Incident: ads, 0:00:10 to 0:01:10" in page.read_text()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--tenant", "asd"), "--tenant: 'asd' cannot be used; name one of ads, fraud"),
        ((), "--tenant: missing; name one of ads, fraud"),
        (("--tenant", "ads", "--from", "soon"), "--from: 'soon' cannot be used; write a time since the run's start"),
        (("--tenant", "ads", "--from", "60s", "--to", "20s"), "--to: '0:00:20' cannot be used; give a time after"),
    ],
)
def test_what_cannot_be_reported_is_one_line(store: SqlStore, options: tuple[str, ...], told: str) -> None:
    called = reported(store, *options)
    assert (called.returncode, called.stdout) == (2, "")
    assert called.stderr.startswith(f"penstock: {told}")
    assert len(called.stderr.splitlines()) == 1


def test_a_tenant_without_an_incident_is_refused(store: SqlStore) -> None:
    called = penstock("report", RUN.id, "--tenant", "ads", "--store", store.database.target)
    assert (called.returncode, "--tenant needs --incident." in called.stderr) == (2, True)


def test_a_tenant_among_weights_held_its_share_of_the_slots(store: SqlStore) -> None:
    from penstock.web.incidents import incident_of

    found = incident_of(Reader(store).gallery(RUN.id), "ads", None, None)
    assert found.cost.slot_h > 0
    assert found.cost.missed_slot_h < found.cost.slot_h
