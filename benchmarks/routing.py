"""Routing tables: speed and growth, what they achieve on drifting pairs, and what the network makes of it.

python benchmarks/routing.py [--out docs/results/routing.md] [--pairs FILE.csv.gz:1d ...]

--pairs judges tables on rows of your own: a CSV file with columns t (seconds), k1, k2, and the length of a window.
"""

import argparse
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from drifting_pairs import DriftingPairs
from pair_windows import windows_of
from routing_drawings import draw_edges, draw_network, draw_rerouting, draw_windows
from routing_figures import Finding, findings_rerouting, findings_synthetic, rerouted_case
from routing_weeks import Trial, Way, heaviest_key, tried

from penstock.core.seen.pairs import Pair, PairCounts
from penstock.planning.routing.graph import graph_of
from penstock.planning.routing.judging import Judgement
from penstock.planning.routing.route import route

EDGES = (10, 100, 1_000, 10_000, None)
DRIFTING = DriftingPairs(windows=10, rows=12_000, left_keys=400, right_keys=800, wander=0.1)
PAPER = (
    "",
    "| the paper, section 4.3 (Twitter by week, 6 servers) | locality | imbalance |",
    "|---|---|---|",
    "| hash | 0.166 | 1.12 |",
    "| offline | 0.49 at first, then about 0.40 | about 1.40 |",
    "| online | about 0.50 | spikes, corrected at the next re-routing |",
    "| expected by METIS of the rows it saw | 0.75 | 1.03 |",
)
STABLE = DriftingPairs(windows=2, rows=20_000, loyal=0.4, wander=0.0, renew=0.0)


def million(edges: int, seed: int = 1) -> dict[Pair, float]:
    """So many pairs of communities of a hundred keys, one row in five a stranger."""
    chance = random.Random(seed)
    keys, pairs = edges // 5, dict[Pair, float]()
    while len(pairs) < edges:
        left = chance.randrange(keys)
        near = chance.random() < 0.8
        right = left // 50 * 50 + chance.randrange(50) if near else chance.randrange(keys)
        pairs[left, right] = pairs.get((left, right), 0) + chance.randint(1, 9)
    return pairs


def speed() -> Iterator[str]:
    """Seconds for a table, wall and CPU, by edges."""
    yield from (
        "## Speed",
        "",
        "From a dictionary of pairs to a table for 6 servers (target: 10^6 edges below 5 s).",
        "",
    )
    yield from ("| edges | keys | wall s | CPU s | locality | imbalance |", "|---|---|---|---|---|---|")
    for edges in (10_000, 100_000, 1_000_000):
        pairs = million(edges)
        wall, cpu = time.perf_counter(), time.process_time()
        table = route(pairs, 6)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        keys = len(table.left) + len(table.right)
        yield f"| {edges:,} | {keys:,} | {wall:.2f} | {cpu:.2f} | {table.locality:.3f} | {table.imbalance:.3f} |"


def over_windows(name: str, windows: Sequence[PairCounts], plots: Path | None) -> Iterator[str]:
    """Figure 11: locality and imbalance on the next window, by how the table was made."""
    found = {way: _told(f"{name}: {way}", list(tried(windows, way))) for way in Way}
    rows = statistics.mean(window.rows for window in windows)
    floor = statistics.mean(heaviest_key(graph_of(window), 6) for window in windows[1:])
    yield from ("", f"### {name}", "")
    yield f"{len(windows)} windows of {rows:,.0f} rows on average; imbalance of the heaviest key alone: {floor:.2f}."
    yield from ("", "| table | locality | lowest | imbalance | nine in ten below |", "|---|---|---|---|---|")
    for way, judged in found.items():
        local, load = [j.locality for j in judged], [j.imbalance for j in judged]
        tenth = statistics.quantiles(load, n=10, method="inclusive")[-1] if len(load) > 1 else load[0]
        yield (
            f"| {way} | {statistics.mean(local):.3f} | {min(local):.3f} | {statistics.mean(load):.3f} | {tenth:.3f} |"
        )
    yield from _targets(found)
    if plots is not None:
        draw_windows(found, name, plots / f"windows-{_file(name)}.png")


def _targets(found: dict[Way, list[Judgement]]) -> Iterator[str]:
    mean = {way: statistics.mean(j.locality for j in judged) for way, judged in found.items()}
    gain = 100 * (mean[Way.ONLINE] - mean[Way.OFFLINE])
    gap = 100 * (mean[Way.HINDSIGHT] - mean[Way.ONLINE])
    bound = 100 * (mean[Way.FORESEEN] - mean[Way.ONLINE])
    load = statistics.mean(j.imbalance for j in found[Way.ONLINE])
    yield ""
    yield (
        f"Online - offline: {gain:+.1f} points ({_met(gain >= 8)}: 8). Below hindsight: {gap:.1f} points "
        f"({_met(gap <= 3)}: 3); below the bound: {bound:.1f}. Imbalance {load:.2f} ({_met(load <= 1.12)}: 1.12)."
    )


def kept_edges(name: str, windows: Sequence[PairCounts], plots: Path | None) -> Iterator[str]:
    """Figure 12: locality when only the heaviest pairs are known, by parallelism."""
    few = windows[:5]
    most = max(len(window.pairs) for window in few)
    found: dict[int, list[float]] = {}
    for servers in (2, 6):
        whole = _mean_local(few, Trial(servers))
        found[servers] = [
            whole if edges is None or edges >= most else _mean_local(few, Trial(servers, edges=edges))
            for edges in EDGES
        ]
        _told(f"{name}: edges, {servers} servers", [])
    heading = " | ".join("all" if edges is None else f"{edges:,}" for edges in EDGES)
    yield ""
    yield f"Locality by edges kept, first {len(few)} windows, at most {most:,} edges each. The paper: 0.1 % of the"
    yield from ("edges double the locality of hashing at 6 servers.", "")
    yield from (f"| servers | {heading} |", "|---" * (len(EDGES) + 1) + "|")
    for servers, shares in found.items():
        yield f"| {servers} | " + " | ".join(f"{share:.3f}" for share in shares) + " |"
    if plots is not None:
        draw_edges(found, EDGES, most, name, plots / f"edges-{_file(name)}.png")


def _mean_local(windows: Sequence[PairCounts], trial: Trial) -> float:
    return statistics.mean(judged.locality for judged in tried(windows, Way.ONLINE, trial))


def network(plots: Path | None) -> Iterator[str]:
    """Figures 7, 8, 9, 13 and 14, and what the paper's text says of them."""
    first, later = STABLE.counts()
    cases = [rerouted_case(first, later, servers) for servers in (2, 3, 4, 5, 6)]
    findings = [*findings_synthetic(), *findings_rerouting(cases)]
    yield from ("", "## Throughput, by the model of the network", "")
    yield "Rows of the paper's synthetic workload (figures 7 to 9) and stable pairs of our own (13, 14; the paper's are"
    yield f"not public): local share {cases[-1].hashed_local:.2f} hashed, {cases[-1].table_local:.2f} routed on 6."
    yield "The model's constants are set after three of these statements (see its source), so those prove nothing."
    yield from ("", "| figure | the paper's text | here | |", "|---|---|---|---|", *map(_row, findings))
    if plots is not None:
        draw_network(plots)
        draw_rerouting(cases, plots)


def _row(finding: Finding) -> str:
    return f"| {finding.figure} | {finding.claim} | {finding.found} | {'holds' if finding.holds else 'does not hold'} |"


def _told(what: str, judged: list[Judgement]) -> list[Judgement]:
    print(f"{what}: done", file=sys.stderr, flush=True)
    return judged


def _met(holds: bool) -> str:
    return "target met" if holds else "target missed"


def _file(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name)


def _sets(given: Sequence[str]) -> Iterator[tuple[str, list[PairCounts]]]:
    yield "our own drifting pairs", list(DRIFTING.counts())
    for text in given:
        path, _, window = text.rpartition(":")
        yield f"{Path(path).name.split('.')[0]} by {window}", windows_of(Path(path), window)


def main() -> None:
    """Measure, draw, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="write the tables to this file, and pictures beside it")
    parser.add_argument(
        "--pairs", nargs="*", default=[], metavar="FILE:WINDOW", help="rows of your own, such as x.csv:1d"
    )
    parser.add_argument("--no-speed", action="store_true", help="leave the measurement of speed out")
    options = parser.parse_args()
    plots = None
    if options.out is not None:
        plots = options.out.with_suffix("")
        plots.mkdir(parents=True, exist_ok=True)
    sets = list(_sets(options.pairs))
    lines = [
        "# Locality-aware routing: tables, their speed, and what they are worth",
        "",
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {platform.machine()}, "
        f"Python {platform.python_version()}, `python benchmarks/routing.py`.",
        "",
        *([] if options.no_speed else speed()),
        *network(plots),
        "",
        "## Window after window",
        "",
        "Every table meets rows that it was not made from. `offline` is made once, `restarted` after every window from",
        "that window alone (as in the paper), `online` from a history that fades by half each window, or from the",
        "newest window alone, by back-test. `bound` knows the window itself but only keys seen before: nobody can",
        "beat it in advance. `hindsight` knows all of it.",
        *PAPER,
    ]
    for name, windows in sets:
        lines += over_windows(name, windows, plots)
        lines += kept_edges(name, windows, plots)
        _write(lines, options.out)
    print("\n".join(lines))


def _write(lines: Sequence[str], out: Path | None) -> None:
    """After each set, since a long run may be stopped."""
    if out is not None:
        out.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
