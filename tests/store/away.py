"""A store that is away for as long as a test wants."""

from penstock.core.cycle import Cycle
from penstock.core.run import RunInfo
from penstock.store.archive import StoreError
from penstock.store.memory import MemoryStore


class AwayStore(MemoryStore):
    """Nothing is begun or written while it is `away`."""

    away = False

    def begin(self, run: RunInfo) -> RunInfo:
        self._answer()
        return super().begin(run)

    def append(self, cycle: Cycle) -> None:
        self._answer()
        super().append(cycle)

    def _answer(self) -> None:
        if self.away:
            raise StoreError("the database is away")
