"""Every store, ready to be written; and one in a file, whose run has begun."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from penstock.store.archive import Archive
from penstock.store.memory import MemoryStore
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.store.tolerant import Tolerant
from tests.recorded import RUN

KINDS = ("memory", "sqlite", "postgresql", "tolerant")


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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    with closing(open_store(path)) as opened:
        opened.begin(RUN)
        yield opened
