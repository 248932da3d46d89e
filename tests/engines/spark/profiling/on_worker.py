"""A driver of its own: trials on a worker, and what is left of it. Run by test_trials; prints one JSON document."""

import json
import os
from typing import Any

from penstock.core.trial import Trial
from penstock.engines.spark.profiling import usage
from penstock.engines.spark.profiling.cores import kept_off, split_cores
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.engines.spark.profiling.trials import trial_runner
from penstock.errors import EngineError
from penstock.workloads.tasks.pi_viete import PiViete
from tests.engines.spark.profiling.failing import Failing

SETTINGS = TrialSettings(length_s=1.5, warm_up_s=0.5)


def main() -> dict[str, Any]:
    cores = split_cores()
    with kept_off(cores):
        with trial_runner(PiViete(repeats=10), cores, 3, SETTINGS) as runner:
            done = [runner.run(Trial(threads, 40.0)) for threads in (1, 3)]
            pids = usage.below(os.getpid())
            worker_cores = sorted({core for pid in runner_pids(runner) for core in os.sched_getaffinity(pid)})
            driver_cores = sorted({core for pid in (os.getpid(),) for core in os.sched_getaffinity(pid)})
        error = failing(cores)
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


def failing(cores: Any) -> str:
    try:
        with trial_runner(Failing(), cores, 1, SETTINGS) as runner:
            runner.run(Trial(1, 1.0))
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
