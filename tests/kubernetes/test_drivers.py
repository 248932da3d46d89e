"""Two real drivers whose executors are pods of a real Kubernetes, and a coordinator: who needs executors has them."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from signal import SIGCONT, SIGSTOP

import pytest

from penstock.core.run import Run
from penstock.engines import processes
from penstock.engines.applications.cluster import Room
from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.errors import OutageError
from penstock.store.open import open_store
from tests.governing.two_drivers import NAMES, TwoDrivers
from tests.kubernetes import here
from tests.kubernetes.allowed import quota
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes

NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class Done:
    """What the API server told before and after executors moved, when it had stood still, and under a lowered quota.

    `meanwhile` are the rows that each application wrote while it stood still.
    """

    began: Room
    moved: Room
    meanwhile: dict[str, int]
    woken: Room
    lowered: Room
    drivers: TwoDrivers


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    here.built()
    place = tmp_path_factory.mktemp("drivers")
    with ExitStack() as stack:
        up = stack.enter_context(here.up(place))
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("KUBECONFIG", str(up.kubernetes.kubeconfig))
        cluster = KubernetesCluster(up.kubernetes.admin, NAMESPACE)
        fleet = {"kubernetes": NAMESPACE}
        drivers = TwoDrivers(place, f"k8s://{up.found.server}", cluster, fleet, up.found.environment)
        began = stack.enter_context(drivers.begun())
        eventually(lambda: drivers.holds("fraud") == 3)
        moved = drivers.until(1, 3)
        eventually(lambda: up.running() == 4)  # each is a process
        meanwhile = _while_frozen(up, drivers)
        woken = eventually(lambda: _told(cluster))
        quota(up.kubernetes, NAMESPACE, requests_cpu="2")
        yield Done(began, moved, meanwhile, woken, drivers.until(1, 1), drivers)


def test_executors_moved_to_the_application_that_needs_them(done: Done) -> None:
    assert sorted(done.began.held.values()) == sorted(done.moved.held.values()) == [1, 3]
    assert {name: cores for name, cores in done.began.held.items() if done.moved.held[name] == cores} == {}


def test_while_the_api_server_stands_still_batches_go_on_and_nobody_loses_an_executor(done: Done) -> None:
    assert min(done.meanwhile.values()) > 0
    assert done.woken.held == done.moved.held


def test_under_a_quota_that_was_lowered_below_its_use_each_keeps_its_least(done: Done) -> None:
    assert done.lowered.held.keys() == done.moved.held.keys()
    assert set(done.lowered.held.values()) == {1}


def test_the_store_of_the_fleet_tells_the_story_that_the_api_server_tells(done: Done) -> None:
    run = _story(done.drivers)
    moves = [(move.job, move.text) for record in run.decisions for move in record.decision.moves]
    assert {name: text.split()[-1] for name, text in moves} == {"clicks": "1", "fraud": "1"}
    assert any("from clicks to fraud" in record.decision.why for record in run.decisions)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_while_executors_came_and_went(done: Done, name: str) -> None:
    rows = done.drivers.rows(name)
    assert rows == list(range(len(rows)))
    assert rows


def _while_frozen(up: here.Here, drivers: TwoDrivers) -> dict[str, int]:
    """How many rows each application wrote until the coordinator had said that it is not answered."""
    server = next(part for part in up.found.processes if part.role == "kube-apiserver")
    before = {name: len(drivers.rows(name)) for name in NAMES}
    processes.send(server, SIGSTOP)
    try:
        eventually(lambda: any(deed.text == "what the cluster has is not known" for deed in _story(drivers).deeds))
        eventually(lambda: all(len(drivers.rows(name)) > before[name] for name in NAMES))
    finally:
        processes.send(server, SIGCONT)
    return {name: len(drivers.rows(name)) - before[name] for name in NAMES}


def _told(cluster: KubernetesCluster) -> Room | None:
    try:
        return cluster.room()
    except OutageError:
        return None


def _story(drivers: TwoDrivers) -> Run:
    with closing(open_store(drivers.place / "fleet.sqlite", create=False)) as store:
        return store.read_run("fleet-lab")
