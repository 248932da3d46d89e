"""A standalone master's page, as Spark 4.3 writes it."""

from typing import Any

import pytest

from penstock.engines.applications.standalone import StandaloneCluster, room_of
from penstock.errors import OutageError

PAGE: dict[str, Any] = {
    "workers": [
        {
            "host": "127.0.0.11",
            "port": 1,
            "cores": 4,
            "coresfree": 1,
            "memory": 2048,
            "memoryfree": 512,
            "state": "ALIVE",
        },
        {
            "host": "127.0.0.12",
            "port": 2,
            "cores": 4,
            "coresfree": 4,
            "memory": 2048,
            "memoryfree": 2048,
            "state": "DEAD",
        },
    ],
    "activeapps": [{"id": "app-1", "name": "fraud", "cores": 3, "memoryperexecutor": 512}],
}


def test_what_living_workers_have_and_what_applications_hold_is_read() -> None:
    room = room_of(PAGE)
    assert (room.cores, room.held, room.executor_mib) == (4, {"app-1": 3}, {"app-1": 512})
    assert [(one.name, one.free_memory_mib, one.alive) for one in room.workers] == [
        ("127.0.0.11:1", 512, True),
        ("127.0.0.12:2", 2048, False),
    ]


@pytest.mark.parametrize(
    ("executor_cores", "left"),
    [
        ({"app-1": 1}, 0),  # 512 MiB are free beside one core
        ({"app-2": 1}, 1),  # its executors are of 1 GiB
        ({"app-1": 1, "app-2": 1}, 0),  # whoever finds memory may have the core
        ({"app-2": 1, "not seen yet": 1}, 0),
        ({}, 0),
    ],
)
def test_free_cores_are_left_where_nobodys_executor_finds_memory_beside_them(
    executor_cores: dict[str, int], left: int
) -> None:
    another = {"id": "app-2", "name": "bots", "cores": 0, "memoryperexecutor": 1024}
    room = room_of({**PAGE, "activeapps": [*PAGE["activeapps"], another]})
    assert room.without_memory(executor_cores) == left


@pytest.mark.parametrize("status", ["STANDBY", "RECOVERING", "COMPLETING_RECOVERY"])
def test_a_master_that_was_just_started_again_or_follows_another_is_an_outage_and_no_empty_cluster(status: str) -> None:
    page = {**PAGE, "url": "spark://10.0.0.1:7077", "workers": [], "activeapps": [], "status": status}
    with pytest.raises(OutageError, match=f"spark://10.0.0.1:7077 is {status}"):
        room_of(page)
    assert room_of({**PAGE, "status": "ALIVE"}) == room_of(PAGE)


def test_a_master_that_does_not_answer_is_an_outage() -> None:
    with pytest.raises(OutageError, match="does not say what is free"):
        StandaloneCluster("http://127.0.0.1:9").room()
