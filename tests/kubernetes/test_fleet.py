"""A coordinator as a program with the rights of our manifests: pods move between applications of a real namespace."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.core.levers import Executors
from penstock.engines.applications.agent import Agent
from penstock.engines.applications.link import Link
from penstock.local.postgres import postgres_files
from penstock.store.open import open_store
from penstock.telling.explain import explain
from penstock.web.agents_door import new_agent_token
from tests.cli.calling import command, environment
from tests.harness.ports import own_port
from tests.kubernetes.allowed import as_coordinator, may_lead, quota
from tests.kubernetes.pods import PodApplication, of_pods
from tests.kubernetes.real import Kubernetes
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes

FROZEN_S = 15.0  # longer than the coordinator waits for an answer


def test_executors_move_within_what_the_quota_allows_and_come_up_when_it_is_raised(
    kubernetes: Kubernetes, tmp_path: Path
) -> None:
    with fleet(kubernetes, tmp_path) as (clicks, fraud):
        eventually(lambda: (_pods(clicks), _pods(fraud)) == (2, 4))
        assert clicks.wanted + fraud.wanted <= 6
        fraud.rates["fraud"] = 580.0
        quota(kubernetes, clicks.namespace, "penstock", requests_cpu="8", requests_memory="64Gi")
        eventually(lambda: (_pods(clicks), _pods(fraud)) == (2, 6))
        # While it stands so: a coordinator may go on deciding until it ends.
        moved = eventually(lambda: _moved_to(tmp_path, clicks=2, fraud=6))
    with closing(open_store(str(tmp_path / "runs.sqlite"))) as store:
        run = store.read_run("fleet-streams")
    assert {name: of[0].before for name, of in moved.items()} == {"clicks": 5, "fraud": 1}
    told = explain(run)
    assert all(record.decision.why.split(":")[0] in " ".join(told.split()) for record in run.decisions)


def _moved_to(place: Path, **executors: int) -> dict[str, list[Executors]] | None:
    """Each one's moves so far, where the last of each is to so many; in one decision or in several."""
    with closing(open_store(str(place / "runs.sqlite"), create=False)) as store:
        decisions = store.read_run("fleet-streams").decisions
    moves = [move for record in decisions for move in record.decision.moves if isinstance(move, Executors)]
    moved = {name: [move for move in moves if move.job == name] for name in executors}
    reached = {name: of[-1].after for name, of in moved.items() if of}
    return moved if reached == executors else None


def test_while_the_api_server_stands_still_nothing_is_promised_and_afterwards_it_goes_on(
    kubernetes: Kubernetes, tmp_path: Path
) -> None:
    with fleet(kubernetes, tmp_path) as (clicks, fraud):
        eventually(lambda: (_pods(clicks), _pods(fraud)) == (2, 4))
        with kubernetes.frozen():
            clicks.rates["clicks"], fraud.rates["fraud"] = 380.0, 150.0
            time.sleep(FROZEN_S)
            assert clicks.wanted == 2  # though fraud, who is to give, may have been told so
        eventually(lambda: (_pods(clicks), _pods(fraud)) == (4, 2))
        assert (clicks.wanted, fraud.wanted) == (4, 2)
    with closing(open_store(str(tmp_path / "runs.sqlite"))) as store:
        errors = [deed.error for deed in store.read_run("fleet-streams").deeds if deed.error]
    assert any("does not answer" in error for error in errors), errors


def test_when_the_quota_is_lowered_below_its_use_pods_go_and_when_it_is_raised_they_come_back(
    kubernetes: Kubernetes, tmp_path: Path
) -> None:
    with fleet(kubernetes, tmp_path) as (clicks, fraud):
        eventually(lambda: (_pods(clicks), _pods(fraud)) == (2, 4))
        quota(kubernetes, clicks.namespace, "penstock", requests_cpu="4", requests_memory="64Gi")
        eventually(lambda: _pods(clicks) + _pods(fraud) == clicks.wanted + fraud.wanted == 4)
        assert min(clicks.wanted, fraud.wanted) >= 1
        quota(kubernetes, clicks.namespace, "penstock", requests_cpu="6", requests_memory="64Gi")
        eventually(lambda: (_pods(clicks), _pods(fraud)) == (2, 4))


@pytest.mark.server
def test_while_postgresql_restarts_pods_stay_and_afterwards_they_move_in_the_same_run(
    kubernetes: Kubernetes, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        files = stack.enter_context(postgres_files("s3cret-Wort"))
        with files.running():
            kept = files.server.create("runs")
            clicks, fraud = stack.enter_context(fleet(kubernetes, tmp_path, kept, lease=4.0))
            eventually(lambda: (_pods(clicks), _pods(fraud)) == (2, 4))
        eventually(lambda: "no longer leads streams" in (tmp_path / "coordinator.log").read_text())
        assert (_pods(clicks), _pods(fraud)) == (2, 4)
        with files.running():
            clicks.rates["clicks"], fraud.rates["fraud"] = 380.0, 150.0
            eventually(lambda: (_pods(clicks), _pods(fraud)) == (4, 2))
            with closing(open_store(kept)) as store:
                assert [run.id for run in store.runs()] == ["fleet-streams"]


@pytest.mark.server
def test_who_leads_by_a_lease_object_moves_executors_while_postgresql_is_away(
    kubernetes: Kubernetes, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        files = stack.enter_context(postgres_files("s3cret-Wort"))
        with files.running():
            kept = files.server.create("runs")
            clicks, fraud = stack.enter_context(fleet(kubernetes, tmp_path, kept, lease=10.0, by_object=True))
            eventually(lambda: (_pods(clicks), _pods(fraud)) == (2, 4))
        clicks.rates["clicks"], fraud.rates["fraud"] = 380.0, 150.0
        eventually(lambda: (_pods(clicks), _pods(fraud)) == (4, 2))
        assert "no longer leads" not in (tmp_path / "coordinator.log").read_text()


@contextmanager
def fleet(
    kubernetes: Kubernetes, place: Path, store: str | None = None, lease: float = 60.0, by_object: bool = False
) -> Iterator[tuple[PodApplication, PodApplication]]:
    """Two applications whose agents report to a coordinator; clicks has five executors, and fraud one."""
    namespace = kubernetes.namespace()
    more: dict[str, Any] = {"lease": lease}
    if by_object:
        more["leadership"] = {"kubernetes": f"{namespace}/fleet"}
    with ExitStack() as stack:
        stack.enter_context(kubernetes.room_for(cpu=8))
        url, token = stack.enter_context(coordinator(kubernetes, namespace, place, store, more))
        clicks = of_pods(kubernetes, namespace, "clicks", 150.0, wanted=5)
        fraud = of_pods(kubernetes, namespace, "fraud", 380.0, wanted=1)
        for one in (clicks, fraud):
            agent = Agent(one.name, one, Link([url], token))
            agent.start()
            stack.callback(agent.stop)
        yield clicks, fraud


@contextmanager
def coordinator(
    kubernetes: Kubernetes, namespace: str, place: Path, store: str | None, more: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Where agents report, and the token that they show."""
    asks = as_coordinator(kubernetes, namespace)
    may_lead(kubernetes, namespace, "penstock-coordinator")
    quota(kubernetes, namespace, "penstock", requests_cpu="6", requests_memory="64Gi")
    (place / "kubeconfig").write_text(yaml.safe_dump(kubernetes.config(asks.token)))
    quick = {"interval": 0.5, "report": 0.2, "settings": {"penstock": {"executors": {"settle_s": 0.5}}}, **more}
    file, port = place / "fleet.yaml", own_port()
    file.write_text(yaml.safe_dump({"name": "streams", "cluster": {"kubernetes": namespace}, **quick}))
    token = new_agent_token(place / "tokens", "*")
    kept = ["--store", store or str(place / "runs.sqlite"), "--agent-tokens", str(place / "tokens")]
    with (place / "coordinator.log").open("wb") as said:
        program = subprocess.Popen(
            command("coordinate", str(file), *kept, "--agents-port", str(port)),
            env={**environment(), "KUBECONFIG": str(place / "kubeconfig")},
            stdout=said,
            stderr=said,
        )
    try:
        yield f"http://127.0.0.1:{port}", token
        assert program.poll() is None, (place / "coordinator.log").read_text()
    finally:
        program.terminate()
        program.wait(60.0)


def _pods(application: PodApplication) -> int:
    return len(application.pods())
