"""What the product makes of a route, window after window: local share, imbalance, re-routings, and keys that move.

python benchmarks/routing_renewal.py FILE.csv.gz ... [--window 10m] [--memory 1d] [--days 20] [--skip 1] [--keep]

Columns t (seconds), k1, k2. Rows come in windows as the engine counts them (`PairWindows`), and the policy itself
decides after each one (`WithRouting.decide`, routing="act"). A table that it makes is in force from the next row on.
Keys that no table lists are hashed. What is counted are the rows after the first `--skip` days, under the table that
they met; imbalance is the busiest server's rows over the mean, of the worse operator, in the mean over the spans.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import numpy as np
from drifting_pairs import DriftingPairs
from pair_windows import events_of

from penstock.core.arrays import Floats
from penstock.core.known.routing_table import LEFT, RIGHT, RoutingTable
from penstock.core.levers import Table
from penstock.core.seen.pairs import Key, Pair, PairCounts
from penstock.core.seen.routes import PastMove, RouteFigures
from penstock.core.seen.view import View
from penstock.core.units import positive_seconds, text_of_seconds
from penstock.correlation.windows import PairWindows
from penstock.engines.spark.routing.placement import operator_rows
from penstock.planning.registry import policy_named
from penstock.planning.routing.graph import graph_of
from penstock.planning.routing.hashing import hashed
from penstock.planning.routing.judging import judge, loads, placed
from penstock.planning.routing_settings import RoutingMode, RoutingSettings

DAY_S, SERVERS, LINK = 86_400.0, 6, (LEFT, RIGHT)
_PAUSE_S, _S_PER_KEY = 3.0, 1e-5  # of a re-routing, here; as the estimator guesses
Events = Sequence[tuple[float, Pair]]


@dataclass(frozen=True, slots=True)
class Trial:
    """How a stream is governed. `memory_s`: a pair counts half after so long."""

    window_s: float = 600.0
    memory_s: float = DAY_S
    skip_s: float = DAY_S  # at the beginning, not counted
    settings: RoutingSettings = RoutingSettings(RoutingMode.ACT)


@dataclass(slots=True)
class Found:
    """What came of it."""

    local: float = 0.0
    rows: float = 0.0
    rerouted: int = 0
    moved: int = 0  # keys, of both operators, that really changed their server with what they had
    spans: dict[float, dict[int, Floats]] = field(default_factory=lambda: {DAY_S: {}, 3600.0: {}})

    def met(self, at_s: float, pairs: PairCounts, table: RoutingTable) -> None:
        """Rows under the table in force."""
        graph = graph_of(pairs)
        self.local += judge(table, graph).locality * pairs.rows
        self.rows += pairs.rows
        for span_s, by_span in self.spans.items():
            number = int(at_s // span_s)
            got = loads(graph, placed(table, graph), SERVERS)
            by_span[number] = by_span.get(number, np.zeros((2, SERVERS))) + got

    def imbalance(self, span_s: float) -> float:
        """Of the spans that are so long, by their rows."""
        spans = list(self.spans[span_s].values())
        worst = [max(float(of.max() / of.mean()) for of in rows) for rows in spans]
        return float(np.average(worst, weights=[rows.sum() for rows in spans]))


class Replay:
    """A stream of pairs under the policy."""

    def __init__(self, trial: Trial) -> None:
        self.trial, self.found = trial, Found()
        self._policy = policy_named("static", routing=trial.settings)
        self._memory = self._policy.start()
        self._windows = PairWindows([LINK], trial.memory_s)
        self._table, self._since_s = RoutingTable(SERVERS), 0.0
        self._past: tuple[PastMove, ...] = ()

    def run(self, events: Events) -> Found:
        """All windows, one after the other; what had no rows is closed all the same."""
        first_s, number = events[0][0], 0
        for at, rows in groupby(events, key=lambda event: int((event[0] - first_s) // self.trial.window_s)):
            while number < at:
                self._closed(number, Counter())
                number += 1
            self._closed(number, Counter(pair for _, pair in rows))
            number += 1
        return self.found

    def _closed(self, number: int, pairs: Counter[Pair]) -> None:
        began_s, ended_s = number * self.trial.window_s, (number + 1) * self.trial.window_s
        counts = PairCounts.exact(dict(pairs))
        if pairs and began_s >= self.trial.skip_s:
            self.found.met(began_s, counts, self._table)
        self._windows.add([counts])
        self._windows.close(self.trial.window_s)
        self._decided(self._told(number, ended_s), ended_s)

    def _told(self, number: int, at_s: float) -> RouteFigures:
        windows = self._windows
        unlisted = {operator: {key: hashed(key, SERVERS) for key in keys} for operator, keys in self._keys().items()}
        rows = {name: operator_rows(self._table, name, windows.newest, unlisted[name]) or [] for name in LINK}
        windows.carry(rows)
        return RouteFigures(
            "job",
            "route",
            SERVERS,
            self.trial.window_s,
            windows.newest,
            windows.basis,
            windows.newest[LINK].rows / self.trial.window_s,
            table=self._table if self._table.keys else None,
            table_age_s=at_s - self._since_s,
            past=self._past,
            newest_before=windows.newest_before,
            basis_before=windows.basis_before,
            window=number + 1,
            unlisted=unlisted,
            got=windows.got,
        )

    def _keys(self) -> Mapping[str, set[Key]]:
        links = (self._windows.basis, self._windows.newest_before, self._windows.basis_before)
        pairs = {pair for link in links for pair in link[LINK].pairs}
        return {LEFT: {left for left, _ in pairs}, RIGHT: {right for _, right in pairs}}

    def _decided(self, told: RouteFigures, at_s: float) -> None:
        plan, self._memory = self._policy.decide(View(at_s, (), (), 0.0, 0.0, routes=(told,)), self._memory)
        for move in (move for decision in plan.decisions for move in decision.moves):
            if isinstance(move, Table):
                self._table, self._since_s = move.after, at_s
                self._past = (*self._past, PastMove(move.keys, 0.0, _PAUSE_S + _S_PER_KEY * move.keys))[-10:]
                if at_s >= self.trial.skip_s:
                    self.found.rerouted += 1
                    self.found.moved += move.keys


def drifting(seed: int, hours: int, rows: int) -> Events:
    """Our own pairs as a stream: partners change every hour."""
    chance = np.random.default_rng(seed)
    pairs = DriftingPairs(windows=hours, rows=rows, left_keys=400, right_keys=800, seed=seed)
    found: list[tuple[float, Pair]] = []
    for hour, counts in enumerate(pairs.counts()):
        of_hour = [pair for pair, n in counts.pairs.items() for _ in range(int(n))]
        at = 3600.0 * (hour + np.sort(chance.random(len(of_hour))))
        found += zip(at.tolist(), (of_hour[place] for place in chance.permutation(len(of_hour)).tolist()), strict=True)
    return found


def line(name: str, events: Events, trial: Trial) -> str:
    """Of the table of results."""
    began = time.process_time()
    found = Replay(trial).run(events)
    days = (events[-1][0] - events[0][0] - trial.skip_s) / DAY_S
    cells = [
        name,
        text_of_seconds(trial.window_s),
        text_of_seconds(trial.memory_s),
        f"{found.local / found.rows:.3f}",
        *(f"{found.imbalance(span_s):.3f}" for span_s in found.spans),
        f"{found.rerouted / days:,.1f}",
        f"{found.moved / days:,.0f}",
        f"{time.process_time() - began:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def lines(options: argparse.Namespace) -> Iterator[str]:
    """One for each stream and window, as soon as it is there."""
    columns = "pairs | window | half-life | local | imbalance of days | of hours | re-routed a day | keys moved a day"
    yield f"| {columns} | CPU s |"
    yield "|---|---|---|---|---|---|---|---|---|"
    settings = RoutingSettings(RoutingMode.ACT, keep=options.keep)
    for source in options.pairs:
        name, events = _events(source, options)
        for window in options.window.split(","):
            for memory in options.memory.split(","):
                how = (positive_seconds(window, "window"), positive_seconds(memory, "memory"), options.skip * DAY_S)
                yield line(name, events, Trial(*how, settings))


def _events(source: str, options: argparse.Namespace) -> tuple[str, Events]:
    if source.startswith("drifting:"):
        return source, drifting(int(source.removeprefix("drifting:")), int(24 * options.days), options.rows)
    events = sorted(events_of(Path(source)), key=lambda event: event[0])
    last_s = events[0][0] + options.days * DAY_S
    return Path(source).name.split(".")[0], [event for event in events if event[0] < last_s]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", help="a file, or drifting:SEED for our own")
    parser.add_argument("--window", default="10m")
    parser.add_argument("--memory", default="1d")
    parser.add_argument("--days", type=float, default=20.0)
    parser.add_argument("--skip", type=float, default=1.0, help="days at the beginning that are not counted")
    parser.add_argument("--rows", type=int, default=12_000, help="of our own pairs, an hour")
    parser.add_argument("--keep", action="store_true", help="adapt the table in force")
    for found in lines(parser.parse_args()):
        print(found, flush=True)


if __name__ == "__main__":
    main()
