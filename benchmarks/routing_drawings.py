"""The routing paper's figures as pictures: windows, edges kept, throughput."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from routing_figures import LOCALITIES, PARALLELISM, PAYLOADS, WAYS, Rerouted, rate
from routing_network import GIGABIT, Network
from routing_weeks import Way

from penstock.planning.routing.judging import Judgement

_COLOURS = {"hash": "#888888", "locality-aware": "#1f6fb2", "worst case": "#c0392b"}


def draw_windows(found: Mapping[Way, Sequence[Judgement]], title: str, out: Path) -> None:
    """Figure 11: locality above, imbalance below, window after window."""
    figure = Figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for way, judged in found.items():
        style = ":" if way in (Way.FORESEEN, Way.HINDSIGHT) else "-"
        windows = range(2, len(judged) + 2)
        above.plot(windows, [j.locality for j in judged], style, label=str(way))
        below.plot(windows, [j.imbalance for j in judged], style)
    above.set(title=title, ylabel="local share of the rows", ylim=(0, 1))
    below.set(xlabel="window", ylabel="busiest server / mean")
    above.legend(ncols=3, fontsize="small")
    figure.savefig(out, dpi=90)


def draw_edges(
    found: Mapping[int, Sequence[float]], edges: Sequence[int | None], most: int, title: str, out: Path
) -> None:
    """Figure 12: locality over the number of edges kept, a line for each parallelism."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for servers, shares in found.items():
        axes.plot([most if kept is None else kept for kept in edges], shares, "o-", label=f"{servers} servers")
    axes.set(title=title, xlabel="edges kept", ylabel="local share of the rows", xscale="log", ylim=(0, 1))
    axes.legend(fontsize="small")
    figure.savefig(out, dpi=90)


def draw_network(folder: Path) -> None:
    """Figures 7, 8 and 9: throughput over parallelism, locality and payload."""
    figure = Figure(figsize=(12, 4), layout="constrained")
    seven, eight, nine = figure.subplots(1, 3)
    for way in WAYS:
        _line(seven, way, PARALLELISM, [rate(way, n, 0.6, 12e3) for n in PARALLELISM])
        _line(eight, way, [100 * x for x in LOCALITIES], [rate(way, 6, x, 12e3) for x in LOCALITIES])
        _line(nine, way, [p / 1e3 for p in PAYLOADS], [rate(way, 6, 0.8, p) for p in PAYLOADS])
    seven.set(title="fig 7: 12 kB, locality 60 %", xlabel="servers", ylabel="1000 rows/s")
    eight.set(title="fig 8: 12 kB, 6 servers", xlabel="locality of the rows in %")
    nine.set(title="fig 9: locality 80 %, 6 servers", xlabel="payload in kB", yscale="log")
    seven.legend(fontsize="small")
    figure.savefig(folder / "throughput.png", dpi=90)


def draw_rerouting(cases: Sequence[Rerouted], folder: Path) -> None:
    """Figures 13 and 14: throughput over time around the first re-routing, and by parallelism."""
    figure = Figure(figsize=(12, 4), layout="constrained")
    fast, slow, fourteen = figure.subplots(1, 3)
    times = [float(t) for t in range(0, 1800, 3)]
    for axes, name, network in ((fast, "10 Gb/s", Network()), (slow, "1 Gb/s", Network(link_bps=GIGABIT))):
        for payload in (4e3, 8e3, 12e3):
            rates = [cases[-1].rate_at(t, payload, network) / 1e3 for t in times]
            axes.plot([t / 60 for t in times], rates, label=f"{payload / 1e3:.0f} kB")
        axes.set(title=f"fig 13: {name}", xlabel="minutes", ylabel="1000 rows/s", ylim=(0, None))
        axes.legend(fontsize="small")
    slow_net = Network(link_bps=GIGABIT)
    servers = [case.servers for case in cases]
    for way, routed in (("hash", False), ("locality-aware", True)):
        _line(fourteen, way, servers, [case.rate(routed, 4e3, slow_net) for case in cases])
    fourteen.set(title="fig 14: 4 kB, 1 Gb/s", xlabel="servers")
    fourteen.legend(fontsize="small")
    figure.savefig(folder / "rerouting.png", dpi=90)


def _line(axes: Axes, way: str, places: Sequence[float], rates: Sequence[float]) -> None:
    axes.plot(places, [rate_ / 1e3 for rate_ in rates], "o-", color=_COLOURS[way], label=way)
