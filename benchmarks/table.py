"""The table of policies that the benchmarks of tenants share."""

import statistics
from collections.abc import Sequence

from penstock.governing.comparison import TrialResult

HEADER = """| case | policy | utility (share of the maximum) | spread | last third | urgent SLO met | steps |
|---|---|---|---|---|---|---|"""


def row(case: str, policy: str, urgent: str, results: Sequence[TrialResult]) -> str:
    """The medians of some runs; `urgent` is the tenant whose SLO matters most."""
    utilities = [result.utility_share for result in results]
    met = statistics.median(result.met(urgent) for result in results)
    spread = f"{min(utilities):.2f}-{max(utilities):.2f}"
    late = statistics.median(_late(result) for result in results)
    steps = statistics.median(len(result.decisions) for result in results)
    return f"| {case} | {policy} | {statistics.median(utilities):.2f} | {spread} | {late:.2f} | {met:.0%} | {steps:g} |"


def _late(result: TrialResult) -> float:
    """Utility over the last third of a run: after convergence, where there is one."""
    last = result.views[-max(1, len(result.views) // 3) :]
    return sum(view.utility / view.max_utility for view in last) / len(last)
