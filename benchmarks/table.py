"""The table of policies that the benchmarks of tenants share: medians and ranges of runs that were taken in turns."""

import statistics
from collections.abc import Callable, Collection, Sequence

from judged import SETTLED_FROM_S, Judged

TITLES = (
    "case",
    "policy",
    "utility (share of the maximum)",
    "range",
    "after 30 s",
    "last third",
    "range",
    "of the best fixed",
    "urgent in its target after 30 s",
    "range",
    "its latency, s",
    "steps",
    "first, last step at s",
    "predictions off by",
    "steal",
    "others' cores",
    "load",
)
HEADER = f"| {' | '.join(TITLES)} |\n{'|---' * len(TITLES)}|"
CHOSEN = "settings chosen for the case"  # of a policy that does not run with its defaults


def rows(runs: Sequence[Judged], fixed: Collection[str] = ()) -> list[str]:
    """A row for each policy of one case. `fixed` are those that never change anything: the best of them is what a
    clairvoyant would have chosen.
    """
    policies = list(dict.fromkeys(run.case.policy for run in runs))
    by_policy = {policy: [run for run in runs if run.case.policy == policy] for policy in policies}
    best = max((_median(by_policy[name], Judged.utility) for name in policies if name in fixed), default=None)
    return [_row(found, best) for found in by_policy.values()]


def _row(runs: Sequence[Judged], best: float | None) -> str:
    whole = _median(runs, Judged.utility)
    off_by = [known for run in runs if (known := run.off_by()) is not None]
    latencies = [known for run in runs if (known := run.latency_s(run.case.urgent)) is not None]
    cells = (
        runs[0].case.name,
        runs[0].case.policy,
        f"{whole:.2f}",
        _range(runs, Judged.utility),
        f"{_median(runs, lambda run: run.utility(SETTLED_FROM_S)):.2f}",
        f"{_median(runs, _late):.2f}",
        _range(runs, _late),
        "-" if not best else f"{whole / best:.2f}",
        f"{_median(runs, Judged.met):.0%}",
        _range(runs, Judged.met),
        f"{statistics.median(latencies):.1f}" if latencies else "-",
        "/".join(str(len(run.steps_at_s)) for run in runs),
        " ".join(_first_and_last(run.steps_at_s) for run in runs),
        f"{statistics.median(off_by):.1%}" if off_by else "-",
        f"{_median(runs, lambda run: run.machine.steal):.1%}",
        f"{_median(runs, lambda run: run.machine.others):.2f}",
        f"{_median(runs, lambda run: run.machine.load):.1f}",
    )
    return f"| {' | '.join(cells)} |"


def _late(run: Judged) -> float:
    return run.utility(run.late_s)


def _first_and_last(at_s: Sequence[float]) -> str:
    return f"{min(at_s):.0f},{max(at_s):.0f}" if at_s else "-"


def _median(runs: Sequence[Judged], figure: Callable[[Judged], float]) -> float:
    return statistics.median(figure(run) for run in runs)


def _range(runs: Sequence[Judged], figure: Callable[[Judged], float]) -> str:
    found = [figure(run) for run in runs]
    return f"{min(found):.2f}-{max(found):.2f}"
