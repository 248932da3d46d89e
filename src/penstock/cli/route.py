"""`penstock route`: a routing table from key pairs in a file, beside greedy and hashing."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.out_file import out_option, picture_option
from penstock.cli.output import write_json
from penstock.errors import ConfigError
from penstock.planning.routing.methods import METHODS
from penstock.planning.routing_settings import IMBALANCE
from penstock.simulation.routing.pairs_file import MOST_LINES, read_pairs

if TYPE_CHECKING:
    from rich.table import Table

    from penstock.core.known.routing_table import RoutingTable
    from penstock.core.seen.pairs import PairCounts

_MOST_DIGITS = 12  # of a rack's servers, with blanks
EXAMPLE = """
\b
Examples:
  printf 'left,right\\nAsia,#java\\nAsia,#ruby\\nOceania,#python\\n' > pairs.csv
  penstock route pairs.csv --servers 2
  penstock route trips.csv.gz --left k1 --right k2 --servers 6 --racks 3,3
  penstock route pairs.csv --servers 6 --json - | jq '.locality, .left'
"""


@click.command("route", epilog=EXAMPLE)
@click.argument("pairs", type=click.Path(path_type=Path))
@click.option("--servers", type=int, required=True, help="Number of servers or state partitions.")
@click.option("--method", default="metis", show_default=True, help=f"One of {', '.join(METHODS)}.")
@click.option(
    "--imbalance",
    default=IMBALANCE,
    show_default=True,
    help="Limit for the rows of the fullest server, relative to the mean.",
)
@click.option("--racks", help="Number of servers in each rack, such as 3,3.")
@click.option("--left", default="left", show_default=True, help="Column with the first operator's key.")
@click.option("--right", default="right", show_default=True, help="Column with the second operator's key.")
@click.option(
    "--most-lines",
    default=MOST_LINES,
    show_default=True,
    help="Largest number of lines in PAIRS. A million pairs take 0.8 GiB.",
)
@out_option("--json", "json_out", help="Write the table as JSON to this file; - is standard output.")
@picture_option(help="Draw the local share to this PNG file.")
def route_command(
    pairs: Path,
    servers: int,
    method: str,
    imbalance: float,
    racks: str | None,
    left: str,
    right: str,
    most_lines: int,
    json_out: str | None,
    plot_out: str | None,
) -> None:
    """Compute which server should hold which key, so that fewer rows cross the network.

    PAIRS is a CSV file, plain or .gz, with one column for each operator's key. If each line stands for several rows, a
    column `rows` has their number.
    """
    from penstock.cli.terminal import Terminal, line, width_for
    from penstock.planning.routing.route import route  # numpy and METIS take a third of a second to import

    console = Terminal(stderr=True, width=width_for(sys.stderr))
    rack_sizes = _racks(racks)
    route({}, servers, imbalance, method, racks=rack_sizes)  # what makes no sense is refused before the file is read
    with console.status(line(f"reading {pairs}")) as status:
        counts = read_pairs(
            pairs, left, right, lambda read: status.update(line(f"reading {pairs}: {read:,} lines")), most_lines
        )
        status.update(f"routing {len(counts.pairs):,} pairs")
        began = time.perf_counter()
        chosen = route(counts, servers, imbalance, method, racks=rack_sizes)
        took_s = time.perf_counter() - began
        tables = {name: route(counts, servers, imbalance, name) for name in METHODS if name != method}
    console.print(f"{counts.rows:,.0f} rows, {len(counts.pairs):,} pairs", highlight=False)
    console.print(_comparison(counts, {method: chosen, **tables}, rack_sizes))
    console.print(f"{method}: {len(chosen.left):,} + {len(chosen.right):,} keys in {took_s:.2f} s", highlight=False)
    if plot_out is not None:
        from penstock.simulation.routing.draw import draw_table  # matplotlib takes a second to import

        draw_table(chosen, counts, Path(plot_out))
        console.print(f"picture: {plot_out}")
    if json_out is not None:
        write_json(json_out, _document(chosen, method))


def _racks(given: str | None) -> list[int] | None:
    if given is None:
        return None
    parts = given.split(",")
    if not all(part.strip().isdecimal() and len(part) <= _MOST_DIGITS for part in parts):
        raise ConfigError("--racks", given, "write how many servers each rack has, such as 3,3")
    return [int(part) for part in parts]


def _comparison(counts: "PairCounts", tables: dict[str, "RoutingTable"], racks: list[int] | None) -> "Table":
    from rich import box

    from penstock.cli.terminal import Lines
    from penstock.planning.routing.graph import graph_of
    from penstock.planning.routing.judging import judge

    table = Lines(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("method", "local share", *(["in its rack"] if racks else []), "imbalance"):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    graph = graph_of(counts)
    for name, made in tables.items():
        judged = judge(made, graph, racks=racks)
        rack = [] if judged.rack_locality is None else [f"{judged.rack_locality:.3f}"]
        table.add_row(name, f"{judged.locality:.3f}", *rack, f"{judged.imbalance:.3f}")
    return table


def _document(table: "RoutingTable", method: str) -> dict[str, Any]:
    return {
        "method": method,
        "servers": table.servers,
        "locality": table.locality,
        "imbalance": table.imbalance,
        **{operator: _named(table, operator) for operator in table.operators},
    }


def _named(table: "RoutingTable", operator: str) -> dict[str, int]:
    return {str(key): server for key, server in table.keys[operator].items()}
