"""Pictures of what the calls return: `--plot` of `penstock simulate`, `plan` and `route`."""

from pathlib import Path

from penstock.calls.simulated import Simulations
from penstock.core.known.placement import Placement
from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.extras import check_extra


def draw_simulations(done: Simulations, out: str | Path) -> None:
    """Utility and decisions over time, as a PNG file."""
    check_extra("plots")
    from penstock.simulation.plot import plot

    plot(done.results, Path(out))


def draw_plan(placement: Placement, out: str | Path, title: str = "") -> None:
    """Threads on slots, as a PNG file."""
    check_extra("plots")
    from penstock.telling.plan_plot import plot

    plot(placement, title, Path(out))


def draw_routing(table: RoutingTable, pairs: PairCounts, out: str | Path) -> None:
    """Rows that go from server to server, as a PNG file."""
    check_extra("plots")
    from penstock.simulation.routing.draw import draw_table

    draw_table(table, pairs, Path(out))
