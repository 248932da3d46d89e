"""A fleet whose agents speak, and whose loop goes round, when a test has them do so; its clock is the test's own."""

from dataclasses import dataclass, field

from fleet_world import SimulatedApplication, SimulatedCluster

from penstock.engines.applications.conversation import Conversation
from penstock.engines.applications.engine import FleetEngine
from penstock.engines.applications.settings import FleetSettings
from penstock.loop import Carried, Loop, LoopSettings
from penstock.planning.registry import policy_named
from penstock.store.memory import MemoryStore


@dataclass
class Fleet:
    """A cluster, an engine over it, and agents that speak when the test has them speak."""

    cluster: SimulatedCluster = field(default_factory=lambda: SimulatedCluster(6))
    settings: FleetSettings = FleetSettings()
    now: float = 0.0
    talks: dict[str, Conversation] = field(default_factory=dict)
    leads: bool = True

    def __post_init__(self) -> None:
        self.engine = FleetEngine(self.cluster, self.settings, 1, lambda: self.leads, lambda: self.now)
        governing = LoopSettings(govern_from_s=0.0, stale_after_s=self.settings.silent_s)
        self.loop = Loop(self.engine, policy_named("penstock"), MemoryStore(), governing, intents=self.engine.intents)
        self.carried: Carried = self.loop.start()

    def report(self, *applications: SimulatedApplication) -> None:
        """Each reports once, and carries out what it is told."""
        for one in applications:
            talk = self.talks.get(one.name, Conversation(one.name, f"{one.name}-1"))
            report, talk = talk.reporting(one.state())
            order, talk = talk.answered(self.engine.hear(report), 0.0)
            self.talks[one.name] = talk
            if order is not None:
                one.give(order)

    def round(self, *applications: SimulatedApplication) -> None:
        """Ten seconds: reports every two, then a round of the loop."""
        for _ in range(5):
            self.now += 2.0
            self.engine.tend()
            self.report(*applications)
        self.carried = self.loop.run_cycle(self.carried, self.now)
