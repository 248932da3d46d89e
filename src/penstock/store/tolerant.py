"""A store that never stops governing: when its database fails, memory takes over until it works again.

Time is that of the cycles: nothing here reads a clock.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import TypeVar

from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.asked.price import Price
from penstock.core.cycle import Cycle, PastCycle
from penstock.core.ports import PolicyMemory
from penstock.core.run import Run, RunInfo
from penstock.core.seen.view import View
from penstock.errors import PenstockError, told
from penstock.store.archive import Archive, FileGoneError, RefusedError, StoreError
from penstock.store.memory import KEPT_CYCLES, MemoryStore

T = TypeVar("T")

RETRY_S = 60.0
BEGIN_AGAIN_S = 10.0  # until it has begun nobody knows how old the run is, or whose
CAUGHT_UP_AT_ONCE = 20  # cycles written in one round after an outage: 0.1 s on SQLite

REMEDY = "governing continues, with its record in memory. Free space or fix the database; writing is retried"

log = logging.getLogger("penstock.store")


class Tolerant:
    """Wraps a store; warns once for each outage, and catches up on what was missed afterwards."""

    def __init__(self, store: Archive, retry_s: float = RETRY_S, warn: Callable[[str], None] = log.warning) -> None:
        self._store = store
        self._retry_s = retry_s
        self._warn = warn
        self._run: RunInfo | None = None
        self._begun = False
        self._priced = True  # whether the price of the run is that of its row
        self._stand_in: MemoryStore | None = None  # while the database is down
        self._retry_at_s = 0.0
        self._missed: deque[Cycle] = deque(maxlen=KEPT_CYCLES)
        self._lost = 0
        self._known_until_s = -inf

    @property
    def run(self) -> RunInfo | None:
        """The one that was begun, as far as the database has told of it."""
        return self._run

    @property
    def known_until_s(self) -> float:
        """The newest cycle that the database had of the run when it was begun there late; nothing older is written."""
        return self._known_until_s

    @property
    def last_at_s(self) -> float | None:
        return self._either(lambda store: store.last_at_s)

    @property
    def down(self) -> bool:
        """Whether memory stands in for the database."""
        return self._stand_in is not None

    def begin(self, run: RunInfo) -> RunInfo:
        self._run, self._begun, self._priced, self._known_until_s = run, False, True, -inf
        self._missed.clear()
        if self._stand_in is not None:
            self._stand_in.begin(run)
        try:
            self._run = self._store.begin(run)
            self._begun = True
        except StoreError as error:
            self._fail(error, at_s=None)
        return self._run

    def reprice(self, price: Price | None) -> None:
        """Written with the next cycle that is."""
        if self._run is not None:
            self._run, self._priced = replace(self._run, price=price), False
            if self._stand_in is not None:
                self._stand_in.reprice(price)

    def append(self, cycle: Cycle) -> None:
        self._queue(cycle)
        if self._stand_in is not None:
            self._stand_in.append(cycle)
            if cycle.at_s < self._retry_at_s:
                return
        try:
            self._catch_up()
        except StoreError as error:
            self._fail(error, cycle.at_s)

    def announce(self, cycle: Cycle) -> None:
        self.append(cycle)

    def check_ours(self) -> None:
        """While the database is away nobody can take the run over there."""
        if self._stand_in is None and self._begun:
            self._store.check_ours()

    def last_memory(self, policy: str, memory_type: type[PolicyMemory]) -> PolicyMemory | None:
        return self._either(lambda store: store.last_memory(policy, memory_type))

    def past_cycles(self, decided_from_s: float, before_s: float) -> Sequence[PastCycle]:
        return self._either(lambda store: store.past_cycles(decided_from_s, before_s))

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> Sequence[BudgetWindow]:
        return self._either(lambda store: store.windows(job, asked, at_epoch_s))

    def runs(self) -> tuple[RunInfo, ...]:
        return self._either(lambda store: store.runs())

    def read_run(self, run_id: str) -> Run:
        return self._either(lambda store: store.read_run(run_id))

    def views(self, run_id: str) -> Iterator[View]:
        return self._either(lambda store: store.views(run_id))

    def close(self) -> None:
        self._store.close()

    def _queue(self, cycle: Cycle) -> None:
        if self._missed and self._missed[-1].at_s == cycle.at_s:
            self._missed.pop()  # it was announced, and is now complete
        self._lost += len(self._missed) == self._missed.maxlen
        self._missed.append(cycle)

    def _catch_up(self) -> None:
        """Write what waits, oldest first; no more at once than a round can bear."""
        if not self._begun and self._run is not None:
            self._run = self._store.begin(self._run)
            last_at_s = self._store.last_at_s
            self._known_until_s = -inf if last_at_s is None else last_at_s
            self._begun = self._priced = True
        if not self._priced and self._run is not None:
            self._store.reprice(self._run.price)
            self._priced = True
        for _ in range(min(len(self._missed), CAUGHT_UP_AT_ONCE)):
            try:
                self._write(self._missed[0])
            except RefusedError as error:
                self._leave_out(str(error))
            except PenstockError:  # it is the database, not this cycle
                raise
            except Exception as error:  # no database can have it: all that come after it would wait for it
                self._leave_out(told(error))
            self._missed.popleft()
        if self._stand_in is not None and not self._missed:
            self._stand_in = None
            log.info("the store works again; %d cycles were lost meanwhile", self._lost)
            self._lost = 0

    def _write(self, cycle: Cycle) -> None:
        """A cycle by the clock of a run that was taken for a new one would stand among those of before."""
        if cycle.at_s > self._known_until_s:
            self._store.append(cycle)
        else:
            self._lost += 1

    def _leave_out(self, why: str) -> None:
        self._warn(f"{why}; the cycle at {self._missed[0].at_s:g} s is left out")

    def _fail(self, error: StoreError, at_s: float | None) -> None:
        if isinstance(error, FileGoneError):
            self._begun = False
        if self._stand_in is None:
            self._stand_in = MemoryStore(self._run)
            for cycle in self._missed:
                self._stand_in.append(cycle)
            self._warn(f"{error}; {REMEDY}")
        again_s = self._retry_s if self._begun else min(self._retry_s, BEGIN_AGAIN_S)
        self._retry_at_s = 0.0 if at_s is None else at_s + again_s

    def _either(self, ask: Callable[[Archive], T]) -> T:
        if self._stand_in is None:
            try:
                return ask(self._store)
            except StoreError as error:
                self._fail(error, at_s=None)
        assert self._stand_in is not None  # _fail has just put it there
        return ask(self._stand_in)
