"""The simulator's twins of the benchmarks under every policy, beside the best that shares and bounds can do there.

    python benchmarks/twins.py --seeds 10 [--cases constrained,kafka] [--policies fair,penstock]

The best is searched for once for each case and kept in a file, which takes minutes for each. Policies run with default
settings. A policy's figures are its share of the best: the mean over all seeds, and in brackets the worst seed.
"""

import argparse
from pathlib import Path
from statistics import mean

from best_fixed import Tried, best_fixed

from penstock.simulation.twins import Fixed, Twin, run, twins

POLICIES = ("fair", "by hand", "henge", "penstock")
KEPT = Path.home() / ".cache" / "penstock" / "twins.json"


def row(twin: Twin, policies: list[str], seeds: range, tried: Tried) -> str:
    """One case: each policy's share of the best, and what the best is."""
    best = best_fixed(twin, tried, seeds)
    utility = [tried.utility(twin, best, seed) for seed in seeds]
    tried.keep()
    cells = [twin.name]
    for policy in policies:
        shares = [run(twin, policy, seed).utility_share / most for seed, most in zip(seeds, utility, strict=True)]
        cells.append(f"{mean(shares):.3f} [{min(shares):.3f}]")
    return f"| {' | '.join([*cells, f'{mean(utility):.3f}', _text(twin, best)])} |"


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
    options = parser.parse_args()
    policies, parts = options.policies.split(","), options.cases.split(",")
    titles = ["case", *policies, "utility of the best", "the best"]
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|", flush=True)
    tried = Tried.kept_in(options.kept)
    for twin in twins():
        if any(part in twin.name for part in parts):
            print(row(twin, policies, range(options.seeds), tried), flush=True)


if __name__ == "__main__":
    main()
