"""`penstock cluster up --kubernetes` as its user has it: pods on its nodes, and what is left when it ends."""

import signal
import urllib.error
from pathlib import Path
from typing import Any

import pytest

from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.local import processes
from penstock.local.kubernetes import nodes
from tests.harness.ports import own_port
from tests.kubernetes.here import PODS, Here
from tests.kubernetes.pods import executor
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes


def spark_executor(number: int) -> dict[str, Any]:
    """As a driver makes it that nobody listens for."""
    pod = executor("spark-1", number)
    told = {
        "SPARK_EXECUTOR_MEMORY": "64m",
        "SPARK_DRIVER_URL": f"spark://CoarseGrainedScheduler@127.0.0.1:{own_port()}",
        "SPARK_EXECUTOR_ID": str(number),
        "SPARK_EXECUTOR_CORES": "1",
        "SPARK_APPLICATION_ID": "spark-1",
        "SPARK_RESOURCE_PROFILE_ID": "0",
    }
    fields = {"SPARK_EXECUTOR_POD_IP": "status.podIP", "SPARK_EXECUTOR_POD_NAME": "metadata.name"}
    env: list[Any] = [{"name": name, "value": value} for name, value in told.items()]
    env += [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items()]
    (container,) = pod["spec"]["containers"]
    del container["command"]
    container |= {"args": ["executor"], "env": env}
    return pod


def test_an_executor_is_a_process_whose_end_is_told_and_what_needs_a_container_says_that_it_waits(here: Here) -> None:
    kubernetes = here.kubernetes
    for pod in (spark_executor(1), executor("other", 1)):
        kubernetes.make(PODS, pod)
    eventually(lambda: here.pod("spark-1-exec-1")["status"]["phase"] == "Failed")  # it finds no driver
    (told,) = here.pod("spark-1-exec-1")["status"]["containerStatuses"]
    assert told["state"]["terminated"]["exitCode"] == 1
    room = KubernetesCluster(kubernetes.admin, "default")
    eventually(lambda: "run executors of Spark only" in room.room().waits.get("other", ""))
    kubernetes.send("DELETE", f"{PODS}/spark-1-exec-1")
    eventually(lambda: gone(here, "spark-1-exec-1"))


def gone(here: Here, name: str) -> bool:
    try:
        here.pod(name)
    except urllib.error.HTTPError as error:
        return error.code == 404
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_all_that_it_started_ends_with_it_and_nothing_is_left(here: Here, number: signal.Signals) -> None:
    here.kubernetes.make(PODS, spark_executor(1))
    eventually(lambda: here.running() == 1)
    found = here.found
    assert [process.role for process in found.processes][-1] == "nodes"
    here.process.send_signal(number)
    assert here.process.wait() == 130
    assert [process.role for process in found.processes if process.alive] == []
    assert processes.found_by("executor", nodes.mark(Path(found.place))) == ()
    assert (Path(found.place).exists(), here.state.exists()) == (False, False)


def test_it_ends_as_a_whole_where_a_part_of_it_was_killed_and_says_which(here: Here) -> None:
    processes.send(next(part for part in here.found.processes if part.role == "etcd"), signal.SIGKILL)
    assert here.process.wait() == 2
    assert "its etcd has ended, so the whole cluster ends" in (here.state.parent / "up.log").read_text()
    assert [part.role for part in here.found.processes if part.alive] == []
