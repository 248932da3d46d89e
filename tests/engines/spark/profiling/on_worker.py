"""A driver of its own: trials on a worker, and what is left of it. Run by test_trials; prints one JSON document."""

import json
import os
from typing import Any

from penstock.core.seen.trial import Measured, Trial
from penstock.engines.spark.profiling import application, usage
from penstock.engines.spark.profiling.application import SlotApplication
from penstock.engines.spark.profiling.cores import Cores, kept_off, split_cores
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.engines.spark.profiling.trials import TrialRunner, trial_runner
from penstock.errors import EngineError
from penstock.local.spark import standalone
from penstock.workloads.tasks.pi_viete import PiViete
from tests.engines.spark.profiling.failing import Failing
from tests.patience import eventually, patiently

SETTINGS = TrialSettings(length_s=1.0, warm_up_s=0.2)


def main() -> dict[str, Any]:
    patiently(standalone, application)
    cores = split_cores()
    with kept_off(cores), trial_runner(PiViete(repeats=10), cores, 3, SETTINGS) as runner:
        done = [measured(runner, Trial(threads, 40.0)) for threads in (1, 3)]
        pids = usage.below(os.getpid())
        worker_cores = sorted({core for pid in runner_pids(runner) for core in cores_of(pid)})
        driver_cores = sorted(cores_of(os.getpid()))
        runner.close()
        error = failing(SlotApplication(runner._spark, runner._workers), cores)
    # An executor ends by itself, a moment after its worker.
    ended = eventually(lambda: not any("worker" in command(pid).lower() for pid in pids))
    return {
        "threads": [trial.trial.threads for trial in done],
        "processed_rps": [trial.processed_rps for trial in done],
        "memory_share": [trial.memory_share for trial in done],
        "slot": cores.slot,
        "worker_cores": worker_cores,
        "driver_cores": driver_cores,
        "error": error,
        "ended": ended,
    }


def measured(runner: TrialRunner, trial: Trial) -> Measured:
    """One that saw something done, unlike one during which the machine stood still."""
    return eventually(lambda: found if (found := runner.run(trial)).processed_rps else None)


def runner_pids(runner: Any) -> tuple[int, ...]:
    return usage.below(runner._workers[0].pid)


def cores_of(pid: int) -> set[int]:
    """Those that it may use; none once it has ended."""
    try:
        return os.sched_getaffinity(pid)
    except ProcessLookupError:
        return set()


def failing(slots: SlotApplication, cores: Cores) -> str:
    """What the trial of a task that cannot be done ends with, on the same worker."""
    try:
        TrialRunner(Failing(), slots, cores.slot, SETTINGS).run(Trial(1, 1.0))
    except EngineError as error:
        return str(error)
    return ""


def command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


if __name__ == "__main__":
    print(json.dumps(main()))
