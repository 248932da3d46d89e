"""YARN as a cluster, over what a real ResourceManager (Hadoop 3.5.0) said of one application, in the fields that count.

Two nodes of three cores; the application waited for its master, then had three executors of one core, then one.
"""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from penstock.engines.applications.cluster import Allowance, Room
from penstock.engines.applications.yarn import room_of
from penstock.errors import OutageError

RECORDED = json.loads((Path(__file__).parent / "recorded" / "yarn.json").read_text())
(NAME,) = [application["id"] for application in RECORDED["grown"]["apps"]]


def room(when: str, queue: str = "root", **instead: Any) -> Room:
    said = {**RECORDED[when], **instead}
    return room_of(said["nodes"], said["apps"], said["scheduler"], queue)


def test_executors_are_held_and_the_master_is_only_used() -> None:
    grown = room("grown")
    assert (grown.held, grown.used, grown.cores) == ({NAME: 3}, 1, 6)
    assert grown.cores_for({NAME}) == 5  # all but the master's


def test_an_executor_that_was_let_go_is_not_held_and_its_node_offers_its_cores_later() -> None:
    shrunk = room("shrunk")
    assert shrunk.held == {NAME: 1}
    assert sum(worker.free_cores for worker in shrunk.workers) == 3  # of 4 that nobody holds: one is still ending


def test_a_queue_bounds_those_in_it_to_its_most_without_their_masters() -> None:
    assert room("grown", "root.streams").allowance == Allowance(5, frozenset({NAME}))
    halved = copy.deepcopy(RECORDED["grown"]["scheduler"])
    (streams,) = [queue for queue in halved["queues"]["queue"] if queue["queueName"] == "streams"]
    streams["absoluteMaxCapacity"] = 50.0
    assert room("grown", "root.streams", scheduler=halved).allowance == Allowance(2, frozenset({NAME}))  # 3 - 1


def test_why_an_application_waits_for_its_master_is_yarns_own_word() -> None:
    assert "Scheduler has assigned a container for AM" in room("waits").waits[NAME]
    assert room("grown").waits == {}


def test_a_queue_that_there_is_not_is_an_outage_and_promises_nothing() -> None:
    with pytest.raises(OutageError, match=r"YARN has no queue root\.nowhere"):
        room("grown", "root.nowhere")
