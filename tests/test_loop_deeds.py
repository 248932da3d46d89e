"""What an engine does by itself is in the record once, with the first cycle after it, whoever else asks meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from penstock.core.plan import Outcome, Step
from penstock.core.seen.deeds import Deed
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import snapshot_of
from penstock.loop import Loop
from penstock.planning.registry import policy_named
from penstock.store.memory import MemoryStore
from tests.recorded import a_view


@dataclass
class BusyEngine:
    """Tells all that it ever did by itself, each time anew."""

    deeds: list[Deed] = field(default_factory=list)

    def observe(self, now: float) -> Snapshot:
        return replace(snapshot_of(a_view(now)), deeds=tuple(self.deeds))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return Outcome()


def test_each_deed_is_recorded_with_the_first_cycle_after_it() -> None:
    engine, store = BusyEngine(), MemoryStore()
    loop = Loop(engine, policy_named("static"), store)
    carried = loop.start()
    for now in (10.0, 20.0, 30.0):
        engine.deeds.append(Deed(now - 3.0, "ads", f"slots {now} -> 1", "the cluster gives 1 in all"))
        engine.observe(now - 1.0)  # somebody looks
        carried = loop.run_cycle(carried, now)
    assert [[deed.at_s for deed in view.deeds] for view in store.views("run")] == [[7.0], [17.0], [27.0]]
    assert store.read_run("run").deeds == tuple(engine.deeds)
