"""An application of a simulated fleet that lives, with a loop of its own; and the record of what came of all.

What is simulated is Spark and its cluster manager. The loop is the real one, on a clock that nobody waits for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cold_fleet import INTERVAL_S, ColdApplication
from slow_executors import Holding, Machine

from penstock.analysis.assess import assess
from penstock.core.asked.orders import NoControl, Orders
from penstock.core.levers import Executors
from penstock.core.plan import Step
from penstock.core.run import RunInfo
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import View
from penstock.engines.sim.microbatch import MicroBatchEngine
from penstock.loop import LoopSettings
from penstock.planning.registry import policy_named
from penstock.running.session import Session
from penstock.store.memory import MemoryStore


@dataclass(frozen=True, slots=True)
class Seen:
    """The newest round of an application."""

    at_s: float
    view: View
    memory: Any


@dataclass(frozen=True, slots=True)
class _Held(NoControl):
    """Inside an application of one tenant nothing is to be divided; its loop sees and learns alone."""

    held: frozenset[str]

    def orders(self, now: float) -> Orders:
        """The tenant is left as it is."""
        return replace(NoControl.orders(self, now), held=self.held)


class Life:
    """An application that lives: what its controller would tell an agent, and do for it."""

    def __init__(self, drawn: ColdApplication, executors: int, policy: str, machine: Machine) -> None:
        self.drawn = drawn
        self._holding = Holding(machine)
        self._engine = MicroBatchEngine(drawn.cluster, [drawn.job])
        self._policy = policy_named(policy)
        store = MemoryStore(RunInfo(drawn.name, drawn.name, policy, "simulator"))
        self._settings = LoopSettings(float(INTERVAL_S), go_on=False)
        held = _Held(frozenset({drawn.name}))
        session = Session(lambda: {drawn.name: drawn.intent}, self._policy, store, self._settings, held)
        self._loop = session.loop(self)
        self._carried = self._loop.start()
        self._now_s, self._due_s = 0.0, float(INTERVAL_S)
        self.newest: Seen | None = None
        self._engine.apply([Step(drawn.name, (Executors(drawn.cluster.machines, 1),))])
        self.hold(executors)

    def at(self, fleet_s: float) -> None:
        """Its own time goes on to the fleet's."""
        self._now_s = fleet_s - self.drawn.joins_s
        self._engine.advance_to(self._now_s)
        there = self._holding.there
        self._holding.at(fleet_s, self._engine.rows(self.drawn.name).in_batch > 0)
        self._work_with(there)

    @property
    def held(self) -> int:
        """As its cluster manager tells."""
        return self._holding.held

    def grant(self, free: int) -> int:
        """How many it takes of those that are free."""
        before = self.held
        self._holding.grant(free, self._now_s + self.drawn.joins_s)
        return self.held - before

    def _work_with(self, before: int) -> None:
        if self._holding.there != before:
            self._engine.apply([Step(self.drawn.name, (Executors(before, self._holding.there),))])

    def round(self) -> None:
        """See, and remember, if that is due: as soon as its policy asks for it."""
        if self._now_s < self._due_s:
            return
        self._carried = self._loop.run_cycle(self._carried, self._now_s)
        self._due_s += self._settings.wait_s(self._carried.failures, self._carried.again_s)
        assert self._carried.view is not None
        self.newest = Seen(self._now_s, self._carried.view, self._carried.memory)

    def look(self) -> View:
        """As a controller looks between rounds."""
        return assess(self.observe(self._now_s), {self.drawn.name: self.drawn.intent})

    def observe(self, now: float) -> Snapshot:
        """As the engine tells, of levers only shares: neither Spark's rate source nor a coordinator leaves others."""
        found = self._engine.observe(now)
        jobs = tuple(
            replace(job, levers=tuple(replace(dial, most=dial.least) for dial in job.levers if dial.kind == "trigger"))
            for job in found.jobs
        )
        return replace(found, jobs=jobs, levers=())

    def apply(self, steps: Sequence[Step]) -> Any:
        """What an agent's own loop does."""
        return self._engine.apply(steps)

    def worth(self, slots: Sequence[int]) -> tuple[float, ...]:
        """As a controller tells it."""
        by_slots = getattr(self._policy, "by_slots", None)
        if by_slots is None or self.newest is None:
            return ()
        return tuple(by_slots(self.newest.view, self.newest.memory, slots))

    def executors(self) -> tuple[int, int]:
        """Those that live, and those that are wanted."""
        self._engine.advance_to(self._now_s)
        return self._engine.slots, self._holding.wanted

    def hold(self, executors: int) -> None:
        """So many from now on."""
        self._engine.advance_to(self._now_s)
        there = self._holding.there
        self._holding.hold(executors, self._now_s + self.drawn.joins_s)
        self._work_with(there)


@dataclass
class FleetRecord:
    """What came: of each time and application its utility and the most it could be, and what was decided."""

    utility: list[tuple[float, str, float, float]] = field(default_factory=list)
    decided: list[tuple[float, str]] = field(default_factory=list)

    def note(self, at_s: float, name: str, view: View) -> None:
        self.utility.append((at_s, name, view.utility, view.max_utility))

    def share(self, from_s: float, to_s: float = float("inf")) -> float:
        """Of all utility within that time."""
        had = [(has, most) for at_s, _, has, most in self.utility if from_s < at_s <= to_s]
        return sum(has for has, _ in had) / sum(most for _, most in had)
