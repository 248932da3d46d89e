"""Starts in overload, simulated: the tenants of `kafka_cpu.py`, in the rounds that `penstock run` has there.

    python benchmarks/starts.py [--seeds 8] [--first 0] [--policies fair,penstock]

On Spark the first round comes two seconds after the start, and the next one ten seconds later, or sooner where the
policy says so. What is told counts from second 30 on: utility and the share of time that the urgent tenant is in its
target, the mean of all seeds and in brackets the worst; and when the first decision came.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

from penstock.core.plan import Plan
from penstock.core.ports import Policy
from penstock.core.seen.view import View
from penstock.planning.registry import policy_named
from penstock.simulation.twins import Fixed, Twin, TwinResult, burning, run

LOADS = ((1.0, False), (1.3, False), (1.6, False), (1.3, True), (1.6, True), (2.0, False), (2.0, True))
LOOKED_AT_S, ROUND_S, COUNTED_FROM_S, SECONDS = 2.0, 10.0, 30.0, 110
URGENT = "payments"


@dataclass(frozen=True, slots=True)
class RoundsMemory:
    """What the policy remembers, and when its next round is due."""

    inner: Any
    due_s: float = 0.0


@dataclass(frozen=True, slots=True)
class InRounds:
    """A policy that is asked in rounds of ten seconds, or sooner where it said so."""

    policy: Policy

    @property
    def name(self) -> str:
        """The policy's own."""
        return self.policy.name

    def start(self) -> RoundsMemory:
        """The first round comes at the first look."""
        return RoundsMemory(self.policy.start())

    def decide(self, view: View, memory: RoundsMemory) -> tuple[Plan, RoundsMemory]:
        """Nothing between two rounds."""
        if view.at_s < memory.due_s - 0.01:
            return Plan(), memory
        plan, inner = self.policy.decide(view, memory.inner)
        return plan, RoundsMemory(inner, view.at_s + (plan.again_s or ROUND_S))


def cases() -> list[Twin]:
    """Slots as many as cores and twice as many, at each load, on warm code and on cold."""
    twins = [burning(slots, load, SECONDS, cold=cold) for slots in (2, 4) for load, cold in LOADS]
    return [
        replace(twin, interval_s=LOOKED_AT_S, govern_from_s=LOOKED_AT_S, measure_from_s=COUNTED_FROM_S)
        for twin in twins
    ]


def lived(twin: Twin, policy: str, seeds: range) -> list[TwinResult]:
    """One run for each seed; what Spark does by itself has no rounds."""
    if policy in ("fifo", "fair"):
        return [run(twin, policy, seed) for seed in seeds]
    if policy == "by hand":
        return [run(twin, _by_hand(twin), seed) for seed in seeds]
    return [run(twin, InRounds(policy_named(policy)), seed) for seed in seeds]


def _by_hand(twin: Twin) -> Fixed:
    """As "slots 3 bound 2 s" on Spark: most slots for the urgent one, and batches of two seconds for the others."""
    slots = min(twin.cluster.slots, len(twin.jobs) - 1)
    bounds = {job.name: round(2.0 * float(job.arrivals[0])) for job in twin.jobs if job.name != URGENT}
    return Fixed({URGENT: slots}, bounds)


def told(found: Sequence[TwinResult]) -> tuple[str, ...]:
    """The cells of one case."""
    utility, met = [one.utility_share for one in found], [one.met(URGENT) for one in found]
    began = [one.decisions[0].decision.at_s for one in found if one.decisions]
    return (
        f"{mean(utility):.3f} [{min(utility):.3f}]",
        f"{mean(met):.0%} [{min(met):.0%}]",
        f"{mean(began):.0f} s" if began else "-",
    )


def main() -> None:
    """Print the table, and the mean over all cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--policies", default="fair,by hand,penstock")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    print("| case | policy | utility | urgent in its target | first decision |\n|---|---|---|---|---|", flush=True)
    of_all: dict[str, list[TwinResult]] = {}
    for twin in cases():
        for policy in options.policies.split(","):
            found = lived(twin, policy, seeds)
            of_all.setdefault(policy, []).extend(found)
            print(f"| {' | '.join((twin.name, policy, *told(found)))} |", flush=True)
    for policy, found in of_all.items():
        print(f"| all | {' | '.join((policy, *told(found)))} |", flush=True)


if __name__ == "__main__":
    main()
