"""Every store, ready to be written."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from penstock.store.archive import Archive
from penstock.store.memory import MemoryStore
from penstock.store.open import open_store
from penstock.store.tolerant import Tolerant

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
