"""What a running controller can be asked: what it saw, and its decisions with what came of them."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

from penstock.analysis.assess import aged
from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.cycle import GOVERNING_ENDED, Cycle, PastCycle
from penstock.core.plan import Outcome, Plan, Verdict
from penstock.core.ports import PolicyMemory, Store
from penstock.core.run import DecisionRecord, records_of, with_verdicts
from penstock.core.seen.view import View

_KEPT = 10_000
# Of all views together: a job takes up to 6.5 kB in each, so 20 jobs every 10 s would come to 1 GiB in a day; these are
# 9 MiB. All of it is in the store.
_KEPT_JOBS = 1_400


class Recorder:
    """Fills the Store port: keeps what can be asked, and hands each cycle on to a store where there is one.

    It goes on with what an `earlier` one kept, whose store is closed.
    """

    def __init__(
        self,
        store: Store | None,
        earlier: "Recorder | None" = None,
        tell: Callable[[Cycle], None] = lambda cycle: None,
    ) -> None:
        self._store = store
        self._tell = tell
        self._lock = Lock()
        self._newest: Cycle | None = None
        self._records: deque[DecisionRecord] = deque(maxlen=_KEPT)
        self._verdicts: deque[Verdict] = deque(maxlen=_KEPT)
        self._views: list[View] = []
        if earlier is not None:
            self._records, self._verdicts, self._views = earlier._records, earlier._verdicts, earlier._views
        self._jobs = sum(len(view.jobs) for view in self._views)

    def announce(self, cycle: Cycle) -> None:
        """What is about to be done is the store's affair: it must outlive this process."""
        if self._store is not None:
            self._store.announce(cycle)

    def check_ours(self) -> None:
        """Whose the run is says the store."""
        if self._store is not None:
            self._store.check_ours()

    def append(self, cycle: Cycle) -> None:
        """Keep a cycle."""
        with self._lock:
            self._newest = cycle
            self._keep(cycle.view)
            self._records.extend(records_of(cycle))
            self._verdicts.extend(cycle.plan.verdicts)
        self._tell(cycle)
        if self._store is not None:
            self._store.append(cycle)

    def ended(self, at_s: float, why: str) -> None:
        """Governing ended by itself: the record says so, for whoever looks at it, or is alerted by it."""
        newest = self.newest
        if newest is not None:
            plan = Plan(errors=newest.plan.errors)
            said = replace(newest, at_s=at_s, view=aged(newest.view, at_s), plan=plan, outcome=Outcome())
            self.append(replace(said, error=f"{GOVERNING_ENDED}{why}"))

    def last_memory(self, policy: str, memory_type: type[PolicyMemory]) -> PolicyMemory | None:
        """What the store remembers of an earlier controller."""
        return None if self._store is None else self._store.last_memory(policy, memory_type)

    def past_cycles(self, decided_from_s: float, before_s: float) -> Sequence[PastCycle]:
        """What the store kept of rounds whose decisions may not be judged yet."""
        return () if self._store is None else self._store.past_cycles(decided_from_s, before_s)

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> Sequence[BudgetWindow]:
        """What the store kept of a budget."""
        return () if self._store is None else self._store.windows(job, asked, at_epoch_s)

    @property
    def newest(self) -> Cycle | None:
        """The last cycle; None before there is one."""
        with self._lock:
            return self._newest

    @property
    def decisions(self) -> tuple[DecisionRecord, ...]:
        """All decisions so far."""
        with self._lock:
            return with_verdicts(tuple(self._records), tuple(self._verdicts))

    @property
    def views(self) -> tuple[View, ...]:
        """The views so far, oldest first: of a long run the fewer, the longer ago."""
        with self._lock:
            return tuple(self._views)

    def _keep(self, view: View) -> None:
        """The newest ones always, and of those before them as many as there is room for, the first among them."""
        self._views.append(view)
        self._jobs += len(view.jobs)
        while len(self._views) > 1 and (self._jobs > _KEPT_JOBS or len(self._views) > _KEPT):
            older = len(self._views) // 2
            del self._views[slice(1, older, 2) if older > 1 else 0]
            self._jobs = sum(len(one.jobs) for one in self._views)
