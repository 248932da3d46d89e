"""Databases that the first penstock which recorded runs wrote (commit 1f4e2b7), in SQLite and in PostgreSQL.

Two jobs of a simulated cluster under Henge, 15 rounds, a decision and its verdict: version1/runs.sqlite.gz is the
file, version1/runs.sql.gz what pg_dump said of the database.
"""

import gzip
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from penstock.core.levers import Tasks
from penstock.core.seen.states import State
from penstock.errors import ConfigError
from penstock.store import migrations
from penstock.store.archive import StoreError
from penstock.store.database import Database
from penstock.store.gallery import Gallery
from penstock.store.open import find_run, open_store
from penstock.store.thinning import Stretch
from tests.recorded import a_cycle

KEPT = Path(__file__).parent / "version1"
WHY = "ads misses mean latency <= 60ms (now 22.8s); first is busy 100% of the time, so it gets more"


def sqlite_file(place: Path) -> str:
    place.write_bytes(gzip.decompress((KEPT / "runs.sqlite.gz").read_bytes()))
    return str(place)


def restored(url: str) -> str:
    dump = gzip.decompress((KEPT / "runs.sql.gz").read_bytes()).decode()
    with psycopg.connect(url) as connection:
        for statement in re.split(r";\n", dump):
            connection.execute(statement.encode())
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return restored(request.getfixturevalue("postgres_url"))
    return sqlite_file(tmp_path / "runs.sqlite")


@pytest.mark.parametrize("create", [False, True], ids=["read", "written"])
def test_it_opens_today_with_all_that_is_in_it(old: str, create: bool) -> None:
    with closing(open_store(old, create=create)) as store:
        run = find_run(store, "last")
        (record,) = store.read_run(run.id).decisions
        views = list(store.views(run.id))
        newest = Gallery(store.database, run.id).newest()
        jobs = Gallery(store.database, run.id).jobs(Stretch())
    assert (run.name, run.policy, run.engine) == ("two shops", "henge", "simulator")
    assert (record.decision.moves, record.decision.why) == ((Tasks("ads", "first", 5, 28),), WHY)
    assert record.outcomes[0].error is None
    assert record.verdict is not None
    assert record.verdict.text == "better: utility 20.1 -> 55.0 (expected 55.0)"
    assert [view.at_s for view in views] == [10.0 * n for n in range(1, 16)]
    assert (views[-1].utility, newest and newest.view) == (55.0, views[-1])
    assert sorted(jobs) == ["ads", "fraud"]


def test_a_run_goes_on_in_it(old: str) -> None:
    with closing(open_store(old)) as store:
        run = store.begin(find_run(store, "last"))
        store.append(a_cycle(160.0))
        assert store.last_at_s == 160.0
        found = store.read_run(run.id)
    assert len(found.decisions) == 1
    assert found.job("ads").states[-1].state is State.MISSING


def wider(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE penstock_runs RENAME COLUMN master TO place"))
    connection.execute(sa.text("ALTER TABLE penstock_runs ADD COLUMN master TEXT"))
    connection.execute(sa.text("UPDATE penstock_runs SET master = 'at ' || place"))


def broken(connection: sa.Connection) -> None:
    connection.execute(sa.text("UPDATE penstock_runs SET nowhere = 1"))


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    return lambda *given: monkeypatch.setattr(migrations, "STEPS", given)


def test_who_writes_takes_the_steps_to_the_newest_version_once(old: str, steps: Callable[..., None]) -> None:
    steps(wider)
    for _ in range(2):
        with closing(open_store(old)) as store:
            assert find_run(store, "last").master == "at "
    with closing(Database(old)) as database, database.reading() as connection:
        assert connection.execute(sa.text("SELECT version FROM penstock_schema")).scalar_one() == 2


def test_a_step_that_fails_leaves_the_database_as_it_was(old: str, steps: Callable[..., None]) -> None:
    steps(wider, broken)
    with closing(open_store(old)) as store, pytest.raises(StoreError, match="nowhere"):
        store.runs()
    steps()
    with closing(open_store(old)) as store:
        assert find_run(store, "last").master == ""


def test_who_only_reads_says_how_it_is_brought_up_to_date(old: str, steps: Callable[..., None]) -> None:
    steps(wider)
    with (
        closing(open_store(old, create=False)) as store,
        pytest.raises(
            ConfigError, match="its schema has version 1, this penstock has version 2; let a run be recorded"
        ),
    ):
        store.runs()


def test_one_of_a_later_penstock_is_refused(tmp_path: Path) -> None:
    target = sqlite_file(tmp_path / "runs.sqlite")
    with closing(sqlite3.connect(target)) as connection:
        connection.execute("UPDATE penstock_schema SET version = 7")
        connection.commit()
    for create in (True, False):
        with closing(open_store(target, create=create)) as store, pytest.raises(ConfigError, match="use the penstock"):
            store.runs()
