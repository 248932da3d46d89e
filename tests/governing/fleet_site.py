"""A coordinator over real HTTP whose applications and cluster are simulated."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fleet_world import SimulatedApplication, SimulatedCluster

from penstock.calls.coordinated import beside
from penstock.config.coordination import CoordinationFile
from penstock.core.seen.view import View
from penstock.engines.applications.agent import Agent
from penstock.engines.applications.link import Link
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token

# A machine that stands still for seconds must not end a term: who is stopped lets its lease go.
QUICK = {"interval": 0.2, "report": 0.05, "lease": 60.0, "settings": {"penstock": {"executors": {"settle_s": 0.5}}}}


@dataclass
class Site:
    """A coordinator that agents can reach, and the simulated cluster that it is over."""

    place: Path
    stack: ExitStack
    advise: bool = False
    lease_s: float = QUICK["lease"]  # type: ignore[assignment]
    on_view: Callable[[View], None] = lambda view: None
    say: Callable[[str], None] = lambda text: None
    shut_s: Callable[[], float] = float
    cluster: SimulatedCluster = field(default_factory=lambda: SimulatedCluster(6))

    def __post_init__(self) -> None:
        self.tokens = self.place / "agent-tokens.json"
        self.token = new_agent_token(self.tokens, "*")
        self.store = str(self.place / "runs.sqlite")
        self.coordinators: list[Coordinator] = []

    def begin(self, port: int = 0) -> AgentsDoor:
        """One more coordinator, with its door."""
        file = CoordinationFile.model_validate({"name": "lab", "cluster": {"cores": 6}, **QUICK, "lease": self.lease_s})
        how = Coordination(self.store, advise=self.advise, shut_s=self.shut_s)
        coordinator = Coordinator(file, how, self.on_view, self.say, cluster=self.cluster)
        self.coordinators.append(coordinator)
        door = AgentsDoor(coordinator.hear, lambda: agent_tokens(self.tokens), port=port)
        self.stack.enter_context(door.open())
        self.stack.enter_context(beside(coordinator))
        return door

    @contextmanager
    def begun(self) -> Iterator[tuple[AgentsDoor, int]]:
        """A coordinator that ends with the block, and its port; what else begins meanwhile goes on after it."""
        outer = self.stack
        with ExitStack() as first:
            self.stack = first
            door = self.begin()
            self.stack = outer
            yield door, int(door.url.rsplit(":", 1)[1])

    def governed(self, application: SimulatedApplication, *doors: AgentsDoor) -> Agent:
        """The application, with an agent that reports there."""
        agent = Agent(application.name, application, Link([door.url for door in doors], self.token))
        agent.start()
        self.stack.callback(agent.stop)
        return agent


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(tmp_path, stack)
