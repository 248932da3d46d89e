"""A coordinator whose store was lost, over real HTTP: agents obeyed an epoch of which the new store does not know."""

import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from fleet_world import of_one

from penstock.store.database import Database
from penstock.store.leadership import Leadership, lease_at
from tests.governing.fleet_site import Site
from tests.patience import eventually

pytestmark = pytest.mark.sockets


def lost(site: Site) -> None:
    """Whoever begins next has a store that knows of nothing."""
    site.store = str(site.place / "anew.sqlite")


def led_in(site: Site, epoch: int) -> None:
    """Somebody has led in this epoch with the store that there is."""
    with closing(Leadership(Database(lease_at(site.store)), "lab", "before")) as lease:
        assert lease.take(0.0, above=epoch - 1).epoch == epoch


def test_agents_obey_who_leads_with_a_new_store(tmp_path: Path) -> None:
    with ExitStack() as outer:
        site = Site(tmp_path, outer)
        with site.begun() as (door, port):
            fraud = of_one("fraud", site.cluster, 380.0)
            agent = site.governed(fraud, door)
            eventually(lambda: fraud.held == 4)
        before = agent.talk.epoch
        lost(site)
        eventually(lambda: int(time.time()) > before)  # epochs are seconds
        fraud.rates["fraud"] = 580.0
        site.begin(port)
        eventually(lambda: fraud.held == 6)
        assert (agent.talk.epoch > before, agent.talk.trouble) == (True, "")


def test_who_leads_with_a_new_store_and_a_clock_that_is_behind_goes_on_above_what_agents_obey(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ExitStack() as outer:
        site = Site(tmp_path, outer, lease_s=3.0)
        a_day_later = int(time.time()) + 86_400
        led_in(site, a_day_later)
        with site.begun() as (door, port):
            fraud = of_one("fraud", site.cluster, 100.0)
            agent = site.governed(fraud, door)
            eventually(lambda: agent.talk.epoch > a_day_later)
        before = agent.talk.epoch
        assert fraud.given == []  # nothing but the epoch was heard
        lost(site)
        fraud.rates["fraud"] = 380.0
        site.begin(port)
        eventually(lambda: fraud.held == 4)
        assert (agent.talk.epoch > before, agent.talk.trouble) == (True, "")
    assert _told(caplog, f"which is over: epoch {before} was heard of")


def _told(caplog: pytest.LogCaptureFixture, words: str) -> bool:
    return any(words in record.message for record in caplog.records if record.name == "penstock.agent")
