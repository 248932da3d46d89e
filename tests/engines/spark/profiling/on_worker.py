"""A driver of its own: trials on a worker, and what is left of it. Run by test_trials; prints one JSON document."""

import json
import os
from typing import Any

from penstock.core.trial import Trial
from penstock.engines.spark.profiling import usage
from penstock.engines.spark.profiling.application import SlotApplication
from penstock.engines.spark.profiling.cores import Cores, kept_off, split_cores
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.engines.spark.profiling.trials import TrialRunner, trial_runner
from penstock.errors import EngineError
from penstock.workloads.tasks.pi_viete import PiViete
from tests.engines.spark.profiling.failing import Failing

SETTINGS = TrialSettings(length_s=1.5, warm_up_s=0.5)


def main() -> dict[str, Any]:
    cores = split_cores()
    with kept_off(cores), trial_runner(PiViete(repeats=10), cores, 3, SETTINGS) as runner:
        done = [runner.run(Trial(threads, 40.0)) for threads in (1, 3)]
        pids = usage.below(os.getpid())
        worker_cores = sorted({core for pid in runner_pids(runner) for core in os.sched_getaffinity(pid)})
        driver_cores = sorted({core for pid in (os.getpid(),) for core in os.sched_getaffinity(pid)})
        runner.close()
        error = failing(SlotApplication(runner._spark, runner._workers), cores)
    left = sum(usage.cpu((pid,)).processes for pid in pids if "worker" in command(pid).lower())
    return {
        "threads": [measured.trial.threads for measured in done],
        "processed_rps": [measured.processed_rps for measured in done],
        "memory_share": [measured.memory_share for measured in done],
        "slot": cores.slot,
        "worker_cores": worker_cores,
        "driver_cores": driver_cores,
        "error": error,
        "left": left,
    }


def runner_pids(runner: Any) -> tuple[int, ...]:
    return usage.below(runner._workers[0].pid)


def failing(application: SlotApplication, cores: Cores) -> str:
    """What the trial of a task that cannot be done ends with, on the same worker."""
    try:
        TrialRunner(Failing(), application, cores.slot, SETTINGS).run(Trial(1, 1.0))
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
