"""Rounds to converge, with and without performance models, on the simulator and on real Spark.

    python benchmarks/rounds.py sim
    python benchmarks/rounds.py spark --runs 2 --seconds 60

none: Henge searches alone. step: the first step for a job is what its models say. start: jobs begin with that already.
Writes a Markdown table.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tenants import HENGE, INTERVAL_S
from waiting_task import WAIT_S

from penstock.config.plan_job import read_models
from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.known.job_models import JobModels
from penstock.core.seen.topology import Topology
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.launch.application import start_application
from penstock.governing.comparison import PolicyTurn, Tenants, TrialResult, run_trial
from penstock.governing.demo_tenants import Tenant
from penstock.planning.combined import first_slots
from penstock.simulation.checking import check_scenario
from penstock.simulation.run import simulate
from penstock.simulation.scenario_file import Variant

HERE = Path(__file__).parent
SCENARIOS = (
    ("models/first-step", "three jobs that wait, begun much too small"),
    ("henge/fig13", "nine jobs, 10 machines"),
    ("henge/fig14", "ten jobs with latency and juice"),
)
MODELS = ("none", "step", "start")
HEADINGS = (
    "models",
    "steps",
    "rounds until the last step",
    "rounds to converge",
    "utility, mean",
    "threads that moved",
)
SETTLED_S = 8.0  # at least so long
SERVED = 0.95  # of the maximum: windows of some seconds on a busy machine seldom show all of it
GOVERN_FROM_S = 20.0  # queries begin with nothing to catch up on: by then it shows what their shares are worth
# Together they need 6.8 of 8 slots: everyone can have what it asks for, but only with the right shares.
TENANTS = (
    Tenant("payments", Intent(Latency("3s", utility=40)), ((0.0, 150.0),), SlotLimits(1, 7), wait_s=WAIT_S, tasks=12),
    Tenant("reports", Intent(Latency("15s", utility=10)), ((0.0, 40.0),), SlotLimits(1, 4), wait_s=WAIT_S, tasks=12),
    Tenant(
        "clicks",
        Intent(Juice(0.5, utility=10)),
        ((0.0, 300.0),),
        SlotLimits(1, 3),
        wait_s=WAIT_S,
        tasks=12,
        bounded=True,
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", choices=("sim", "spark"))
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--master", default="local[8]")
    parser.add_argument("--models", type=Path, help="models made before; profiled first when not given")
    options = parser.parse_args()
    table = simulated() if options.where == "sim" else on_spark(options)
    for line in table:
        print(line, flush=True)


def simulated() -> Iterator[str]:
    """Scenarios as they are, but for the models."""
    yield from _head("scenario", *HEADINGS)
    for name, about in SCENARIOS:
        path = HERE.parent / "scenarios" / f"{name}.yaml"
        first = check_scenario(path)[0].scenario
        for models in MODELS:
            variant = Variant({"models": models}, first.model_copy(update={"models": models}))
            result = simulate(variant, "henge", path.parent)
            rounds = (first.duration - first.govern_from) / first.interval
            told = result.recorder.decisions
            last = max((record.decision.at_s for record in told), default=None)
            at = result.converged_at()
            cells = (
                f"{len(told)}",
                "-" if last is None else f"{(last - first.govern_from) / first.interval:.0f}",
                f"not within {rounds:.0f}" if at is None else f"{(at - first.govern_from) / first.interval:.0f}",
                f"{100 * result.summary()['utility_mean']:.1f} %",
                str(sum(abs(move.after - move.before) for record in told for move in record.decision.thread_moves)),
            )
            yield _row(f"{name}: {about}" if models == "none" else "", models, *cells)


def on_spark(options: argparse.Namespace) -> Iterator[str]:
    """The same tenants in turn, in one application; what a row takes is profiled before, on real Spark too."""
    with tempfile.TemporaryDirectory(prefix="penstock-rounds-", ignore_cleanup_errors=True) as place:
        models = _read(options.models or _profiled(Path(place, "models.yaml")))
    spark = start_application("rounds", options.master, {"spark.sql.shuffle.partitions": 4})
    run_trial(spark, _tenants(models, "none"), PolicyTurn("fair", 12.0))  # warm
    turns = [[_trial(models, how, options, spark) for how in MODELS] for _ in range(options.runs)]
    spark.stop()
    yield from _head(*HEADINGS)
    for how, results in zip(MODELS, zip(*turns, strict=True), strict=True):
        cells = [" / ".join(_cells(result)[n] for result in results) for n in range(3)]
        utility = statistics.mean(result.utility_share for result in results)
        moved = "/".join(str(_moved(result)) for result in results)
        yield _row(how, *cells, f"{100 * utility:.1f} %", moved)


def _profiled(file: Path) -> Path:
    search = ["--search", "bisect", "--length", "3s", "--warm-up", "1s", "--max-threads", "8", "--first-rate", "20"]
    command = [sys.executable, "-m", "penstock.cli.main", "profile", "waiting_task:waiting", *search]
    subprocess.run([*command, "--out", str(file)], cwd=HERE, check=True)
    return file


def _read(file: Path) -> Mapping[str, JobModels]:
    model = read_models(str(file), Path())["waiting"]
    print(f"one thread: {model.rate(1):.1f} rows/s; 8 threads: {model.rate(8):.1f}", file=sys.stderr, flush=True)
    known = JobModels({"waiting": model}, topology=Topology({"waiting": []}))
    return {tenant.name: known for tenant in TENANTS}


def _tenants(models: Mapping[str, JobModels], how: str) -> Tenants:
    def jobs(place: Path) -> Sequence[Job]:
        return [_job(tenant, place, models[tenant.name] if how == "start" else None) for tenant in TENANTS]

    return Tenants(jobs, {tenant.name: tenant.intent for tenant in TENANTS}, {} if how == "none" else models)


def _job(tenant: Tenant, place: Path, models: JobModels | None) -> Job:
    job = tenant.job(place)
    slots = None if models is None else first_slots(models, tenant.curve[0][1])
    return Job(job.name, job.function, job.limits, slots=slots or 1)


def _trial(models: Mapping[str, JobModels], how: str, options: argparse.Namespace, spark: object) -> TrialResult:
    trial = PolicyTurn(
        "henge",
        options.seconds,
        measure_from_s=GOVERN_FROM_S,
        interval_s=INTERVAL_S,
        window_s=8.0,
        govern_from_s=GOVERN_FROM_S,
        settings=HENGE,
    )
    result = run_trial(spark, _tenants(models, how), trial)  # type: ignore[arg-type]
    print(how, *_cells(result), f"{result.utility_share:.3f}", file=sys.stderr, flush=True)
    for told in result.decisions:
        print(f"  {told.text()}", file=sys.stderr, flush=True)
    return result


def _cells(result: TrialResult) -> tuple[str, str, str]:
    """Steps, rounds until the last of them, rounds until everyone was served and stayed so."""
    last = max((told.decision.at_s for told in result.decisions), default=None)
    missed = [view.at_s for view in result.views if view.utility < SERVED * view.max_utility]
    served_at = max(missed, default=GOVERN_FROM_S - INTERVAL_S) + INTERVAL_S
    in_time = served_at <= result.views[-1].at_s - SETTLED_S
    return (
        str(len(result.decisions)),
        "-" if last is None else f"{(last - GOVERN_FROM_S) / INTERVAL_S:.0f}",
        f"{(served_at - GOVERN_FROM_S) / INTERVAL_S:.0f}" if in_time else "-",
    )


def _moved(result: TrialResult) -> int:
    return sum(abs(move.after - move.before) for told in result.decisions for move in told.decision.thread_moves)


def _head(*headings: str) -> Iterator[str]:
    yield _row(*headings)
    yield f"{'|---' * len(headings)}|"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
