"""Plans carried out on real Spark: planned, predicted and actual rate, CPU and memory, as in figures 9 to 12.

Each pair of allocation and mapping plans each micro DAG for its rate on as few slots as it says it needs; the plan
runs on a standalone cluster with one worker for each slot and, on it, one executor for each operator, bound by a
resource profile; the highest stable rate is searched by bisection. Each finished run is written to --json at once, and
a run that is there is not done again.
"""

import argparse
import json
import os
import platform
import signal
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plan_runner import PlanMeasured, plan_runner

from penstock.analysis.stability import judge
from penstock.config.plan_job import PlanJob, read_plan_job
from penstock.core.trial import Task
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.errors import PenstockError
from penstock.planning.profiling.search import bisect
from penstock.planning.profiling.settings import SearchSettings
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.place import place_on_fewest
from penstock.planning.provision.settings import RUNTIMES, PlaceSettings
from penstock.profiling.catalog import TASKS, ServiceSettings, task_named

# Rows are routed evenly over an operator's threads, as by a shuffle, but where a third part says otherwise.
PAIRS = (
    "lsa+dsm",
    "lsa+rsm",
    "mba+dsm",
    "mba+rsm",
    "mba+rsm-by-need",
    "mba+sam",
    "mba+sam-by-need",
    "mba+sam-by-need+proportional",
)
RATES = {"linear": 55.0, "diamond": 45.0, "star": 75.0}
SIZES = [2, 1]  # slots of the machines that can be had
MOST_TRIALS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One plan: rates in rows per second at the sources; CPU and memory of each machine in slots' worth."""

    dag: str
    pair: str
    slots: int
    threads: int
    planned_rps: float
    predicted_rps: float
    actual_rps: float | None  # None when none of the trials was stable
    compared_rps: float  # the rate at which CPU and memory are compared
    predicted_cpu: tuple[float, ...]
    actual_cpu: tuple[float, ...]
    predicted_memory: tuple[float, ...]
    actual_memory: tuple[float, ...]


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="measured", help="models by name or file")
    parser.add_argument("--dags", default=",".join(RATES))
    parser.add_argument("--pairs", default=",".join(PAIRS))
    parser.add_argument("--seconds", type=float, default=8.0, help="length of a trial")
    parser.add_argument("--json", type=Path, default=Path("plans-on-spark.jsonl"))
    parser.add_argument("--out", type=Path, default=Path("docs/results/plans-on-spark.md"))
    options = parser.parse_args()
    rows = _read(options.json)
    done = {(row.dag, row.pair) for row in rows}
    settings = TrialSettings(length_s=options.seconds, warm_up_s=2.0)
    with services() as tasks:
        for pair in options.pairs.split(","):
            for dag in options.dags.split(","):
                if (dag, pair) in done:
                    continue
                try:
                    row = run(read_plan_job(dag, options.models), pair, RATES[dag], tasks, settings)
                except PenstockError as error:
                    print(f"{dag} {pair}: {error}", flush=True)
                    continue
                rows.append(row)
                print(_line(row), flush=True)
                with options.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(row)) + "\n")
                options.out.write_text(report(rows, options), encoding="utf-8")


@contextmanager
def services() -> Iterator[Mapping[str, Task]]:
    """All five tasks, with the services that two of them call."""
    with ExitStack() as stack:
        settings = ServiceSettings()
        yield {name: stack.enter_context(task_named(name, settings)) for name in TASKS}


def run(job: PlanJob, pair: str, rate_rps: float, tasks: Mapping[str, Task], settings: TrialSettings) -> Row:
    """Plan, carry out, search the highest stable rate."""
    allocation_method, mapping, *routing = pair.split("+")
    allocation = allocate(job.topology, rate_rps, job.models, allocation_method, job.selectivity)
    place_settings = PlaceSettings(routing=(*routing, "even")[0], runtime=RUNTIMES["spark"])
    placement = place_on_fewest(allocation, SIZES, mapping, place_settings)
    chosen = {operator: tasks[operator] for operator in job.topology.operators}
    with plan_runner(placement, chosen, settings) as runner:
        # From the prediction, but never above the plan: far above its peak a DAG says little of where that is.
        trials = list(_search(runner.run, min(rate_rps, placement.predicted_rate)))
    stable = [trial for trial in trials if judge(trial.trial).stable]
    actual_rps = max((trial.trial.trial.rate_rps for trial in stable), default=None)
    at = min(stable or trials, key=lambda trial: abs(trial.trial.trial.rate_rps - rate_rps))
    compared_rps = at.trial.processed_rps
    part = compared_rps / placement.prediction.at_rps
    return Row(
        dag=job.name,
        pair=pair,
        slots=placement.slots_used,
        threads=sum(allocation.threads.values()),
        planned_rps=rate_rps,
        predicted_rps=placement.predicted_rate,
        actual_rps=actual_rps,
        compared_rps=compared_rps,
        predicted_cpu=tuple(share * part for share in placement.predicted_cpu),
        actual_cpu=at.cpu,
        predicted_memory=placement.predicted_memory,
        actual_memory=at.memory,
    )


def _search(run_trial: Any, begin_rps: float) -> Iterator[PlanMeasured]:
    settings = SearchSettings(max_threads=1, first_rate_rps=begin_rps / 5, tolerance=0.05)
    search = bisect(settings, 1, hint=begin_rps)
    wanted = next(search)
    for _ in range(MOST_TRIALS):
        measured = run_trial(wanted.rate_rps)
        yield measured
        try:
            wanted = search.send(judge(measured.trial))
        except StopIteration:
            return


def r_squared(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The squared correlation of predicted and actual; None of fewer than three pairs, or when all are alike."""
    try:
        return statistics.correlation([first for first, _ in pairs], [second for _, second in pairs]) ** 2
    except statistics.StatisticsError:
        return None


def explained(pairs: Sequence[tuple[float, float]]) -> float | None:
    """1 - SSE / SST of the prediction itself, not of a line through it; below 0: the actual mean foretells better."""
    mean = statistics.fmean(actual for _, actual in pairs) if pairs else 0.0
    total = sum((actual - mean) ** 2 for _, actual in pairs)
    return 1 - sum((actual - predicted) ** 2 for predicted, actual in pairs) / total if total else None


def _evidence(rows: Sequence[Row]) -> Iterator[str]:
    """R2 and what is explained: rates by DAG, and what the planned rate alone would have foretold."""
    yield "| rate of | plans | R², predicted | 1 - SSE/SST, predicted | R², planned | 1 - SSE/SST, planned |"
    yield "|---|---|---|---|---|---|"
    for dag in (*RATES, None):
        found = [row for row in rows if row.actual_rps is not None and dag in (row.dag, None)]
        cells = []
        for foretold in ("predicted_rps", "planned_rps"):
            pairs = [(getattr(row, foretold), row.actual_rps or 0.0) for row in found]
            cells += ["-" if share is None else f"{share:.2f}" for share in (r_squared(pairs), explained(pairs))]
        yield f"| {dag or 'all'} | {len(found)} | {' | '.join(cells)} |"


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    return [Row(**{key: _tuple(value) for key, value in json.loads(line).items()}) for line in path.open()]


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _line(row: Row) -> str:
    actual = "-" if row.actual_rps is None else f"{row.actual_rps:.1f}"
    return (
        f"| {row.dag} | {row.pair} | {row.slots} | {row.threads} | {row.planned_rps:.0f} | {row.predicted_rps:.1f} "
        f"| {actual} | {_shares(row.predicted_cpu)} | {_shares(row.actual_cpu)} "
        f"| {_shares(row.predicted_memory)} | {_shares(row.actual_memory)} |"
    )


def _shares(shares: Sequence[float]) -> str:
    return " / ".join(f"{100 * share:.0f}" for share in shares)


def report(rows: Sequence[Row], options: argparse.Namespace) -> str:
    """The table as Markdown, with its sums."""
    rates = [(row.predicted_rps, row.actual_rps) for row in rows if row.actual_rps is not None]
    cpu = [pair for row in rows for pair in zip(row.predicted_cpu, row.actual_cpu, strict=True)]
    memory = [pair for row in rows for pair in zip(row.predicted_memory, row.actual_memory, strict=True)]
    lines = [
        "# Plans carried out on real Spark",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, Linux {platform.release()}, load average "
        f"{os.getloadavg()[2]:.1f} over the last 15 minutes. Command: `python benchmarks/plans_on_spark.py --models "
        f"{options.models} --seconds {options.seconds:g}`.",
        "",
        "Rates are rows/s at the sources; CPU and memory are % of a slot for each machine, at the planned rate or the "
        "highest stable one near it.",
        "",
        "| DAG | plan | slots | threads | planned | predicted | actual | CPU predicted | CPU actual | memory predicted "
        "| memory actual |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
        *(_line(row) for row in sorted(rows, key=lambda row: (row.dag, row.pair))),
        "",
        "| R² | figure | target |",
        "|---|---|---|",
        *(
            f"| {what} | {'-' if found is None else f'{found:.2f}'} | {target} |"
            for what, found, target in (
                ("rate", r_squared(rates), 0.9),
                ("CPU by machine", r_squared(cpu), 0.85),
                ("memory by machine", r_squared(memory), 0.6),
            )
        ),
        "",
        *_evidence(rows),
        "",
        "| DAG | slots of LSA+RSM | MBA's mapping | slots | share | reached of the planned rate |",
        "|---|---|---|---|---|---|",
        *_compared({(row.dag, row.pair): row for row in rows}),
        "",
    ]
    return "\n".join(lines)


def _compared(rows: Mapping[tuple[str, str], Row]) -> Iterator[str]:
    for dag in RATES:
        theirs = rows.get((dag, "lsa+rsm"))
        for mapping in ("sam", "sam-by-need", "sam-by-need+proportional"):
            found = rows.get((dag, f"mba+{mapping}"))
            if found is not None and theirs is not None:
                share = f"{found.slots / theirs.slots:.0%}"
                yield f"| {dag} | {theirs.slots} | {mapping} | {found.slots} | {share} | {_reached(found)} |"


def _reached(row: Row | None) -> str:
    return "-" if row is None or row.actual_rps is None else f"{row.actual_rps / row.planned_rps:.0%}"


if __name__ == "__main__":
    main()
