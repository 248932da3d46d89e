"""The table of policies that the benchmarks of tenants share."""

import statistics
from collections.abc import Sequence

from penstock.governing.comparison import TrialResult

TITLES = (
    "case",
    "policy",
    "utility (share of the maximum)",
    "spread",
    "last third",
    "spread",
    "urgent SLO met",
    "steps",
    "rounds to converge",
)
HEADER = f"| {' | '.join(TITLES)} |\n{'|---' * len(TITLES)}|"


def row(case: str, policy: str, urgent: str, results: Sequence[TrialResult]) -> str:
    """The medians of some runs; `urgent` is the tenant whose SLO matters most."""
    met = statistics.median(result.met(urgent) for result in results)
    steps = statistics.median(len(result.decisions) for result in results)
    cells = (
        case,
        policy,
        *_median_and_spread([result.utility_share for result in results]),
        *_median_and_spread([late(result) for result in results]),
        f"{met:.0%}",
        f"{steps:g}",
        "/".join(_rounds_to_converge(result) for result in results),
    )
    return f"| {' | '.join(cells)} |"


def late(result: TrialResult) -> float:
    """Utility over the last third of a run: after convergence, where there is one."""
    last = result.views[-max(1, len(result.views) // 3) :]
    return sum(view.utility / view.max_utility for view in last) / len(last)


def _median_and_spread(shares: Sequence[float]) -> tuple[str, str]:
    return f"{statistics.median(shares):.2f}", f"{min(shares):.2f}-{max(shares):.2f}"


def _rounds_to_converge(result: TrialResult) -> str:
    """Rounds from the first one governed until the policy said that it rests."""
    at_rest = next((note.at_s for note in result.run.notes if note.text.startswith("converged")), None)
    if at_rest is None:
        return "-"
    return f"{(at_rest - result.trial.govern_from_s) / result.trial.interval_s:.0f}"
