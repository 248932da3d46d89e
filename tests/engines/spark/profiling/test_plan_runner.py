"""From a plan to workers, and what their threads are told; and a small plan carried out on real Spark."""

import pytest
from plan_runner import GENERATOR, sites_of

from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.topology import Topology
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.place import place
from penstock.planning.provision.settings import PlaceSettings
from tests.drivers import told_by

# At 60/s: 3 threads of "wait" for each 30/s fill a slot; one thread of "parse" takes a tenth of one.
WAIT = PerformanceModel([(1, 10.0, 0.1, 0.1), (3, 30.0, 0.3, 0.3)])
PARSE = PerformanceModel([(1, 600.0, 1.0, 0.1)])
MODELS = {"parse": PARSE, "wait": WAIT}


def test_each_slot_with_threads_is_a_worker_with_as_many_task_slots() -> None:
    placement = place(allocate(Topology({"parse": ["wait"]}), 60.0, MODELS), machines=[4, 1])
    sites = sites_of(placement)
    assert sorted(worker.slots for worker in sites.workers) == [1, 3, 3]
    assert len(sites.slots) == len(sites.workers) == placement.slots_used


def test_each_operator_on_a_slot_is_a_group_that_its_worker_alone_offers() -> None:
    sites = sites_of(place(allocate(Topology({"parse": ["wait"]}), 60.0, MODELS), machines=[4]))
    assert dict(sites.flow.threads) == {"parse": 1, "wait": 6}
    assert sorted(sites.flow.roles) == ["127.0.0.11/parse", "127.0.0.12/wait", "127.0.0.13/wait"]
    offered = [name for worker in sites.workers for name in worker.offers]
    assert sorted(offered) == sorted(group.name for group in sites.groups)
    assert len(set(offered)) == len(offered) == 3


def test_operators_that_share_a_slot_share_its_worker_and_no_executor() -> None:
    placed = place(allocate(Topology({"parse": ["wait"]}), 60.0, MODELS, "lsa"), machines=[1], method="dsm")
    sites = sites_of(placed)
    assert [(group.address, group.operator, group.threads) for group in sites.groups] == [
        ("127.0.0.11", "parse", 1),
        ("127.0.0.11", "wait", 6),
    ]
    assert [worker.slots for worker in sites.workers] == [7]


def test_threads_have_weights_where_rows_are_routed_by_what_a_slot_can_take() -> None:
    allocation = allocate(Topology({"parse": ["wait"]}), 40.0, MODELS)
    even, by_capacity = (
        place(allocation, [4], "sam-by-need", PlaceSettings(routing=how)) for how in ("even", "proportional")
    )
    assert sites_of(even).flow.weights == {}
    weights = sites_of(by_capacity).flow.weights
    assert weights["127.0.0.12/wait"] == {"wait": 10.0}


def test_every_source_is_fed_with_all_tuples_and_what_comes_after_stays() -> None:
    topology = Topology({"a": ["c"], "b": ["c"]})
    models = {"a": PARSE, "b": PARSE, "c": PARSE}
    flow = sites_of(place(allocate(topology, 10.0, models), machines=[1])).flow
    assert flow.topology.children(GENERATOR) == ("a", "b")
    assert flow.topology.children("b") == ("c",)


@pytest.mark.long  # only a benchmark carries a plan out
@pytest.mark.cluster
def test_a_plan_on_real_spark_has_each_operator_on_its_own_executors_where_it_was_planned() -> None:
    found = told_by("tests.engines.spark.profiling.on_plan")
    assert found["executors"] == found["planned"]
    assert found["planned"] == [["127.0.0.11", 1], ["127.0.0.12", 2]]
    assert found["processed_rps"] > 0
    assert all(memory > 0 for memory in found["memory"])
