"""The simulator's twins of the benchmarks under every policy, beside the best that shares and bounds can do there.

    python benchmarks/twins.py --seeds 10 [--cases constrained,kafka] [--policies fair,penstock] [--no-search]

The best is searched for once for each case and kept in a file, which takes minutes for each. Policies run with default
settings. A policy's figures are its share of the best: the mean over all seeds, and in brackets the worst seed. Without
a search they are shares of the maximum utility. Of the last policy is told in how many of the seeds its first step made
utility lower, from then on to the end: that step and no other, against the same seed without it.
"""

import argparse
from pathlib import Path
from statistics import mean

from best_fixed import Tried, best_fixed
from first_steps import gained, text_of

from penstock.simulation.twins import Fixed, Twin, run, twins

POLICIES = ("fair", "by hand", "henge", "penstock")
KEPT = Path.home() / ".cache" / "penstock" / "twins.json"


def row(twin: Twin, policies: list[str], seeds: range, tried: Tried | None) -> str:
    """One case: each policy's share of the best, its first step, and what the best is, where that is searched for."""
    utility, best = ([1.0] * len(seeds), []) if tried is None else _searched(twin, seeds, tried)
    cells = [twin.name]
    for policy in policies:
        shares = [run(twin, policy, seed).utility_share / most for seed, most in zip(seeds, utility, strict=True)]
        cells.append(f"{mean(shares):.3f} [{min(shares):.3f}]")
    cells.append(text_of(gained(twin, policies[-1], seed) for seed in seeds))
    return f"| {' | '.join([*cells, *best])} |"


def _searched(twin: Twin, seeds: range, tried: Tried) -> tuple[list[float], list[str]]:
    """The utility of the best in each seed; its mean and what it is, as they are told."""
    best = best_fixed(twin, tried, seeds)
    utility = [tried.utility(twin, best, seed) for seed in seeds]
    tried.keep()
    return utility, [f"{mean(utility):.3f}", _text(twin, best)]


def _text(twin: Twin, fixed: Fixed) -> str:
    """What the best gives whom, where not every job has one slot; of a fleet it is too long to be told."""
    if len(twin.jobs) > 4:
        return ""
    slots = ", ".join(f"{job.name} {fixed.slots.get(job.name, job.threads)}" for job in twin.jobs)
    bounds = ", ".join(f"{name} <= {bound}" for name, bound in fixed.bounds.items())
    return f"{slots}; {bounds}" if bounds else slots


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--cases", default="", help="parts of names of cases; all, if left out")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--kept", type=Path, default=KEPT, help="where what was tried is kept")
    parser.add_argument("--no-search", action="store_true", help="shares of the maximum utility, within minutes")
    options = parser.parse_args()
    policies, parts = options.policies.split(","), options.cases.split(",")
    titles = ["case", *policies, f"first steps of {policies[-1]} that lower utility"]
    titles += [] if options.no_search else ["utility of the best", "the best"]
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|", flush=True)
    tried = None if options.no_search else Tried.kept_in(options.kept)
    for twin in twins():
        if any(part in twin.name for part in parts):
            print(row(twin, policies, range(options.seeds), tried), flush=True)


if __name__ == "__main__":
    main()
