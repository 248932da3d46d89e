"""Who leads: a lease on the database's clock, and epochs that only rise."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from penstock.store.database import Database
from penstock.store.desk_tables import leaders
from penstock.store.leadership import Leadership


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """Of two coordinators."""
    target = request.getfixturevalue("postgres_url") if request.param == "postgresql" else str(tmp_path / "runs.sqlite")
    found = (Database(target), Database(target))
    yield found
    for database in found:
        database.close()


def test_one_leads_and_the_other_is_told_who_and_where(databases: tuple[Database, Database]) -> None:
    first, second = (Leadership(one, "prod", name, f"http://{name}") for one, name in zip(databases, "ab", strict=True))
    leads, again = first.take(60.0), first.take(60.0)
    assert (leads.ours, again.ours, again.epoch) == (True, True, leads.epoch)
    found = second.take(60.0)
    assert (found.ours, found.holder, found.place, found.epoch) == (False, "a", "http://a", leads.epoch)


def test_a_lease_that_is_let_go_or_ran_out_is_a_new_epoch_for_whoever_takes_it(
    databases: tuple[Database, Database],
) -> None:
    first, second = (Leadership(one, "prod", name) for one, name in zip(databases, "ab", strict=True))
    begun = first.take(60.0).epoch
    first.release()
    taken = second.take(60.0).epoch
    assert (taken > begun, second.take(0.0).epoch) == (True, taken)
    late = second.take(60.0).epoch
    assert late > taken  # it had run out, and another may have led meanwhile
    second.release()
    assert (first.take(60.0).epoch > late, second.take(60.0).ours) == (True, False)


def test_whoever_takes_over_is_told_whose_lease_ran_out_and_nothing_of_one_that_was_let_go(
    databases: tuple[Database, Database],
) -> None:
    first, second = (Leadership(one, "prod", name, f"http://{name}") for one, name in zip(databases, "ab", strict=True))
    assert first.take(0.0).lapsed is None  # the first of all
    assert second.take(60.0).lapsed == "http://a"
    assert second.take(60.0).lapsed is None  # its own, gone on with
    second.release()
    assert first.take(60.0).lapsed is None


def test_fleets_of_other_names_are_led_by_themselves(databases: tuple[Database, Database]) -> None:
    first, second = (Leadership(one, f"fleet-{name}", name) for one, name in zip(databases, "ab", strict=True))
    assert first.take(60.0).ours
    assert second.take(60.0).ours


@pytest.mark.parametrize("known", [None, 50, 2**60, -1], ids=["new", "restored", "damaged", "negative"])
def test_a_store_that_does_not_know_what_epochs_there_were_leads_in_a_later_one_by_the_clock(
    databases: tuple[Database, Database], known: int | None
) -> None:
    an_hour_ago = int(time.time()) - 3600  # when somebody may have taken one who has another store
    database, _ = databases
    leads = Leadership(database, "prod", "a")
    if known is not None:
        leads.take(0.0)
        with database.writing() as connection:
            connection.execute(leaders.update().values(epoch=known))
    assert an_hour_ago < leads.take(60.0).epoch < 2**53


def test_an_epoch_rises_though_the_clock_is_behind(databases: tuple[Database, Database]) -> None:
    database, _ = databases
    leads = Leadership(database, "prod", "a")
    later = leads.take(0.0).epoch + 3600
    with database.writing() as connection:
        connection.execute(leaders.update().values(epoch=later))
    assert leads.take(60.0).epoch == later + 1


def test_who_leads_goes_on_above_an_epoch_that_agents_obey_and_who_does_not_lead_changes_nothing(
    databases: tuple[Database, Database],
) -> None:
    first, second = (Leadership(one, "prod", name) for one, name in zip(databases, "ab", strict=True))
    obeyed = first.take(60.0).epoch + 3600
    rose, after = first.take(60.0, obeyed), first.take(60.0, obeyed)
    assert (rose.ours, rose.rose, rose.epoch) == (True, True, obeyed + 1)
    assert (after.ours, after.rose, after.epoch) == (True, False, obeyed + 1)
    found = second.take(60.0, obeyed + 3600)
    assert (found.ours, found.rose, found.epoch) == (False, False, obeyed + 1)
    first.release()
    taken = second.take(60.0, obeyed + 3600)
    assert (taken.ours, taken.rose, taken.epoch) == (True, False, obeyed + 3601)  # it did not lead before


SPOILT = {
    "an epoch in words": "epoch = 'soon'",
    "an epoch that is no whole number": "epoch = 1e308",
    "bytes": "epoch = x'ff00'",
    "a time in words": "until_epoch_s = 'soon'",
    "a time without end": "until_epoch_s = 9e999",
    "a time in a year, from before the clock was set back": "until_epoch_s = until_epoch_s + 31536000",
    "a time that was never": "until_epoch_s = -1e308",
}


@pytest.mark.parametrize("spoilt", SPOILT.values(), ids=SPOILT)
def test_a_lease_that_cannot_be_is_held_by_nobody_and_the_next_epoch_is_by_the_clock(
    spoilt: str, tmp_path: Path
) -> None:
    with closing(Database(str(tmp_path / "runs.sqlite"))) as database:
        before = Leadership(database, "prod", "a", "http://a").take(60.0)
        with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as raw, raw:
            raw.execute(f"UPDATE penstock_leaders SET {spoilt}")
        first, second = Leadership(database, "prod", "b", "http://b"), Leadership(database, "prod", "c")
        leads, follows = first.take(60.0), second.take(60.0)
        assert (leads.ours, leads.lapsed, leads.epoch >= before.epoch) == (True, "http://a", True)
        assert (follows.ours, follows.place, follows.epoch) == (False, "http://b", leads.epoch)
        assert first.take(60.0).epoch == leads.epoch
