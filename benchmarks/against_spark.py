"""Recorded runs on Spark beside their twins: the same costs, and the utility that the simulator makes of them.

    python benchmarks/against_spark.py benchmarks/recorded/*.jsonl [--seeds 5]

`benchmarks/tenants.py --record FILE` records. Costs are fitted to the recorded batches; utility is the simulator's own.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from recorded_twin import Recording, twin_of

from penstock.simulation.twins import run, twin_named

# In the run's words, as the runner of twins has them. Spark's `default` pool shares between batches as pools do.
DECIDERS = {"static": "by hand", "default pool": "fair"}
TITLES = ("case", "policy", "Spark", "twin (mean)", "off", "twin (all seeds)", "load average")


def recordings(files: Sequence[Path]) -> Iterator[Recording]:
    """All runs of the files."""
    for file in files:
        yield from (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())


def decider_of(recording: Recording) -> str:
    """What the runner of twins calls the run's policy."""
    policy: str = recording["policy"]
    return DECIDERS.get(policy, policy)


def simulated(recording: Recording, seeds: int) -> list[float]:
    """The utility of the run's twin, as a share of the maximum, for each seed."""
    twin = twin_of(recording, twin_named(recording["case"], round(recording["seconds"])))
    return [run(twin, decider_of(recording), seed).utility_share for seed in range(seeds)]


def row(recording: Recording, shares: Sequence[float]) -> str:
    """One run of the table."""
    real, load = recording["utility_share"], mean(turn["load"] for turn in recording["rounds"])
    cells = (
        recording["case"],
        recording["policy"],
        f"{real:.3f}",
        f"{mean(shares):.3f}",
        f"{mean(shares) - real:+.3f}",
        f"{min(shares):.3f}-{max(shares):.3f}",
        f"{load:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    print(f"| {' | '.join(TITLES)} |\n{'|---' * len(TITLES)}|", flush=True)
    for recording in recordings(options.files):
        print(row(recording, simulated(recording, options.seeds)), flush=True)


if __name__ == "__main__":
    main()
