"""How often to renew a routing table, and how: local share, imbalance over a day, and keys that move.

python benchmarks/routing_renewal.py FILE.csv.gz [--every 24h,6h,1h,30m] [--ways anew,renewed,deducted] [--days 20]

Columns t (seconds), k1, k2. Every table meets the rows of the next period; what is counted of it fades with a half-life
of a day. Imbalance is the busiest server's rows of a day over the mean, of the worse operator; the mean over all
days but the first. A key that no table lists is hashed.
"""

import argparse
import csv
import gzip
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from penstock.core.known.routing_table import LEFT, RIGHT, RoutingTable
from penstock.core.seen.pairs import Pair, PairCounts
from penstock.core.units import positive_seconds
from penstock.correlation.history import PairHistory
from penstock.planning.routing.graph import graph_of
from penstock.planning.routing.judging import judge, loads, placed
from penstock.planning.routing.renew import given_back, renewed
from penstock.planning.routing.route import route

DAY_S = 86_400.0
SERVERS = 6
LINK = (LEFT, RIGHT)
WAYS = ("anew", "renewed", "deducted")
Periods = Sequence[tuple[int, PairCounts]]  # the day that each belongs to, and its pairs


@dataclass(slots=True)
class Found:
    """What came of a way and a period."""

    local: float = 0.0
    rows: float = 0.0
    moved: int = 0
    by_day: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = field(default_factory=dict)

    def imbalance(self) -> float:
        """Of the days after the first, in the mean."""
        days = [rows for day, rows in self.by_day.items() if day > 0]
        return statistics.mean(max(float(of.max() / of.mean()) for of in rows) for rows in days)


def in_periods(path: Path, period_s: float, days: int) -> Periods:
    """The pairs of each period that has any."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [(float(row["t"]), row["k1"], row["k2"]) for row in csv.DictReader(file)]
    first = min(t for t, _, _ in rows)
    found: dict[int, Counter[Pair]] = {}
    for t, a, b in rows:
        if t - first < days * DAY_S:
            found.setdefault(int((t - first) // period_s), Counter())[a, b] += 1
    return [(int(n * period_s // DAY_S), PairCounts.exact(dict(found[n]))) for n in sorted(found)]


def tried(periods: Periods, period_s: float, way: str) -> Found:
    """The way, period after period."""
    found, history = Found(), PairHistory(DAY_S)
    table, fading = RoutingTable(SERVERS), np.zeros((2, SERVERS))
    for day, pairs in periods:
        graph = graph_of(pairs)
        got = loads(graph, placed(table, graph), SERVERS)
        found.by_day[day] = found.by_day.get(day, np.zeros((2, SERVERS))) + got
        if day > 0:
            found.local += judge(table, graph).locality * pairs.rows
            found.rows += pairs.rows
        fading = fading * 0.5 ** (period_s / DAY_S) + got
        history = history.closed(pairs, period_s)
        after = _next(table, history, dict(zip((LEFT, RIGHT), fading.tolist(), strict=True)), way)
        found.moved += sum(move.before is not None and move.after is not None for move in after.moved_from(table))
        table = after
    return found


def _next(table: RoutingTable, history: PairHistory, carried: Mapping[str, Sequence[float]], way: str) -> RoutingTable:
    if way == "anew":
        made = route(history.basis, SERVERS, before=table)
    else:
        basis = {LINK: history.basis}
        back = given_back({LINK: history.newest}, basis)
        made = renewed(basis, table, carried if way == "deducted" else None, back=back)
    stay = {name: {**table.keys.get(name, {}), **keys} for name, keys in made.keys.items()}  # as the policy does
    return RoutingTable(SERVERS, stay, made.locality, made.imbalance)


def lines(options: argparse.Namespace) -> Iterator[str]:
    """One for each way and period, as soon as it is there."""
    yield "| renewed every | how | local | imbalance over a day | keys moved a day | CPU s a table |"
    yield "|---|---|---|---|---|---|"
    for every in options.every.split(","):
        period_s = positive_seconds(every, "every")
        periods = in_periods(options.pairs, period_s, options.days)
        for way in options.ways.split(","):
            began = time.process_time()
            found = tried(periods, period_s, way)
            each_s = (time.process_time() - began) / len(periods)
            yield (
                f"| {every} | {way} | {found.local / found.rows:.3f} | {found.imbalance():.3f} "
                f"| {found.moved / len(found.by_day):,.0f} | {each_s:.2f} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--every", default="24h,6h,1h,30m")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--days", type=int, default=20)
    options = parser.parse_args()
    for line in lines(options):
        print(line, flush=True)


if __name__ == "__main__":
    main()
