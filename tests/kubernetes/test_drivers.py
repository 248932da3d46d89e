"""Two real drivers whose executors are pods of a real Kubernetes, and a coordinator: who needs executors has them."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from penstock.engines.applications.cluster import Room
from penstock.engines.applications.kubernetes import KubernetesCluster
from tests.governing.two_drivers import NAMES, TwoDrivers, check_budget, check_moved, check_rows, check_story
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
        woken = eventually(drivers.room)
        quota(up.kubernetes, NAMESPACE, requests_cpu="2")
        yield Done(began, moved, meanwhile, woken, drivers.until(1, 1), drivers)


def test_executors_moved_to_the_application_that_needs_them(done: Done) -> None:
    check_moved(done.began, done.moved)


def test_while_the_api_server_stands_still_batches_go_on_and_nobody_loses_an_executor(done: Done) -> None:
    assert min(done.meanwhile.values()) > 0
    assert done.woken.held == done.moved.held


def test_under_a_quota_that_was_lowered_below_its_use_each_keeps_its_least(done: Done) -> None:
    assert done.lowered.held.keys() == done.moved.held.keys()
    assert set(done.lowered.held.values()) == {1}


def test_the_store_of_the_fleet_tells_the_story_that_the_api_server_tells(done: Done) -> None:
    check_story(done.drivers.story(), clicks=1, fraud=1)


def test_what_all_were_to_hold_added_up_and_was_within_limits(done: Done) -> None:
    check_budget(done.drivers.views())


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_while_executors_came_and_went(done: Done, name: str) -> None:
    check_rows(done.drivers.rows_by_now(name))


def _while_frozen(up: here.Here, drivers: TwoDrivers) -> dict[str, int]:
    """How many rows each application wrote until the coordinator had said that it is not answered."""
    before = drivers.written()
    with up.standing_still():
        eventually(lambda: any(deed.text == "what the cluster has is not known" for deed in drivers.story().deeds))
        drivers.go_on()
    return {name: rows - before[name] for name, rows in drivers.written().items()}
