"""`penstock plan`: threads, slots, machines and price of a job for a rate, and what is predicted of it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from penstock.cli.output import write_json
from penstock.config.plan_job import PlanJob, read_plan_job
from penstock.core.placement import Placement
from penstock.errors import ConfigError, PlacementError
from penstock.planning.provision.acquire import hourly_price
from penstock.planning.provision.allocate import ALLOCATIONS, allocate
from penstock.planning.provision.place import METHODS, place, place_on_fewest
from penstock.planning.provision.predict import ROUTINGS, predict
from penstock.planning.provision.replan import Replanned, replan
from penstock.planning.provision.settings import PlaceSettings
from penstock.telling import plan as telling

PAIRS = (("lsa", "dsm"), ("lsa", "rsm"), ("mba", "dsm"), ("mba", "rsm"), ("mba", "sam"), ("mba", "best"))

EXAMPLE = """
\b
Examples:
  penstock plan linear --rate 100
  penstock plan grid --rate 100 --compare
  penstock plan linear --rate 130 --from 100 --machines 4,4,2
  penstock plan my-job.yaml --rate 5000 --models my-models.yaml --json - | jq .predicted_rate
\b
A job of your own, as YAML:
  flow: {parse: [score], score: [store]}   each operator with those it sends to
  tasks: {score: pi, store: table}         the task of an operator; without one its own name
  selectivity: {"parse -> score": 0.5}     rows out for one in
  models: paper                            paper, measured, a file of `penstock profile`, or written out
  machines: {4: 0.39, 2: 0.2}              slots and price an hour
\b
DAGs that ship: linear, diamond, star, finance, traffic, grid (figures 5 and 6 of "Model-driven scheduling").
"""


@click.command(epilog=EXAMPLE)
@click.argument("job", default="linear")
@click.option("--rate", type=float, default=100.0, show_default=True, help="Rows per second at every source.")
@click.option("--allocate", "allocation", type=click.Choice(list(ALLOCATIONS)), default="mba", show_default=True)
@click.option("--place", "mapping", type=click.Choice(METHODS), default="sam", show_default=True)
@click.option(
    "--routing",
    type=click.Choice(list(ROUTINGS)),
    default="proportional",
    show_default=True,
    help="How rows are shared out: even (a shuffle) or by what each slot can take.",
)
@click.option("--machines", help="Slots of the machines there are, such as 4,4,2; by default they are acquired.")
@click.option("--models", help="A set of models that ships (paper, measured) or a file; the job's own by default.")
@click.option("--from", "from_rate", type=float, help="Change the plan for this rate, moving few threads.")
@click.option("--compare", is_flag=True, help="All five pairs of the paper, and the near-exact packing.")
@click.option("--json", "json_out", help="Write the plan as JSON to this file; - is standard output.")
@click.option("--plot", "plot_out", type=click.Path(path_type=Path), help="Draw threads on slots to this PNG file.")
def plan(
    job: str,
    rate: float,
    allocation: str,
    mapping: str,
    routing: str,
    machines: str | None,
    models: str | None,
    from_rate: float | None,
    compare: bool,
    json_out: str | None,
    plot_out: Path | None,
) -> None:
    """Plan JOB (a YAML file, or a DAG that ships) for a rate, before it runs."""
    console = Console(stderr=json_out == "-", highlight=False, width=None if sys.stdout.isatty() else 120)
    read = read_plan_job(job, models)
    there = None if machines is None else _slots(machines)
    settings = PlaceSettings(routing=routing)
    placement = _placed(read, from_rate if from_rate is not None else rate, (allocation, mapping), there, settings)
    changed = None
    if from_rate is not None:
        changed = replan(placement, rate, sorted(read.machines.sizes), settings)
        placement = changed.placement
    _show(console, read, placement)
    document = {"job": read.name, **telling.document(placement, _price(read, placement))}
    if changed is not None:
        document["moves"] = _show_moves(console, changed)
    if compare:
        document["compare"] = _compare(console, read, rate, there, settings)
    if plot_out is not None:
        from penstock.telling.plan_plot import plot  # matplotlib takes a second to import

        plot(placement, f"{read.name} at {rate:g} rows/s, {allocation} + {mapping}", plot_out)
        console.print(f"picture: {plot_out}")
    if json_out is not None:
        write_json(json_out, document)


def _slots(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError("--machines", text, "write the slots of each machine, such as 4,4,2") from None


def _placed(
    job: PlanJob, rate: float, pair: tuple[str, str], machines: Sequence[int] | None, settings: PlaceSettings
) -> Placement:
    allocation = allocate(job.topology, rate, job.models, pair[0], job.selectivity)
    if machines is None:
        return place_on_fewest(allocation, sorted(job.machines.sizes), pair[1], settings)
    return place(allocation, machines, pair[1], settings)


def _price(job: PlanJob, placement: Placement) -> float | None:
    prices = {size: price for size, price in job.machines.sizes.items() if price is not None}
    return hourly_price([machine.slots for machine in placement.machines], prices)


def _priced(job: PlanJob, placement: Placement) -> str:
    price = _price(job, placement)
    return "not known" if price is None else f"{price:.3f} {job.machines.unit}/h".replace(" /h", "/h")


def _machines(placement: Placement) -> str:
    count = len(placement.machines)
    return "one machine" if count == 1 else f"{count} machines"


def _show(console: Console, job: PlanJob, placement: Placement) -> None:
    a = placement.allocation
    console.print(f"[bold]{job.name}[/] at {a.rate_rps:g} rows/s, {a.method} + {placement.method}", highlight=False)
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


def _show_moves(console: Console, changed: Replanned) -> dict[str, Any]:
    document = {"moved": dict(changed.moved), "started": dict(changed.started), "stopped": dict(changed.stopped)}
    rows = telling.moves(document, changed.placement.allocation.topology.operators)
    console.print()
    if rows:
        _table(console, ("operator", "moved", "started", "stopped"), rows)
    else:
        console.print("Nothing changes.")
    return document


def _compare(
    console: Console, job: PlanJob, rate: float, machines: Sequence[int] | None, settings: PlaceSettings
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    rows = []
    for pair in PAIRS:
        allocation = allocate(job.topology, rate, job.models, pair[0], job.selectivity)
        name, threads = "+".join(pair), sum(allocation.threads.values())
        try:
            placement = _placed(job, rate, pair, machines, settings)
        except PlacementError as error:
            found.append({"pair": name, "slots": allocation.slots, "threads": threads, "error": str(error)})
            rows.append((name, str(threads), str(allocation.slots), "-", "-", "-", f"no room for {error.task}"))
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
                "price_per_hour": _price(job, placement),
            }
        )
        shown = (f"{rates['even']:.5g}", f"{rates['proportional']:.5g}", _priced(job, placement))
        rows.append((name, str(threads), str(allocation.slots), str(used), *shown))
    console.print()
    headings = ("pair", "threads", "slots", "used", "rows/s, even", "rows/s, proportional", "price")
    _table(console, headings, rows)
    return found


def _table(console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place_, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place_ == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)
