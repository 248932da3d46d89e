"""DSM, RSM and SAM: the paper's example, and the laws that each keeps."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.known.allocation import Allocation
from penstock.core.known.performance import PerformanceModel
from penstock.core.known.placement import Machine, Placement, Slot, Thread
from penstock.core.seen.topology import Topology
from penstock.errors import ConfigError, PlacementError
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.place import fewest, place, place_on_fewest
from penstock.planning.provision.rsm import map_rsm_by_need, shared_need
from penstock.planning.provision.sam import bundles
from penstock.planning.provision.settings import DistanceWeights, PlaceSettings
from tests.planning.provision.paper import allocations, alone, planned


def example() -> Allocation:
    """Figure 4: blue, orange, yellow, green with 5, 4, 3, 5 threads, whole bundles of 2, 3, 3, 4."""
    model = {
        name: PerformanceModel([(1, 10, 0.3, 0.3), (size, 10.0 * size, 0.9, 0.9)])
        for name, size in {"B": 2, "O": 3, "Y": 3, "G": 4}.items()
    }
    allocation = allocate(Topology({"B": ["O"], "O": ["Y"], "Y": ["G"]}), 10.0, model)
    threads = {"B": 5, "O": 4, "Y": 3, "G": 5}
    needs = {"B": 2.3, "O": 1.3, "Y": 1.0, "G": 1.3}
    return replace(allocation, threads=threads, cpu=needs, memory=needs)


def test_dsm_goes_round_all_slots() -> None:
    on = place(example(), [2, 2, 2], "dsm").threads_on()
    assert on[Slot(0, 0)] == Counter(B=1, O=1, G=1)
    assert on[Slot(2, 1)] == Counter(O=1, Y=1)  # B5 went to the fifth slot, so O1 goes to the sixth


def test_sam_places_the_example_of_figure_4() -> None:
    on = place(example(), [2, 2, 2], "sam").threads_on()
    assert [on[Slot(0, 0)], on[Slot(0, 1)], on[Slot(1, 0)], on[Slot(1, 1)], on[Slot(2, 0)]] == [
        Counter(B=2),
        Counter(O=3),
        Counter(Y=3),
        Counter(G=4),
        Counter(B=2),
    ]
    assert on[Slot(2, 1)] == Counter(B=1, O=1, G=1)


def test_by_need_sam_takes_the_published_rates_on_twenty_slots_and_no_more() -> None:
    for dag, rate in (("linear", 280), ("star", 240)):  # section 8.5
        assert place(planned(dag, rate), [4] * 5, "sam-by-need").predicted_rate == pytest.approx(rate)
        assert planned(dag, rate + 10).slots > 20
        with pytest.raises(PlacementError):  # algorithm 6 gives lone threads of parse and file a slot each
            place(planned(dag, rate), [4] * 5, "sam")


def test_as_printed_a_lone_thread_at_its_tasks_peak_has_a_slot_of_its_own() -> None:
    printed, ours = (place_on_fewest(planned("linear", 50), [1], method) for method in ("sam", "sam-by-need"))
    assert (printed.slots_used, ours.slots_used) == (6, 4)  # 4 in section 8.4.1, and one more for SAM
    alone = [set(content) for content in printed.threads_on().values() if content.keys() & {"parse", "file"}]
    assert alone == [{"parse"}, {"file"}]


def test_by_need_rsm_spreads_blobs_threads_as_the_paper_says_and_as_printed_they_do_not_fit() -> None:
    allocation = planned("linear", 280)
    placement = place(allocation, [4] * 5, "rsm-by-need")
    blobs = sorted(content["blob"] for content in placement.threads_on().values() if content["blob"])
    assert sum(blobs) == 470  # section 8.5.1: 15 slots with 25 to 30 of them each, and 3 with under 10
    assert (len(blobs), sum(25 <= threads <= 30 for threads in blobs), blobs[:3]) == (19, 14, [4, 5, 11])
    assert (placement.prediction.bottleneck, round(placement.predicted_rate)) == ("table", 260)
    with pytest.raises(PlacementError):
        place(allocation, [4] * 5, "rsm")
    assert 470 * allocation.models["blob"].cpu(1) > 31  # slots of CPU, and 112 of memory, as each were alone


@given(allocations(), st.sampled_from(["dsm", "rsm-by-need", "sam", "sam-by-need", "best"]))
def test_no_thread_is_lost_and_none_is_added(allocation: Allocation, method: str) -> None:
    placement = place(allocation, [4] * 100, method, PlaceSettings(time_limit_s=0.2))
    assert Counter(name for name, _ in placement.slot_of) == Counter(allocation.threads)
    assert set(placement.slot_of) == {(name, k) for name, n in allocation.threads.items() for k in range(n)}


@given(allocations())
def test_by_need_sam_asks_no_slot_for_more_than_it_has(allocation: Allocation) -> None:
    placement = place_on_fewest(allocation, [4, 2, 1])
    parts = {bundle.operator: bundle for bundle in bundles(allocation) if not bundle.whole}
    for content in placement.threads_on().values():
        here = [parts[name] for name, threads in content.items() if name in parts and threads == parts[name].threads]
        if len(content) > 1:  # a slot that is shared has only partial bundles
            assert len(here) == len(content)
            assert max(sum(b.cpu for b in here), sum(b.memory for b in here)) <= 1 + 1e-6


@given(allocations())
def test_rsm_keeps_memory_within_slots_and_cpu_within_machines(allocation: Allocation) -> None:
    try:
        placement = place(allocation, [4] * 60, "rsm")
    except PlacementError:
        return
    cpu: Counter[int] = Counter()
    for slot, content in placement.threads_on().items():
        assert sum(n * allocation.models[name].memory(1) for name, n in content.items()) <= 1 + 1e-6
        cpu[slot.machine] += sum(n * allocation.models[name].cpu(1) for name, n in content.items())  # type: ignore[assignment]
    assert all(need <= 4 + 1e-6 for need in cpu.values())


def racked(weights: DistanceWeights) -> Placement:
    """Four threads of two operators; the second machine is in another rack, the third in the first one's."""
    model = PerformanceModel([(1, 10, 0.6, 0.1)])
    allocation = allocate(Topology({"a": ["b"]}), 20.0, {"a": model, "b": model})
    machines = [Machine(1, "m1", "r1"), Machine(4, "m2", "r2"), Machine(4, "m3", "r1")]
    return place(allocation, machines, "rsm", PlaceSettings(weights=weights))


@given(
    allocations(),
    st.lists(st.builds(Machine, st.integers(1, 4), rack=st.sampled_from(["", "a"])), min_size=1, max_size=12),
    st.builds(DistanceWeights, *[st.sampled_from([0.0, 0.3, 1.0])] * 3),
)
def test_rsm_takes_the_nearest_of_all_machines(
    allocation: Allocation, machines: list[Machine], weights: DistanceWeights
) -> None:
    settings = PlaceSettings(weights=weights)
    try:
        found = map_rsm_by_need(allocation, machines, settings)
    except PlacementError as error:
        with pytest.raises(PlacementError, match=f"'{error.task}'"):
            by_looking_at_all(allocation, machines, weights)
    else:
        assert found == by_looking_at_all(allocation, machines, weights)


def by_looking_at_all(
    allocation: Allocation, machines: list[Machine], weights: DistanceWeights
) -> Mapping[Thread, Slot]:
    """Algorithm 5 as it is printed, machine by machine."""
    slots = [[1.0] * machine.slots for machine in machines]
    cpu, memory = ([float(machine.slots) for machine in machines] for _ in range(2))
    placed: dict[Thread, Slot] = {}
    there = 0
    for sweep in range(max(allocation.threads.values())):
        for name in [name for name in allocation.topology.operators if allocation.threads[name] > sweep]:
            c, m = shared_need(allocation, name)

            def far(j: int, c: float = c, m: float = m, there: int = there) -> float:
                way = 0.0 if j == there else 0.5 if machines[j].rack == machines[there].rack else 1.0
                left = weights.memory * ((memory[j] - m) ** 2) + weights.cpu * ((cpu[j] - c) ** 2)
                return left + weights.network * way

            fit = [j for j in range(len(machines)) if cpu[j] >= c - 1e-9 and max(slots[j]) >= m - 1e-9]
            if not fit:
                raise PlacementError(name, 0, "")
            there = min(fit, key=far)
            slot = next(k for k, left in enumerate(slots[there]) if left >= m - 1e-9)
            slots[there][slot] -= m
            cpu[there], memory[there] = cpu[there] - c, memory[there] - m
            placed[name, sweep] = Slot(there, slot)
    return placed


def test_rsm_weighs_what_is_left_against_the_way_there() -> None:
    near = racked(DistanceWeights(memory=0, cpu=0, network=1))
    assert {slot.machine for slot in near.slot_of.values()} == {0, 2}  # the same machine, then the same rack
    full = racked(DistanceWeights(memory=1, cpu=1, network=0))
    assert near.slot_of["a", 0] == full.slot_of["a", 0] == Slot(0, 0)
    assert full.slot_of["b", 0].machine == 1  # as near as the third when racks do not count, and earlier


def test_insufficient_resources_name_the_operator() -> None:
    for method in ("sam", "sam-by-need", "best", "rsm", "rsm-by-need"):
        with pytest.raises(PlacementError, match="task 'work' on 1 slots") as caught:
            place(alone(500), [1], method)
        assert caught.value.task == "work"


def test_the_search_for_more_slots_ends_where_none_help() -> None:
    model = PerformanceModel([(1, 10, 0.1, 1.2)])
    allocation = allocate(Topology({"fat": []}), 30.0, {"fat": model}, "lsa")
    with pytest.raises(PlacementError, match="'fat'"):
        place_on_fewest(allocation, [4], "rsm")
    with pytest.raises(PlacementError, match="'blob'"):  # 45 threads are no whole bundle, and need 10 slots of memory
        place_on_fewest(planned("linear", 90, "lsa"), [4], "sam")


def test_the_search_finds_the_fewest_slots() -> None:
    allocation = planned("linear", 200)
    found = place_on_fewest(allocation, [1], "sam-by-need")
    assert (allocation.slots, sum(machine.slots for machine in found.machines)) == (14, 15)  # 15 in section 8.4.1
    with pytest.raises(PlacementError):
        place(allocation, [1] * 14, "sam-by-need")


@pytest.mark.parametrize(
    ("least", "one_by_one", "tries"), [(1, 99, 1), (40, 99, 40), (40, 4, 14), (70, 0, 13), (100, 0, 15)]
)
def test_of_many_numbers_of_slots_some_are_left_out_and_one_fewer_does_not_do(
    least: int, one_by_one: int, tries: int
) -> None:
    tried: list[int] = []
    enough = place(example(), [2, 2, 2])

    def placed(slots: int) -> Placement:
        tried.append(slots)
        if slots < least:
            raise PlacementError("B", slots, "none")
        return replace(enough, least_slots=slots)

    assert fewest(placed, range(1, 101), one_by_one).least_slots == least
    assert least == 1 or least - 1 in tried
    assert len(tried) == len(set(tried)) <= tries


def test_more_threads_than_rsm_places_one_by_one_are_refused() -> None:
    many = replace(example(), threads={"B": 10_001, "O": 0, "Y": 0, "G": 0})
    for place_them in (place, place_on_fewest):
        with pytest.raises(ConfigError, match=r"takes a thread at a time, 10,000 at most, of 10,001"):
            place_them(many, [4], "rsm")


@pytest.mark.parametrize("machines", [[], [0], [4, -1], "44", [1.5], 4])
def test_machines_without_slots_are_refused(machines: object) -> None:
    with pytest.raises(ConfigError, match="machines"):
        place(alone(10), machines)  # type: ignore[arg-type]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ConfigError, match="dsm, rsm, rsm-by-need, sam, sam-by-need, best"):
        place(alone(10), [4], "guess")
