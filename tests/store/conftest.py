"""Every store, ready to be written."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from penstock.store.archive import Archive
from penstock.store.memory import MemoryStore
from penstock.store.open import open_store
from penstock.store.tolerant import Tolerant
from penstock.workloads.services.postgres import PostgresServer, running_postgres

KINDS = ("memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.server), "tolerant")
_numbers = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres("s3cret-Wort") as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    return postgres.create(f"runs{next(_numbers)}")


@pytest.fixture(params=KINDS)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Archive]]:
    """Opens the same store again and again, as controllers do that come and go; memory is its own heir."""
    target = request.getfixturevalue("postgres_url") if request.param == "postgresql" else str(tmp_path / "runs.sqlite")
    in_process = MemoryStore()
    opened: list[Archive] = []

    def again() -> Archive:
        if request.param == "memory":
            return in_process
        store = open_store(target)
        opened.append(Tolerant(store) if request.param == "tolerant" else store)
        return opened[-1]

    yield again
    for store in opened:
        store.close()
