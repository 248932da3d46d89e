"""What rate, CPU and memory will come of threads on slots, whoever put them there (section 8.5).

The models say what a group of threads of one operator does alone on a slot; operators that share a slot are taken
not to disturb each other, as in the paper. How rows are routed to an operator's threads matters as much as where
they are: `even` gives each thread the same, as a shuffle does, so that the slowest thread sets the pace;
`proportional` gives each slot what it can take, which is the paper's own prediction.
"""

from collections.abc import Callable, Mapping, Sequence

from penstock.core.known.allocation import Allocation
from penstock.core.known.performance import PerformanceModel
from penstock.core.known.placement import Machine, Prediction, Slot, Thread
from penstock.errors import ConfigError
from penstock.planning.provision.settings import RUNTIMES, Runtime

Group = tuple[Slot, int, float]  # a slot, the operator's threads there, and the part of its rows they are routed
RoutingRule = Callable[[PerformanceModel, Mapping[Slot, int]], tuple[float, list[Group]]]


def predict(
    allocation: Allocation,
    machines: Sequence[Machine],
    slot_of: Mapping[Thread, Slot],
    routing: str = "proportional",
    runtime: Runtime = RUNTIMES["models"],
) -> Prediction:
    """The peak rate, and CPU and memory per machine, of any mapping of an allocation's operators."""
    if routing not in ROUTINGS:
        raise ConfigError("routing", routing, f"choose one of {', '.join(ROUTINGS)}")
    per_row = allocation.topology.rates(1.0, allocation.selectivity)  # rows of each operator for one of the source
    counts = _counts(allocation, slot_of)
    rate_rps, bottleneck = float("inf"), None
    cpu, memory = [0.0] * len(machines), [0.0] * len(machines)  # for one row per second at the sources
    held = [0.0] * len(machines)  # memory, however many rows there are
    for operator in (name for name in allocation.topology.operators if per_row[name] > 0):
        model = allocation.models[operator]
        limit_rps, groups = ROUTINGS[routing](model, counts[operator])
        if limit_rps / per_row[operator] < rate_rps:
            rate_rps, bottleneck = limit_rps / per_row[operator], operator
        for slot, threads, part in groups:
            busy = per_row[operator] * part / (model.rate(threads) or 1.0)
            cpu[slot.machine] += runtime.cpu_times * model.cpu(threads) * busy
            memory[slot.machine] += 0.0 if runtime.memory_held else model.memory(threads) * busy
            own = runtime.memory_thread * threads
            held[slot.machine] += own + (model.memory(threads) if runtime.memory_held else 0.0)
    at_rps = min(rate_rps, allocation.rate_rps)
    return Prediction(
        routing=routing,
        rate_rps=rate_rps,
        bottleneck=bottleneck,
        at_rps=at_rps,
        cpu=tuple(share * at_rps for share in cpu),
        memory=tuple(always + share * at_rps for always, share in zip(held, memory, strict=True)),
        within_machines_rps=_within(machines, cpu, memory, held, rate_rps),
    )


def _counts(allocation: Allocation, slot_of: Mapping[Thread, Slot]) -> dict[str, dict[Slot, int]]:
    counts: dict[str, dict[Slot, int]] = {operator: {} for operator in allocation.topology.operators}
    for (operator, _), slot in slot_of.items():
        if operator not in counts:
            raise ConfigError(f"slot_of[{operator!r}]", operator, f"name an operator: {', '.join(counts)}")
        counts[operator][slot] = counts[operator].get(slot, 0) + 1
    return counts


def _even(model: PerformanceModel, counts: Mapping[Slot, int]) -> tuple[float, list[Group]]:
    total = sum(counts.values())
    slowest = min((model.rate(threads) / threads for threads in counts.values()), default=0.0)
    return total * slowest, [(slot, threads, threads / total) for slot, threads in counts.items()]


def _proportional(model: PerformanceModel, counts: Mapping[Slot, int]) -> tuple[float, list[Group]]:
    rates = {slot: model.rate(threads) for slot, threads in counts.items()}
    total = sum(rates.values())
    return total, [(slot, threads, rates[slot] / (total or 1.0)) for slot, threads in counts.items()]


def _within(
    machines: Sequence[Machine],
    cpu: Sequence[float],
    memory: Sequence[float],
    held: Sequence[float],
    rate_rps: float,
) -> float:
    """The highest rate, up to the predicted one, at which no machine is asked for more than its slots; 0 for none."""
    for machine, per_cpu, per_memory, always in zip(machines, cpu, memory, held, strict=True):
        room = machine.slots - always
        if room < 0:
            return 0.0
        rate_rps = min(rate_rps, machine.slots / per_cpu if per_cpu > 0 else rate_rps)
        rate_rps = min(rate_rps, room / per_memory if per_memory > 0 else rate_rps)
    return rate_rps


ROUTINGS: dict[str, RoutingRule] = {"even": _even, "proportional": _proportional}
