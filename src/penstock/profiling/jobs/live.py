"""The live job while it is rehearsed: its latency, as its own controller records it."""

import time
from pathlib import Path

from penstock.core.run import RunInfo
from penstock.core.seen.figures import LatencyFigures
from penstock.errors import ConfigError
from penstock.store.archive import StoreError
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.sql import SqlStore

_OLD_S = 60.0  # a run that told nothing for so long is over
_LOOKED_AT = 20  # newest runs that are searched for the job


class LiveJob:
    """A job of that name in the newest run of the store that goes on; there may be none."""

    def __init__(self, store: str | Path | None, job: str) -> None:
        self._store = open_store(store, create=False)
        self._job = job
        self.place = self._store.place

    def latency_s(self) -> float | None:
        """Its mean latency now; None where nobody tells of it."""
        try:
            found = self._latency(self._store)
        except (StoreError, ConfigError):  # none was ever recorded there
            return None
        return None if found is None else found.mean_s

    def _latency(self, store: SqlStore) -> LatencyFigures | None:
        for run in reversed(store.runs()[-_LOOKED_AT:]):
            newest = Gallery(store.database, run.id).newest()
            if newest is None or not _goes_on(run, newest.view.at_s):
                continue
            found = [job for job in newest.view.jobs if job.name == self._job]
            if found:
                return found[0].figures.latency
        return None

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()


def _goes_on(run: RunInfo, at_s: float) -> bool:
    return run.started_at_s is not None and time.time() - (run.started_at_s + at_s) < _OLD_S
