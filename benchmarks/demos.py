"""`make demo` so many times in a row, each on a JVM of its own, also beside other work: what each run came to.

    python benchmarks/demos.py --runs 10
    python benchmarks/demos.py --runs 10 --beside 2     # beside so many processes that keep a core busy each
    python benchmarks/demos.py --runs 10 --store demos.sqlite     # and keep all trials, to be looked at afterwards

A run takes 150 s. Utility is over what all could have had at most, after the first ten seconds.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from machine_use import read_machine, use_between

from penstock.governing.comparison import record_trials
from penstock.governing.demo import TURNS, run_demo
from penstock.governing.demo_tenants import URGENT
from penstock.store.open import open_store

TIMES_FAIR, MET = 1.25, 0.8


@dataclass(frozen=True, slots=True)
class Told:
    """One demo: utility by policy, the share of time the urgent tenant met its target, and how often was decided."""

    utility: dict[str, float]
    met: dict[str, float]
    target: str
    decisions: int

    @property
    def times_fair(self) -> float:
        return self.utility["penstock"] / self.utility["fair"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--beside", type=int, default=0, help="processes that keep a core busy each meanwhile")
    parser.add_argument("--store", help="keep each trial in this store, for `penstock explain` and the pages")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(_demo(options.store)))
        return
    met = f"{URGENT} in its target: FAIR, governed"
    print(f"| run | {URGENT} asks for | FIFO | FAIR | governed | over FAIR | {met} | decisions | machine |")
    print("|---|---|---|---|---|---|---|---|---|")
    with _busy(options.beside):
        runs = [_told(number, options.store) for number in range(1, options.runs + 1)]
    print(_summary(runs))


def _demo(store: str | None) -> dict[str, object]:
    results = run_demo(lambda text: print(text, file=sys.stderr), lambda title, view: None, lambda record: None)
    if store is not None:
        with closing(open_store(store)) as archive:
            record_trials(results, "demo", archive)
    by_policy = dict(zip((policy for policy, _ in TURNS), results, strict=True))
    governed = by_policy["penstock"]
    return {
        "utility": {policy: result.utility_share for policy, result in by_policy.items()},
        "met": {policy: result.met(URGENT) for policy, result in by_policy.items()},
        "target": governed.views[-1].job(URGENT).intent.text(),
        "decisions": sum(bool(record.decision.moves) for record in governed.run.decisions),
    }


def _told(number: int, store: str | None) -> Told:
    before = read_machine({})
    kept = [] if store is None else ["--store", store]
    ended = subprocess.run([sys.executable, __file__, "--one", *kept], check=True, stdout=subprocess.PIPE, text=True)
    use = use_between(before, read_machine({}))
    told = Told(**json.loads(ended.stdout.splitlines()[-1]))
    shares = " | ".join(f"{told.utility[policy]:.2f}" for policy, _ in TURNS)
    met = f"{told.met['fair']:.0%}, {told.met['penstock']:.0%}"
    machine = f"load {use.load:.1f}, steal {use.steal:.1%}"
    times = f"x{told.times_fair:.2f}"
    print(f"| {number} | {told.target} | {shares} | {times} | {met} | {told.decisions} | {machine} |", flush=True)
    return told


def _summary(runs: Sequence[Told]) -> str:
    times = [run.times_fair for run in runs]
    met = [run.met["penstock"] for run in runs]
    better = sum(run.met["penstock"] > run.met["fair"] for run in runs)
    enough = sum(x >= TIMES_FAIR for x in times)
    return (
        f"\nOver FAIR: median x{statistics.median(times):.2f} [x{min(times):.2f} to x{max(times):.2f}], "
        f"x{TIMES_FAIR} or more in {enough} of {len(runs)}; {URGENT} in its target {MET:.0%} of the time or more "
        f"in {sum(share >= MET for share in met)}, more often than under FAIR in {better}."
    )


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """So many processes meanwhile that do nothing but keep a core busy."""
    others = [multiprocessing.Process(target=_spin, args=(os.getpid(),), daemon=True) for _ in range(count)]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.join()


def _spin(parent: int) -> None:
    while os.getppid() == parent:
        for _ in range(1_000_000):
            pass


if __name__ == "__main__":
    main()
