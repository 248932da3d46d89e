"""Two real drivers whose executors are pods of a real Kubernetes, and a coordinator: who needs executors has them."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass

import pytest

from penstock.engines.applications.cluster import Room
from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.store.open import open_store
from tests.governing.two_drivers import NAMES, TwoDrivers
from tests.kubernetes import here
from tests.kubernetes.allowed import quota
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes

NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class Done:
    """What the API server told before and after executors moved, and then under a quota of half of them."""

    began: Room
    moved: Room
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
        quota(up.kubernetes, NAMESPACE, requests_cpu="2")
        yield Done(began, moved, drivers.until(1, 1), drivers)


def test_executors_moved_to_the_application_that_needs_them(done: Done) -> None:
    assert sorted(done.began.held.values()) == sorted(done.moved.held.values()) == [1, 3]
    assert {name: cores for name, cores in done.began.held.items() if done.moved.held[name] == cores} == {}


def test_under_a_quota_that_was_lowered_below_its_use_each_keeps_its_least(done: Done) -> None:
    assert done.lowered.held.keys() == done.moved.held.keys()
    assert set(done.lowered.held.values()) == {1}


def test_the_store_of_the_fleet_tells_the_story_that_the_api_server_tells(done: Done) -> None:
    with closing(open_store(done.drivers.place / "fleet.sqlite", create=False)) as store:
        run = store.read_run("fleet-lab")
    moves = [(move.job, move.text) for record in run.decisions for move in record.decision.moves]
    assert {name: text.split()[-1] for name, text in moves} == {"clicks": "1", "fraud": "1"}
    assert any("from clicks to fraud" in record.decision.why for record in run.decisions)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_while_executors_came_and_went(done: Done, name: str) -> None:
    rows = done.drivers.rows(name)
    assert rows == list(range(len(rows)))
    assert rows
