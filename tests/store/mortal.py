"""A driver that decides nothing by itself, of a world whose deeds outlive it: it may die at any line."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from penstock.core.asked.orders import Orders
from penstock.core.levers import Tasks
from penstock.core.plan import Outcome, Plan, Step, StepOutcome
from penstock.core.ports import PolicyMemory
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import View, snapshot_of
from penstock.errors import EngineError
from penstock.loop import Loop, LoopSettings
from penstock.store.control import DeskControl
from penstock.store.open import open_store
from tests.recorded import RUN, URGENT, Noted, a_job, a_view

THREADS = 4  # of ads, before anybody changes them


@dataclass(frozen=True, slots=True)
class World:
    """What outlives a driver, in a file: each deed is a line, written at once or not at all."""

    deeds_file: Path

    @property
    def deeds(self) -> list[str]:
        return self.deeds_file.read_text().split()

    def observe(self, now: float) -> Snapshot:
        threads = next((int(deed) for deed in reversed(self.deeds) if deed.isdigit()), THREADS)
        return snapshot_of(a_view(now, (a_job("ads", threads=threads), a_job("fraud", utility=35.0))))

    def start_again(self, job: str) -> None:
        if "started" in self.deeds:
            raise EngineError(f"{job} runs: there is nothing to start")
        self._done("started")

    def apply(self, steps: Sequence[Step]) -> Outcome:
        for step in steps:
            for move in step.moves:
                assert isinstance(move, Tasks)
                self._done(str(1 + move.after))
        return Outcome(tuple(StepOutcome(step) for step in steps))

    def _done(self, deed: str) -> None:
        self.deeds_file.write_text("\n".join([*self.deeds, deed]))


@dataclass(frozen=True, slots=True)
class Quiet:
    """Decides nothing by itself."""

    name: str = "quiet"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        return Plan(), Noted(memory.rounds + 1)


def a_life(world: World, now: float) -> Orders:
    """One driver, two rounds; what it heard last."""
    with closing(open_store(world.deeds_file.with_name("asked.sqlite"))) as store:
        store.begin(RUN)
        control = DeskControl(store.own_desk, RUN.id, epoch=lambda: now)
        loop = Loop(world, Quiet(), store, LoopSettings(), control, intents=lambda: {"ads": URGENT, "fraud": URGENT})
        carried = loop.start(now)
        for later_s in (0.0, 1.0):
            carried = loop.run_cycle(carried, now + later_s)
        assert carried.orders is not None
        return carried.orders
