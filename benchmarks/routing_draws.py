"""What it costs a routing table that pairs are drawn, not counted: local share online, by how pairs are known.

python benchmarks/routing_draws.py FILE.csv.gz:1d ...

Tables are made of windows as the driver knows them and judged on the next window as it was. A window comes in batches;
of each some rows are drawn, by the rules of the product. Public sets have some thousand rows a window, of which all
would be drawn; `--times 40` lets every row come as often, as of a stream that is as much larger.
"""

import argparse
import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from drifting_pairs import DriftingPairs
from pair_windows import windows_of
from routing_weeks import Trial, Way, tried

from penstock.core.seen.pairs import Pair, PairCounts, merged
from penstock.correlation.sampling import MOST, SampledWindow, one_in_for

Batches = Sequence[Sequence[Pair]]
ONE_IN, LISTED = 16, 500  # until 2026-11-22: one row in 16, of each batch the heaviest 500 pairs


def in_batches(window: PairCounts, batches: int, times: int, chance: random.Random) -> Batches:
    """The rows of a window in any order, in so many batches."""
    rows = [pair for pair, count in window.pairs.items() for _ in range(int(count) * times)]
    chance.shuffle(rows)
    return [rows[number::batches] for number in range(batches)]


def drawn(batches: Batches, chance: random.Random) -> PairCounts:
    """As the product knows a window today."""
    window = SampledWindow()
    for rows in batches:
        one_in = one_in_for(len(rows), 1 / len(batches))
        found = [pair for pair in rows if chance.random() * one_in < 1]
        told = chance.sample(found, MOST) if len(found) > MOST else found
        stands_for = one_in * len(found) / max(1, len(told))
        window.add(PairCounts({pair: n * stands_for for pair, n in Counter(told).items()}, len(rows)))
    return window.closed()


def as_before(batches: Batches, chance: random.Random) -> PairCounts:
    """As it knew one."""
    return merged(
        PairCounts({pair: float(n * ONE_IN) for pair, n in found.most_common(LISTED)}, len(rows))
        for rows in batches
        for found in [Counter(pair for pair in rows if chance.random() * ONE_IN < 1)]
    )


def local_share(windows: Sequence[PairCounts], known: Sequence[PairCounts]) -> float:
    """Of the windows under the tables that what is known of those before them makes."""
    return statistics.mean(judged.locality for judged in tried(windows, Way.ONLINE, Trial(), known))


def table(sets: Iterator[tuple[str, list[PairCounts]]], batches: int, times: int) -> Iterator[str]:
    """One line for each set, as soon as it is there."""
    yield "| pairs | rows a window | exact | drawn | points | one in 16, heaviest 500 | points |"
    yield "|---|---|---|---|---|---|---|"
    for name, windows in sets:
        exact = local_share(windows, windows)
        cells = []
        for known_by in (drawn, as_before):
            share = local_share(windows, list(_known(windows, known_by, batches, times)))
            cells.append(f"{share:.3f} | {100 * (share - exact):+.1f}")
        rows = times * statistics.mean(window.rows for window in windows)
        yield f"| {name} | {rows:,.0f} | {exact:.3f} | {' | '.join(cells)} |"


def _known(
    windows: Sequence[PairCounts],
    known_by: Callable[[Batches, random.Random], PairCounts],
    batches: int,
    times: int,
) -> Iterator[PairCounts]:
    for number, window in enumerate(windows):
        chance = random.Random(number)
        yield known_by(in_batches(window, batches, times, chance), chance)


def _sets(given: Sequence[str]) -> Iterator[tuple[str, list[PairCounts]]]:
    yield "our own drifting pairs", list(DriftingPairs(windows=10, rows=12_000, left_keys=400, right_keys=800).counts())
    for text in given:
        path, _, window = text.rpartition(":")
        yield f"{Path(path).name.split('.')[0]} by {window}", windows_of(Path(path), window)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="FILE:WINDOW", help="columns t (seconds), k1, k2, and a length")
    parser.add_argument("--batches", type=int, default=6, help="of a window")
    parser.add_argument("--times", type=int, default=1, help="how often every row comes")
    options = parser.parse_args()
    for line in table(_sets(options.pairs), options.batches, options.times):
        print(line, flush=True)


if __name__ == "__main__":
    main()
