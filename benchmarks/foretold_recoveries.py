"""How far off the `phoebe` policy is in what it foretells of failures, kind by kind: thirty of each, simulated.

    python benchmarks/foretold_recoveries.py [--seed N] [--failures 30] [--spread 0.2]

The load is a sine with noise on the measured capacities of the paper's cars; a failure every quarter of an hour, the
kinds in turn. What a failure costs is drawn evenly around a middle (`--spread` of it either way). Each recovery is
compared with what the policy had foretold of its kind when it last looked, up to ten minutes before, and with the
interval that it would have told by the misses until then.
"""

import argparse
import statistics
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from penstock.analysis.assess import assess
from penstock.analysis.conformal import within
from penstock.config.profiles import read_profile
from penstock.core.asked.intents import Intent, Latency
from penstock.core.plan import Step
from penstock.core.seen.failures import FailureKind
from penstock.engines.sim.scaleout.engine import ScaleOutCluster
from penstock.engines.sim.scaleout.spec import JobFailure, ScaleOutJob
from penstock.planning.phoebe.foretelling import LEVEL
from penstock.planning.phoebe.memory import Miss
from penstock.planning.phoebe.policy import Phoebe
from penstock.planning.phoebe.settings import PhoebeSettings

PROFILE = Path(__file__).parent.parent / "scenarios/phoebe/data/profile_cars.csv"
MIDDLE_S = {FailureKind.EXECUTOR: 8.0, FailureKind.QUERY: 3.5, FailureKind.DRIVER: 70.0}
EVERY_S = 1000.0
ROUND_S = 5.0
LONG_S = 60.0


def main() -> None:
    """Print a line a kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failures", type=int, default=30, help="of each kind")
    parser.add_argument("--spread", type=float, default=0.2, help="of what a failure costs, either way")
    asked = parser.parse_args()
    print("| lost | failures | recovery, s | mean error | over 60 s: how many, mean error | in the interval |")
    print("|---|---|---|---|---|---|")
    misses = lived(asked.seed, asked.failures, asked.spread)
    for kind in FailureKind:
        print(f"| {kind} | {line([miss for miss in misses if miss.kind is kind])} |")


def lived(seed: int, failures: int, spread: float) -> tuple[Miss, ...]:
    """All recoveries beside what had been foretold of them."""
    kinds = list(FailureKind)
    faults = [JobFailure("cars", 2000.0 + EVERY_S * n, kinds[n % len(kinds)]) for n in range(failures * len(kinds))]
    until_s = faults[-1].at_s + EVERY_S
    world = ScaleOutCluster([job(until_s, seed, spread)], 24, faults, seed)
    policy = Phoebe(PhoebeSettings(profiles={"cars": read_profile(PROFILE, "profile")}))
    memory = policy.start()
    intents = {"cars": Intent(Latency("2s"), recovery="180s")}
    for at_s in np.arange(ROUND_S, until_s, ROUND_S):
        plan, memory = policy.decide(assess(world.observe(float(at_s)), intents), memory)
        for decision in plan.decisions:
            world.apply((Step("cars", decision.moves),))
    return memory.misses


def job(until_s: float, seed: int, spread: float) -> ScaleOutJob:
    """The paper's cars on a sine."""
    at_s = np.arange(int(until_s) + 600)
    noise = np.random.default_rng(seed).normal(1.0, 0.03, len(at_s))
    measured = read_profile(PROFILE, "profile")
    return ScaleOutJob(
        name="cars",
        capacities={seen.scaleout: seen.rate_rps for seen in measured if seen.saturated},
        arrivals=(60_000.0 + 20_000.0 * np.sin(2.0 * np.pi * at_s / 7200.0)) * noise,
        executors=24,
        min_executors=2,
        max_executors=24,
        checkpoint_s=10.0,
        downtimes_s={kind: ((1 - spread) * middle_s, (1 + spread) * middle_s) for kind, middle_s in MIDDLE_S.items()},
        pauses_s=(8.6, 5.2, 4.8, 6.9, 5.2, 4.7, 6.9, 15.1),
        noise=0.02,
    )


def line(misses: list[Miss]) -> str:
    """One kind's cells."""
    took_s = [miss.took_s for miss in misses]
    long = [miss for miss in misses if miss.took_s > LONG_S]
    held = [factor >= max(ratio, 1.0 / ratio) for ratio, factor in intervals([miss.ratio for miss in misses])]
    covered = f"{sum(held)} of {len(held)}" if held else "-"
    over = f"{len(long)}, {mean_text(long)}" if long else "0"
    return f"{len(misses)} | {min(took_s):.0f} to {max(took_s):.0f} | {mean_text(misses)} | {over} | {covered}"


def intervals(ratios: list[float]) -> Iterator[tuple[float, float]]:
    """Each recovery with the interval that was told before it."""
    for place, ratio in enumerate(ratios):
        factor = within(ratios[:place], LEVEL)
        if factor is not None:
            yield ratio, factor


def mean_text(misses: list[Miss]) -> str:
    """The mean error, of what each took, in per cent and in seconds."""
    seconds = [abs(miss.foretold_s - miss.took_s) for miss in misses]
    shares = [off / miss.took_s for off, miss in zip(seconds, misses, strict=True)]
    return f"{100 * statistics.fmean(shares):.0f} %, {statistics.fmean(seconds):.1f} s"


if __name__ == "__main__":
    main()
