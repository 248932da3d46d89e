"""What a running controller can be asked: its last view, and its decisions with what came of them."""

from collections import deque
from dataclasses import dataclass, replace
from threading import Lock

from penstock.core.cycle import Cycle
from penstock.core.plan import Decision, Verdict
from penstock.core.ports import Memory, Store
from penstock.core.view import View

_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Told:
    """A decision: what, why, whether it was done, and what came of it once that was known."""

    decision: Decision
    errors: tuple[str, ...] = ()
    dry_run: bool = False
    verdict: Verdict | None = None

    def text(self) -> str:
        """One line for people."""
        changes = ", ".join(f"{c.job} {c.before} -> {c.after}" for c in self.decision.changes)
        did = "would do" if self.dry_run else "failed" if self.errors else "did"
        came = "" if self.verdict is None else f" | {self.verdict.text}"
        why = "; ".join((self.decision.why, *self.errors))
        did = f"{did} slots {changes}" if changes else did  # routes move keys, and advice moves nothing
        return f"{self.decision.at_s:.0f} s {self.decision.reason} {did} | {why}{came}"


class Recorder:
    """Fills the Store port: keeps what can be asked, and hands each cycle on to a store where there is one."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._lock = Lock()
        self._told: deque[Told] = deque(maxlen=_KEPT)
        self._views: deque[View] = deque(maxlen=_KEPT)

    def announce(self, cycle: Cycle) -> None:
        """What is about to be done is the store's affair: it must outlive this process."""
        if self._store is not None:
            self._store.announce(cycle)

    def append(self, cycle: Cycle) -> None:
        """Keep a cycle."""
        failed = {found.step.job: found.error or "" for found in cycle.outcome.failed}
        with self._lock:
            self._views.append(cycle.view)
            for verdict in cycle.plan.verdicts:
                self._judge(verdict)
            for decision in cycle.plan.decisions:
                errors = tuple(failed[job] for job in decision.jobs if job in failed)
                self._told.append(Told(decision, errors, dry_run=not cycle.outcome.steps))
        if self._store is not None:
            self._store.append(cycle)

    def last_memory(self, policy: str, memory_type: type[Memory]) -> Memory | None:
        """What the store remembers of an earlier controller."""
        return None if self._store is None else self._store.last_memory(policy, memory_type)

    @property
    def decisions(self) -> tuple[Told, ...]:
        """All decisions so far."""
        with self._lock:
            return tuple(self._told)

    @property
    def views(self) -> tuple[View, ...]:
        """The views so far, oldest first."""
        with self._lock:
            return tuple(self._views)

    def _judge(self, verdict: Verdict) -> None:
        for place, told in enumerate(self._told):
            if told.decision.at_s == verdict.decided_at_s and told.verdict is None:
                self._told[place] = replace(told, verdict=verdict)
                return
