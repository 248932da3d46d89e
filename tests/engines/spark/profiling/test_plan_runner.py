"""From a plan to workers, and what their threads are told."""

from penstock.core.performance import PerformanceModel
from penstock.core.topology import Topology
from penstock.engines.spark.profiling.plan_runner import GENERATOR, sites_of
from penstock.engines.spark.standalone import Worker
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.place import place

# At 60/s: 3 threads of "wait" for each 30/s fill a slot; one thread of "parse" takes a tenth of one.
WAIT = PerformanceModel([(1, 10.0, 0.1, 0.1), (3, 30.0, 0.3, 0.3)])
PARSE = PerformanceModel([(1, 600.0, 1.0, 0.1)])
MODELS = {"parse": PARSE, "wait": WAIT}


def test_each_slot_with_threads_is_a_worker_with_as_many_task_slots() -> None:
    placement = place(allocate(Topology({"parse": ["wait"]}), 60.0, MODELS), machines=[4, 1])
    sites = sites_of(placement)
    assert sorted(worker.slots for worker in sites.workers) == [1, 3, 3]
    assert all(worker == Worker(worker.slots) for worker in sites.workers)
    assert len(sites.slots) == len(sites.workers) == placement.slots_used


def test_threads_take_the_roles_of_the_address_of_their_slot() -> None:
    flow = sites_of(place(allocate(Topology({"parse": ["wait"]}), 60.0, MODELS), machines=[4])).flow
    assert dict(flow.threads) == {"parse": 1, "wait": 6}
    assert sorted(flow.roles) == ["127.0.0.11", "127.0.0.12", "127.0.0.13"]


def test_every_source_is_fed_with_all_tuples_and_what_comes_after_stays() -> None:
    topology = Topology({"a": ["c"], "b": ["c"]})
    models = {"a": PARSE, "b": PARSE, "c": PARSE}
    flow = sites_of(place(allocate(topology, 10.0, models), machines=[1])).flow
    assert flow.topology.children(GENERATOR) == ("a", "b")
    assert flow.topology.children("b") == ("c",)
