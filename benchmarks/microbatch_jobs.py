"""How the cost of the micro-batch simulator grows with the number of jobs: run it, it prints a table.

Each job has 3 stages of 8 tasks and a trigger of 1 s; one simulated hour, governed every 10 s.
"""

import time

import numpy as np

from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchEngine, MicroBatchJob, MicroBatchStage

HOUR_S = 3600
JOBS = (1, 2, 4, 8, 16)


def engine_of(jobs: int) -> MicroBatchEngine:
    """`jobs` equal jobs on as many slots; together they want about half of them."""
    stages = tuple(MicroBatchStage(name, 8, cpu_s_per_row=0.001, task_overhead_s=0.005) for name in "abc")
    arrivals = np.full(HOUR_S, 100.0)
    cluster = MicroBatchCluster(slots=jobs, cores=jobs, machines=min(jobs, 4), noise=0.2, seed=1)
    return MicroBatchEngine(cluster, [MicroBatchJob(f"job-{index}", stages, arrivals) for index in range(jobs)])


def seconds_for(jobs: int) -> float:
    """The CPU time of one simulated hour, whatever else this machine does."""
    engine = engine_of(jobs)
    began = time.process_time()
    for now in range(0, HOUR_S + 1, 10):
        engine.observe(float(now))
    return time.process_time() - began


def main() -> None:
    """Print one line for each number of jobs."""
    print("jobs  CPU s for 1 h  microseconds a task")
    for jobs in JOBS:
        spent = seconds_for(jobs)
        print(f"{jobs:4d}  {spent:13.2f}  {spent / (jobs * HOUR_S * 24) * 1e6:19.1f}")


if __name__ == "__main__":
    main()
