"""A recorded run, found and opened: what calls about runs begin with."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from penstock.store.open import find_run, open_store
from penstock.store.sql import SqlStore

StorePlace = str | Path | None


@contextmanager
def opened(store: StorePlace, run: str) -> Iterator[tuple[SqlStore, str]]:
    """The store, and the run's id in it."""
    with closing(open_store(store, create=False)) as there:
        yield there, find_run(there, run).id
