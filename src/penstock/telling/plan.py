"""A placement in words and numbers: tables for the terminal, a picture of threads on slots, a document."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from penstock.core.known.placement import Placement, Slot

MOST_MACHINES = 40  # lines of the picture; a plan beyond it is read in the document


def picture(placement: Placement) -> str:
    """A line for each machine, a box for each slot with the threads of each operator on it."""
    on = placement.threads_on()
    nothing: Counter[str] = Counter()
    lines = []
    for number, machine in enumerate(placement.machines[:MOST_MACHINES]):
        boxes = [on.get(Slot(number, slot), nothing) for slot in range(machine.slots)]
        text = " ".join(f"[{' + '.join(f'{n} {name}' for name, n in content.items()) or 'free'}]" for content in boxes)
        lines.append(f"{machine.name:>5}  {text}")
    if len(placement.machines) > MOST_MACHINES:
        lines.append(f"       ... and {len(placement.machines) - MOST_MACHINES} more machines")
    return "\n".join(lines)


def operator_rows(placement: Placement) -> Sequence[Sequence[str]]:
    """Operator, its rate, threads, CPU and memory in slots, each as text."""
    a = placement.allocation
    return [
        (name, f"{a.rates_rps[name]:.5g}", str(a.threads[name]), f"{a.cpu[name]:.2f}", f"{a.memory[name]:.2f}")
        for name in a.topology.operators
    ]


def machine_rows(placement: Placement) -> Sequence[Sequence[str]]:
    """Machine, slots, threads, CPU and memory predicted, each as text."""
    on = placement.threads_on()
    threads = [0] * len(placement.machines)
    for slot, content in on.items():
        threads[slot.machine] += content.total()
    rows = zip(placement.machines, threads, placement.predicted_cpu, placement.predicted_memory, strict=True)
    return [
        (machine.name, str(machine.slots), str(count), f"{cpu / machine.slots:.0%}", f"{memory / machine.slots:.0%}")
        for machine, count, cpu, memory in rows
    ][:MOST_MACHINES]


def verdict(placement: Placement, other_rate_rps: float, other_routing: str) -> str:
    """What is predicted, in a few sentences."""
    found, planned = placement.prediction, placement.allocation.rate_rps
    enough = found.rate_rps >= planned * (1 - 1e-9)
    lines = [
        f"Predicted: {found.rate_rps:.5g} rows/s with {found.routing} routing"
        + (f" (planned {planned:.5g}" + (")" if enough else f": {found.bottleneck} is too slow)"))
        + f"; {other_rate_rps:.5g} with {other_routing} routing."
    ]
    if found.within_machines_rps < min(found.rate_rps, planned) * (1 - 1e-9):
        lines.append(
            f"Above {found.within_machines_rps:.5g} rows/s a machine is asked for more CPU or memory than it has."
        )
    return "\n".join(lines)


def document(placement: Placement, price_per_hour: float | None) -> dict[str, Any]:
    """Everything about a placement as plain values for JSON."""
    a, found = placement.allocation, placement.prediction
    return {
        "rate": a.rate_rps,
        "allocate": a.method,
        "place": placement.method,
        "routing": found.routing,
        "slots": a.slots,
        "slots_acquired": sum(machine.slots for machine in placement.machines),
        "slots_used": placement.slots_used,
        "least_slots": placement.least_slots,
        "price_per_hour": price_per_hour,
        "predicted_rate": found.rate_rps,
        "predicted_rate_within_machines": found.within_machines_rps,
        "bottleneck": found.bottleneck,
        "operators": {
            name: {"rate": a.rates_rps[name], "threads": a.threads[name], "cpu": a.cpu[name], "memory": a.memory[name]}
            for name in a.topology.operators
        },
        "machines": [
            {"name": machine.name, "slots": machine.slots, "cpu": cpu, "memory": memory}
            for machine, cpu, memory in zip(placement.machines, found.cpu, found.memory, strict=True)
        ],
        "threads_on": [
            {"machine": slot.machine, "slot": slot.slot, "threads": dict(content)}
            for slot, content in placement.threads_on().items()
        ],
    }


def moves(changed: Mapping[str, Mapping[str, int]], operators: Sequence[str]) -> Sequence[Sequence[str]]:
    """Operator and its threads moved, started and stopped, where there are any."""
    kinds = ("moved", "started", "stopped")
    rows = [(name, *(str(changed[kind][name]) for kind in kinds)) for name in operators]
    return [row for row in rows if set(row[1:]) != {"0"}]
