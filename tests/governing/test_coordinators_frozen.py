"""Two coordinators as programs of their own: one is frozen past its lease and woken, the other one killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from fleet_world import SimulatedCluster, held, of_one

from penstock.engines.applications.agent import Agent
from penstock.engines.applications.link import Link
from penstock.store.open import open_store
from penstock.web.agents_door import new_agent_token
from tests.cli.calling import ROOT, environment
from tests.harness.ports import own_port
from tests.patience import eventually

SETTINGS = {"penstock": {"executors": {"settle_s": 1}}}
FLEET = {"name": "lab", "cluster": {"cores": 6}, "interval": 0.5, "report": 0.2, "lease": 10, "settings": SETTINGS}


@dataclass(frozen=True, slots=True)
class Program:
    """A coordinator, where agents find it, and its process."""

    url: str
    process: "subprocess.Popen[bytes]"

    def told(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)


@contextmanager
def coordinator(place: Path, name: str) -> Iterator[Program]:
    port = own_port()
    kept = ["--store", str(place / "runs.sqlite"), "--agent-tokens", str(place / "tokens.json")]
    command = [sys.executable, "-m", "penstock.cli.main", "coordinate", str(place / "fleet.yaml"), *kept]
    with (place / f"{name}.log").open("wb") as said:
        process = subprocess.Popen(
            [*command, "--agents-port", str(port)], cwd=ROOT, env=environment(), stdout=said, stderr=said
        )
    try:
        yield Program(f"http://127.0.0.1:{port}", process)
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


def test_nothing_is_ordered_twice_whoever_is_frozen_woken_or_killed(tmp_path: Path, stack: ExitStack) -> None:
    (tmp_path / "fleet.yaml").write_text(yaml.safe_dump(FLEET))
    token = new_agent_token(tmp_path / "tokens.json", "*")
    first, second = (stack.enter_context(coordinator(tmp_path, name)) for name in ("first", "second"))
    cluster = SimulatedCluster(6)
    clicks, fraud = of_one("clicks", cluster, 150.0, wanted=5), of_one("fraud", cluster, 380.0)
    agents = []
    for application in (clicks, fraud):
        link = Link([first.url, second.url], token, within_s=1.0)
        agents.append(Agent(application.name, application, link))
        agents[-1].start()
        stack.callback(agents[-1].stop)
    eventually(lambda: held(cluster) == {"clicks": 2, "fraud": 4})

    began = max(agent.talk.epoch for agent in agents)
    leader = _leader(tmp_path, first, second)
    leader.told(signal.SIGSTOP)
    clicks.rates["clicks"], fraud.rates["fraud"] = 380.0, 150.0
    eventually(lambda: held(cluster) == {"clicks": 4, "fraud": 2})
    assert min(agent.talk.epoch for agent in agents) > began
    leader.told(signal.SIGCONT)

    follower = second if leader is first else first
    follower.told(signal.SIGKILL)
    clicks.rates["clicks"], fraud.rates["fraud"] = 150.0, 380.0
    eventually(lambda: held(cluster) == {"clicks": 2, "fraud": 4})
    for application in (clicks, fraud):
        serials = [order.serials for order in application.given]
        assert serials == sorted(set(serials))
    assert cluster.most_held == 6
    with closing(open_store(tmp_path / "runs.sqlite", create=False)) as store:
        run = store.read_run("fleet-lab")
    assert list(run.at_s) == sorted(set(run.at_s))


def _leader(place: Path, *programs: Program) -> Program:
    """The one whose door answers reports: its log says so last."""
    logs = {"first": programs[0], "second": programs[1]}

    def found() -> Program | None:
        said = {name: (place / f"{name}.log").read_text().splitlines() for name in logs}
        leading = [name for name, lines in said.items() if lines and lines[-1].startswith("leads lab")]
        return logs[leading[0]] if len(leading) == 1 else None

    return eventually(found)
