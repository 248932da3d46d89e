"""`penstock plan`: threads, slots, machines and price of a job for a rate, and what is predicted of it."""

import sys
from pathlib import Path

import click

from penstock.cli.out_file import out_option, picture_option
from penstock.cli.output import write_json
from penstock.planning.provision.allocate import ALLOCATIONS
from penstock.planning.provision.methods import DEFAULT_METHOD, METHODS
from penstock.planning.provision.predict import ROUTINGS
from penstock.planning.provision.settings import RUNTIMES

EXAMPLE = """
\b
Examples:
  penstock plan linear --rate 100
  penstock plan grid --rate 100 --compare
  penstock plan linear --rate 130 --from 100 --machines 4,4,2
  penstock plan my-job.yaml --rate 5000 --models my-models.yaml
  penstock plan my-job.yaml --json - | jq .predicted_rate
\b
A job of your own, as YAML:
  flow: {parse: [score], score: [store]}   each operator and its outputs
  tasks: {score: pi, store: table}         tasks of operators with other names
  selectivity: {"parse -> score": 0.5}     rows out per row in
  models: paper                            or measured, or a file
  machines: {4: 0.39, 2: 0.2}              slots: price per hour

Built-in DAGs: linear, diamond, star, finance, traffic, grid (figures 5 and 6 of "Model-driven scheduling").
"""


@click.command(epilog=EXAMPLE)
@click.argument("job", default="linear")
@click.option("--rate", type=float, default=100.0, show_default=True, help="Rows per second at every source.")
@click.option(
    "--allocate",
    "allocation",
    type=click.Choice(list(ALLOCATIONS)),
    default="mba",
    show_default=True,
    help="How threads are counted: in proportion to the rate (lsa) or from the models (mba).",
)
@click.option(
    "--place",
    "mapping",
    type=click.Choice(METHODS),
    default=DEFAULT_METHOD,
    show_default=True,
    help="How threads are placed on slots: as the paper prints it (dsm, rsm, sam), or in a variant of ours.",
)
@click.option(
    "--routing",
    type=click.Choice(list(ROUTINGS)),
    default="proportional",
    show_default=True,
    help="How rows are divided among slots: evenly (a shuffle) or in proportion to their capacity.",
)
@click.option(
    "--runtime",
    type=click.Choice(list(RUNTIMES)),
    default="models",
    show_default=True,
    help="Predict CPU and memory from the models, or as plans used them on Spark.",
)
@click.option("--machines", help="Slots of your machines, such as 4,4,2. Default: as many as are needed.")
@click.option("--models", help="Performance models: paper, measured, or a file. Default: the job's own.")
@click.option("--from", "from_rate", type=float, help="Start from the plan for this rate, and move few threads.")
@click.option(
    "--compare",
    is_flag=True,
    help="Compare the paper's five combinations, ours, and a near-optimal packing.",
)
@out_option("--json", "json_out", help="Write the plan as JSON to this file; - is standard output.")
@picture_option(help="Draw threads on slots to this PNG file.")
def plan(
    job: str,
    rate: float,
    allocation: str,
    mapping: str,
    routing: str,
    runtime: str,
    machines: str | None,
    models: str | None,
    from_rate: float | None,
    compare: bool,
    json_out: str | None,
    plot_out: str | None,
) -> None:
    """Plan threads, slots and machines of JOB (YAML file or name of a DAG) for a rate."""
    from penstock.calls.files import placed
    from penstock.cli import planned
    from penstock.cli.terminal import Terminal, width_for
    from penstock.config.plan_job import read_plan_job
    from penstock.planning.provision.replan import replan
    from penstock.planning.provision.settings import PlaceSettings
    from penstock.telling.plan import document as as_document

    console = Terminal(stderr=json_out == "-", highlight=False, width=width_for(sys.stdout))
    read = read_plan_job(job, models)
    there = None if machines is None else planned.slots(machines)
    settings = PlaceSettings(routing=routing, runtime=RUNTIMES[runtime])
    first_rate = rate if from_rate is None else from_rate
    placement = placed(read, first_rate, (allocation, mapping), there, settings)
    changed = None
    if from_rate is not None:
        changed = replan(placement, rate, sorted(read.machines.sizes), settings)
        placement = changed.placement
    planned.show(console, read, placement)
    document = {"job": read.name, **as_document(placement, planned.price(read, placement))}
    if changed is not None:
        document["moves"] = planned.show_moves(console, changed)
    if compare:
        document["compare"] = planned.compare(console, read, rate, there, settings)
    if plot_out is not None:
        from penstock.telling.plan_plot import plot  # matplotlib takes a second to import

        plot(placement, f"{read.name} at {rate:g} rows/s, {allocation} + {mapping}", Path(plot_out))
        console.print(f"picture: {plot_out}")
    if json_out is not None:
        write_json(json_out, document)
