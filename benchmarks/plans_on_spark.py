"""Plans carried out on real Spark: planned, predicted and actual rate, CPU, memory and latency (figures 9 to 13).

Each pair of allocation and mapping plans each micro DAG for each of its rates on as few slots as it says it needs; the
plan runs on a standalone cluster with one worker for each slot and, on it, one executor for each operator, bound by a
resource profile; the highest stable rate is searched by bisection, until an unstable trial is within 5 % above it.
Beside the good placements there are deliberately bad ones (`bad_placements.py`). Each finished run is written to --json
at once, and a run that is there is not done again. So all of it can be done a quarter of an hour at a time: with
`--minutes 13` no plan is begun after that, and the same command goes on.
"""

import argparse
import json
import os
import platform
import signal
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bad_placements import SPOILT, spoilt
from plan_runner import PlanMeasured, plan_runner

from penstock.analysis.stability import judge
from penstock.config.plan_job import PlanJob, read_plan_job
from penstock.core.known.placement import Placement
from penstock.core.seen.trial import Task
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.planning.profiling.tasks.search import bisect
from penstock.planning.profiling.tasks.settings import SearchSettings
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.place import place_on_fewest
from penstock.planning.provision.settings import RUNTIMES, PlaceSettings
from penstock.profiling.tasks.catalog import TASKS, ServiceSettings, task_named

# Rows are routed evenly over an operator's threads, as by a shuffle, but where a third part says otherwise; or the
# third part says how badly the threads are put on the plan's slots.
PAIRS = (
    "lsa+dsm",
    "lsa+rsm",
    "mba+dsm",
    "mba+rsm",
    "mba+rsm-by-need",
    "mba+sam",
    "mba+sam-by-need",
    "mba+sam-by-need+proportional",
    "mba+sam-by-need+crowded",
    "mba+sam-by-need+lopsided",
    "lsa+rsm+crowded",
)
RATES = {"linear": 55.0, "diamond": 45.0, "star": 75.0}
BAD = "bad placements"
_IDLE = 0.02  # of a slot
SIZES = [2, 1]  # slots of the machines that can be had
PARTS = "0.5,0.75,1"  # of those rates: three a DAG
MOST_TRIALS = 7  # an unstable one is among them nearly always


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
    unstable_rps: float | None = None  # the lowest rate above that was tried and was too much
    latency_s: float | None = None  # mean, from source to sink, at the rate that is compared

    @property
    def bracketed(self) -> bool:
        """Whether it is known from below and from above what the plan can do."""
        return self.actual_rps is not None and self.unstable_rps is not None


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="measured", help="models by name or file")
    parser.add_argument("--dags", default=",".join(RATES))
    parser.add_argument("--pairs", default=",".join(PAIRS))
    parser.add_argument("--parts", default=PARTS, help="of each DAG's rate, for which plans are made")
    parser.add_argument("--trials", type=int, default=MOST_TRIALS, help="of a plan, at most")
    parser.add_argument("--seconds", type=float, default=8.0, help="length of a trial")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="after which no further plan is begun")
    parser.add_argument("--json", type=Path, default=Path("plans-on-spark.jsonl"))
    parser.add_argument("--out", type=Path, default=Path("docs/results/plans-on-spark.md"))
    options = parser.parse_args()
    rows = _read(options.json)
    done = {(row.dag, row.pair, row.planned_rps) for row in rows}
    dags, parts = options.dags.split(","), [float(part) for part in options.parts.split(",")]
    wanted = [(dag, pair, RATES[dag] * part) for pair in options.pairs.split(",") for dag in dags for part in parts]
    settings = TrialSettings(length_s=options.seconds, warm_up_s=2.0)
    ends_s = time.monotonic() + 60.0 * options.minutes
    with services() as tasks:
        for dag, pair, rate_rps in (one for one in wanted if one not in done):
            if time.monotonic() >= ends_s:
                break
            print(
                f"{time.strftime('%H:%M:%S')} load {os.getloadavg()[0]:.1f}: {len(rows)} of {len(wanted)} done, "
                f"now {dag} {pair} {rate_rps:g}",
                flush=True,
            )
            try:
                row = run(read_plan_job(dag, options.models), pair, rate_rps, tasks, settings, options.trials)
            except Exception as error:  # Spark's own, too: one plan that fails is no reason to lose the others
                print(f"{dag} {pair} {rate_rps:g}: {error}", flush=True)
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


def planned(job: PlanJob, pair: str, rate_rps: float) -> Placement:
    """The plan by that pair of methods, put on its slots as badly as the pair's third part says."""
    allocation_method, mapping, *third = pair.split("+")
    allocation = allocate(job.topology, rate_rps, job.models, allocation_method, job.selectivity)
    routing = next((part for part in third if part not in SPOILT), "even")
    settings = PlaceSettings(routing=routing, runtime=RUNTIMES["spark"])
    placement = place_on_fewest(allocation, SIZES, mapping, settings)
    bad = next((part for part in third if part in SPOILT), None)
    return placement if bad is None else spoilt(placement, bad, settings)


def run(
    job: PlanJob, pair: str, rate_rps: float, tasks: Mapping[str, Task], settings: TrialSettings, most_trials: int
) -> Row:
    """Plan, carry out, search the highest stable rate and the lowest unstable one above it."""
    placement = planned(job, pair, rate_rps)
    chosen = {operator: tasks[operator] for operator in job.topology.operators}
    with plan_runner(placement, chosen, settings) as runner:
        # From the prediction, but never above the plan: far above its peak a DAG says little of where that is.
        trials = list(_search(runner.run, min(rate_rps, placement.predicted_rate), most_trials))
    stable = [trial for trial in trials if judge(trial.trial).stable]
    actual_rps = max((trial.trial.trial.rate_rps for trial in stable), default=None)
    refused = [trial.trial.trial.rate_rps for trial in trials if trial not in stable]
    at = min(stable or trials, key=lambda trial: abs(trial.trial.trial.rate_rps - rate_rps))
    compared_rps = at.trial.processed_rps
    part = compared_rps / placement.prediction.at_rps
    return Row(
        dag=job.name,
        pair=pair,
        slots=placement.slots_used,
        threads=sum(placement.allocation.threads.values()),
        planned_rps=rate_rps,
        predicted_rps=placement.predicted_rate,
        actual_rps=actual_rps,
        compared_rps=compared_rps,
        predicted_cpu=tuple(share * part for share in placement.predicted_cpu),
        actual_cpu=at.cpu,
        predicted_memory=placement.predicted_memory,
        actual_memory=at.memory,
        unstable_rps=min((rate for rate in refused if rate > (actual_rps or 0.0)), default=None),
        latency_s=statistics.fmean(latency for _, latency in at.trial.latency_s) if at.trial.latency_s else None,
    )


def _search(run_trial: Any, begin_rps: float, most_trials: int) -> Iterator[PlanMeasured]:
    settings = SearchSettings(max_threads=1, first_rate_rps=begin_rps / 5, tolerance=0.05)
    search = bisect(settings, 1, hint=begin_rps)
    wanted = next(search)
    for _ in range(most_trials):
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
    """R2 and what is explained: rates by DAG, and what the planned rate alone would have foretold.

    Only of plans of which an unstable trial says where they end; of good and bad placements, and of the bad alone.
    """
    yield "| rate of | plans | R², predicted | 1 - SSE/SST, predicted | R², planned | 1 - SSE/SST, planned |"
    yield "|---|---|---|---|---|---|"
    for dag in (*RATES, None, BAD):
        found = [row for row in rows if row.bracketed and (dag in (row.dag, None) or (dag == BAD and _bad(row)))]
        cells = []
        for foretold in ("predicted_rps", "planned_rps"):
            pairs = [(getattr(row, foretold), row.actual_rps or 0.0) for row in found]
            cells += ["-" if share is None else f"{share:.2f}" for share in (r_squared(pairs), explained(pairs))]
        yield f"| {dag or 'all'} | {len(found)} | {' | '.join(cells)} |"


def _latencies(rows: Sequence[Row]) -> Iterator[str]:
    """Figure 13: what a row's way takes, by plan, at the rate that is compared."""
    yield "| plan | " + " | ".join(f"{dag}, mean latency (range over rates)" for dag in RATES) + " |"
    yield "|---|" + "---|" * len(RATES)
    for pair in dict.fromkeys(row.pair for row in rows):
        yield f"| {pair} | " + " | ".join(_latency(rows, pair, dag) for dag in RATES) + " |"


def _latency(rows: Sequence[Row], pair: str, dag: str) -> str:
    found = [row.latency_s for row in rows if (row.pair, row.dag) == (pair, dag) and row.latency_s is not None]
    return f"{statistics.fmean(found):.2f} s ({min(found):.2f} to {max(found):.2f})" if found else "-"


def mean_error(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Of the predicted, as a share of the actual; machines that have next to nothing to do are left out."""
    shares = [abs(predicted - actual) / actual for predicted, actual in pairs if actual > _IDLE]
    return statistics.fmean(shares) if shares else None


def _bad(row: Row) -> bool:
    return any(part in SPOILT for part in row.pair.split("+"))


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
        f"| {actual} | {_text(row.unstable_rps, '.1f')} | {_shares(row.predicted_cpu)} | {_shares(row.actual_cpu)} "
        f"| {_shares(row.predicted_memory)} | {_shares(row.actual_memory)} | {_text(row.latency_s)} |"
    )


def _text(value: float | None, how: str = ".2f") -> str:
    return "-" if value is None else f"{value:{how}}"


def _shares(shares: Sequence[float]) -> str:
    return " / ".join(f"{100 * share:.0f}" for share in shares)


def report(rows: Sequence[Row], options: argparse.Namespace) -> str:
    """The table as Markdown, with its sums."""
    rates = [(row.predicted_rps, row.actual_rps or 0.0) for row in rows if row.bracketed]
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
        "| DAG | plan | slots | threads | planned | predicted | actual | too much | CPU predicted | CPU actual "
        "| memory predicted | memory actual | latency |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *(_line(row) for row in sorted(rows, key=lambda row: (row.dag, row.pair, row.planned_rps))),
        "",
        "| of all plans | R² | 1 - SSE/SST | mean error | target of the error |",
        "|---|---|---|---|---|",
        *(
            f"| {what} | {_text(r_squared(pairs))} | {_text(explained(pairs))} | {_text(mean_error(pairs), '.1%')} "
            f"| {target} |"
            for what, pairs, target in (
                ("rate", rates, ""),
                ("CPU by machine", cpu, "20 %"),
                ("memory by machine", memory, "10 %"),
            )
        ),
        "",
        *_evidence(rows),
        "",
        *_latencies(rows),
        "",
        "| DAG | slots of LSA+RSM | MBA's mapping | slots | share | reached of the planned rate |",
        "|---|---|---|---|---|---|",
        *_compared({(row.dag, row.pair): row for row in rows if row.planned_rps == RATES[row.dag]}),
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
