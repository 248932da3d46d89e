"""A routing table as a picture."""

from pathlib import Path

from matplotlib.figure import Figure

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.errors import ConfigError


def draw_table(table: RoutingTable, pairs: PairCounts, out: Path) -> None:
    """Rows that go from server to server under the table: the diagonal stays at home."""
    flow = [[0.0] * table.servers for _ in range(table.servers)]
    for (left, right), rows in pairs.pairs.items():
        flow[table.left[left]][table.right[right]] += rows
    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(flow, cmap="Blues", vmin=0)
    figure.colorbar(image, label="rows")
    axes.set(
        title=f"local share {table.locality:.2f}, imbalance {table.imbalance:.2f}",
        xlabel="server of the right key",
        ylabel="server of the left key",
    )
    try:
        figure.savefig(out, dpi=90)
    except (OSError, ValueError) as error:
        raise ConfigError("--plot", str(out), f"give a path ending in .png that can be written ({error})") from None
