"""What `penstock plan` places, and how it shows it."""

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.text import Text

from penstock.calls.files import placed
from penstock.cli.terminal import Lines, line
from penstock.config.plan_job import PlanJob
from penstock.core.known.placement import Placement
from penstock.errors import ConfigError, PlacementError
from penstock.planning.provision.acquire import hourly_price
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.methods import METHODS
from penstock.planning.provision.predict import ROUTINGS, predict
from penstock.planning.provision.replan import Replanned
from penstock.planning.provision.settings import PlaceSettings
from penstock.telling import plan as telling

MOST_COMPARED = 200_000  # threads that each of the eight pairs may place
PAIRS = (("lsa", "dsm"), ("lsa", "rsm"), *(("mba", method) for method in METHODS))


def slots(text: str) -> list[int]:
    """The slots of each machine, as `--machines` writes them."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError("--machines", text, "write the slots of each machine, such as 4,4,2") from None


def price(job: PlanJob, placement: Placement) -> float | None:
    """What the machines cost an hour; None where a size has no price."""
    prices = {size: price for size, price in job.machines.sizes.items() if price is not None}
    return hourly_price([machine.slots for machine in placement.machines], prices)


def show(console: Console, job: PlanJob, placement: Placement) -> None:
    """Operators, price, prediction, machines, and the picture of threads on slots."""
    a = placement.allocation
    rate = f" at {a.rate_rps:g} rows/s, {a.method} + {placement.method}"
    console.print(Text.assemble(line(job.name, "bold"), rate))
    _table(console, ("operator", "rows/s", "threads", "CPU, slots", "memory, slots"), telling.operator_rows(placement))
    acquired = sum(machine.slots for machine in placement.machines)
    console.print(
        f"Slots: {a.slots} by the allocation, {placement.slots_used} used by the mapping, {acquired} on "
        f"{_machines(placement)}. Price: {_priced(job, placement)}."
    )
    if placement.least_slots is not None:
        console.print(f"No packing of these bundles needs fewer than {placement.least_slots} slots.")
    other = next(name for name in ROUTINGS if name != placement.prediction.routing)
    with_other = predict(a, placement.machines, placement.slot_of, other)
    console.print(telling.verdict(placement, with_other.rate_rps, other))
    _table(console, ("machine", "slots", "threads", "CPU", "memory"), telling.machine_rows(placement))
    console.print(telling.picture(placement), markup=False, soft_wrap=True)


def show_moves(console: Console, changed: Replanned) -> dict[str, Any]:
    """What a changed plan moves, starts and stops; the same for the document."""
    document = {"moved": dict(changed.moved), "started": dict(changed.started), "stopped": dict(changed.stopped)}
    rows = telling.moves(document, changed.placement.allocation.topology.operators)
    console.print()
    if rows:
        _table(console, ("operator", "moved", "started", "stopped"), rows)
    else:
        console.print("Nothing changes.")
    return document


def compare(
    console: Console, job: PlanJob, rate: float, machines: Sequence[int] | None, settings: PlaceSettings
) -> list[dict[str, Any]]:
    """All pairs of methods side by side; the same for the document. What is too large for one is said below."""
    found: list[dict[str, Any]] = []
    rows = []
    too_large: list[str] = []
    for pair in PAIRS:
        allocation = allocate(job.topology, rate, job.models, pair[0], job.selectivity)
        name, threads = "+".join(pair), sum(allocation.threads.values())
        try:
            _check_size(threads)
            placement = placed(job, rate, pair, machines, settings)
        except PlacementError as error:
            found.append({"pair": name, "slots": allocation.slots, "threads": threads, "error": str(error)})
            rows.append((name, str(threads), str(allocation.slots), "-", "-", "-", f"no room for {error.task}"))
            continue
        except ConfigError as error:
            found.append({"pair": name, "slots": allocation.slots, "threads": threads, "error": str(error)})
            rows.append((name, str(threads), str(allocation.slots), "-", "-", "-", "too large"))
            too_large.append(f"{name}: {error}")
            continue
        rates = {r: predict(allocation, placement.machines, placement.slot_of, r).rate_rps for r in ROUTINGS}
        used = placement.slots_used
        found.append(
            {
                "pair": name,
                "slots": allocation.slots,
                "slots_used": used,
                "slots_acquired": sum(machine.slots for machine in placement.machines),
                "threads": threads,
                "predicted_rate": rates,
                "price_per_hour": price(job, placement),
            }
        )
        shown = (f"{rates['even']:.5g}", f"{rates['proportional']:.5g}", _priced(job, placement))
        rows.append((name, str(threads), str(allocation.slots), str(used), *shown))
    console.print()
    headings = ("pair", "threads", "slots", "used", "rows/s, even", "rows/s, proportional", "price")
    _table(console, headings, rows)
    for said in too_large:
        console.print(said, markup=False)
    return found


def _check_size(threads: int) -> None:
    if threads > MOST_COMPARED:
        raise ConfigError("--compare", f"{threads:,} threads", f"it places {MOST_COMPARED:,} at most by each pair")


def _priced(job: PlanJob, placement: Placement) -> str:
    known = price(job, placement)
    return "not known" if known is None else f"{known:.3f} {job.machines.unit}/h".replace(" /h", "/h")


def _machines(placement: Placement) -> str:
    count = len(placement.machines)
    return "one machine" if count == 1 else f"{count} machines"


def _table(console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Lines(box=box.SIMPLE_HEAD, pad_edge=False)
    for place_, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place_ == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)
