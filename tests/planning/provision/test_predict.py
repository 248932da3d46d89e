"""Prediction: the paper's own sums, and the laws that hold for any mapping."""

from dataclasses import replace

import pytest
from hypothesis import given

from penstock.core.known.allocation import Allocation
from penstock.core.known.placement import Machine, Slot
from penstock.errors import ConfigError
from penstock.planning.provision.place import place, place_on_fewest
from penstock.planning.provision.predict import predict
from penstock.planning.provision.settings import RUNTIMES, PlaceSettings, Runtime
from tests.planning.provision.paper import allocations, alone, planned


def test_seventeen_table_threads_of_rsm_do_thirty_rows() -> None:
    # Section 8.4.1: two threads on each of four slots do 5/s, nine on one do 10/s.
    counts = [2, 2, 2, 2, 9]
    slots = [Slot(0, s) for s, n in enumerate(counts) for _ in range(n)]
    allocation = planned("linear", 50, "lsa")
    table = {("table", k): slot for k, slot in enumerate(slots)}
    others = {(name, k): Slot(1, k) for name in ("parse", "pi", "file", "blob") for k in range(40)}
    found = predict(allocation, [Machine(5), Machine(40)], {**table, **others})
    assert found.bottleneck == "table"
    assert found.rate_rps == pytest.approx(30)


def test_shuffle_sends_the_partial_slot_more_than_it_can_take() -> None:
    # Section 8.4.1: 60, 60 and 40 threads get 37, 37 and 26 rows of 100; the 40 can take 20, so 80 rows are the most.
    placement = place(planned("linear", 100), [4, 3])
    even = predict(placement.allocation, placement.machines, placement.slot_of, "even")
    assert placement.predicted_rate == pytest.approx(100)
    assert even.bottleneck == "table"
    assert even.rate_rps == pytest.approx(160 * 20 / 40)


def test_cpu_and_memory_are_scaled_to_what_is_routed_to_a_slot() -> None:
    placement = place(alone(150), [2])  # 100 on one slot, 50 on the other, whose one thread takes 60
    assert placement.predicted_rate == pytest.approx(160)
    assert placement.predicted_cpu == pytest.approx([(0.9 + 0.5) * 150 / 160])
    assert placement.predicted_memory == pytest.approx([(0.6 + 0.3) * 150 / 160])


def test_a_crowded_machine_is_seen_although_every_operator_keeps_up_on_paper() -> None:
    allocation = planned("linear", 280)
    crowded = {
        thread: Slot(0, 0) if thread[0] in ("pi", "parse") else Slot(1, slot.slot)
        for thread, slot in place(allocation, [20]).slot_of.items()
    }
    found = predict(allocation, [Machine(1), Machine(20)], crowded)
    assert found.within_machines_rps < found.rate_rps


@given(allocations())
def test_mba_and_sam_together_support_the_planned_rate(allocation: Allocation) -> None:
    found = place_on_fewest(allocation, [4, 2, 1]).prediction
    assert found.rate_rps >= allocation.rate_rps * (1 - 1e-6)


@given(allocations())
def test_even_routing_never_promises_more_than_proportional(allocation: Allocation) -> None:
    placement = place(allocation, [3] * 50, "dsm")
    even = predict(allocation, placement.machines, placement.slot_of, "even")
    assert even.rate_rps <= placement.predicted_rate * (1 + 1e-9)


@given(allocations())
def test_one_more_thread_on_a_slot_of_its_own_never_lowers_the_rate(allocation: Allocation) -> None:
    placement = place_on_fewest(allocation, [1])
    before, machines = placement.prediction, (*placement.machines, Machine(1))
    for name in allocation.topology.operators:
        more = {**placement.slot_of, (name, allocation.threads[name]): Slot(len(machines) - 1, 0)}
        assert predict(allocation, machines, more).rate_rps >= before.rate_rps * (1 - 1e-9)


@given(allocations())
def test_a_lower_planned_rate_never_needs_more_cpu(allocation: Allocation) -> None:
    placement = place_on_fewest(allocation, [1])
    half = replace(allocation, rate_rps=allocation.rate_rps / 2)
    found = predict(half, placement.machines, placement.slot_of)
    assert sum(found.cpu) == pytest.approx(sum(placement.predicted_cpu) / 2)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ConfigError, match="even, proportional"):
        predict(alone(10), [Machine(1)], {}, "random")
    with pytest.raises(ConfigError, match="name an operator: work"):
        predict(alone(10), [Machine(1)], {("nobody", 0): Slot(0, 0)})


def test_an_operator_without_threads_lets_nothing_through() -> None:
    found = predict(alone(10), [Machine(1)], {})
    assert (found.rate_rps, found.bottleneck, found.cpu) == (0.0, "work", (0.0,))


def test_on_spark_threads_hold_their_memory_and_take_more_cpu_than_was_profiled() -> None:
    allocation = alone(50)  # one thread, which does 60 with half a slot's CPU
    models, spark = (
        place(allocation, [1], settings=PlaceSettings(runtime=runtime)).prediction
        for runtime in (RUNTIMES["models"], Runtime(cpu_times=3.0, memory_thread=0.01, memory_held=True))
    )
    threads = allocation.threads["work"]
    model = allocation.models["work"]
    assert models.rate_rps == spark.rate_rps
    assert spark.cpu[0] == pytest.approx(3 * models.cpu[0])
    assert spark.memory[0] == pytest.approx(model.memory(threads) + 0.01 * threads)
    assert [models.within_machines_rps, spark.within_machines_rps] == pytest.approx([60.0, 40.0])


def test_where_threads_hold_more_memory_than_there_is_no_rate_is_within_the_machine() -> None:
    runtime = Runtime(memory_thread=0.6, memory_held=True)
    assert place(alone(100), [1], settings=PlaceSettings(runtime=runtime)).prediction.within_machines_rps == 0
