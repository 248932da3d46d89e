"""Who leads: a lease on the database's clock, and epochs that only rise."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.store.database import Database
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
    assert (first.take(60.0).ours, first.take(60.0).epoch) == (True, 1)
    found = second.take(60.0)
    assert (found.ours, found.holder, found.place, found.epoch) == (False, "a", "http://a", 1)


def test_a_lease_that_is_let_go_or_ran_out_is_a_new_epoch_for_whoever_takes_it(
    databases: tuple[Database, Database],
) -> None:
    first, second = (Leadership(one, "prod", name) for one, name in zip(databases, "ab", strict=True))
    first.take(60.0)
    first.release()
    assert (second.take(60.0).epoch, second.take(0.0).epoch) == (2, 2)
    assert second.take(60.0).epoch == 3  # it had run out, and another may have led meanwhile
    second.release()
    assert (first.take(60.0).epoch, second.take(60.0).ours) == (4, False)


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
