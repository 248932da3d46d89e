"""The cases: the tenants of `benchmarks/tenants.py`, four that burn CPU on two cores, and fleets of them.

Floats, costs, triggers, bounds and intents are those of the benchmarks. h is a batch's time on the driver.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchJob, MicroBatchStage, Slowness
from penstock.simulation.twins.twin import Twin

SECONDS = 120  # of a run, unless somebody wants it shorter
SLOTS = 8
NOISE = 0.1
DRIVER_NOISE = 0.3
WINDOW_S = 10.0
TASK_S = 0.005  # of a task, beside its rows
LAUNCH_S = 0.005
CORES = 2  # of the cases that burn them
# As recorded of `benchmarks/kafka_cpu.py` on two cores (Spark 4.3, warm code): a row takes 0.32 ms of a task's time on
# a core, and a quarter of that beside it (Kafka's client, the collector, the compiler); a batch 0.12 s on the driver,
# seen as 0.3 s where all want cores. So payments has 4.9 s under FAIR at 1.3, as it had on Spark (4.8 and 4.9 s).
ROW_CPU_S = 0.0004
READING_CPU_S, COUNTING_CPU_S = 0.01, 0.04
PLANNING_S, COMMIT_S = 0.08, 0.04
DRIVER_CPU_SHARE = 1.0
RATES = {"payments": 977, "reports": 510, "clicks": 1113, "models": 550}
# In an application that has only just started, rows take half as much again in the first batch that has many of them,
# a seventh more in the second, little more after that; before, each query's own start takes seconds (recorded, too).
COLD = (
    Slowness(0.0, tasks=2.7, driver=7.0),
    Slowness(8.0, tasks=1.5, driver=1.3),
    Slowness(11.0, tasks=1.15, driver=1.1),
    Slowness(20.0, tasks=1.07),
    Slowness(30.0),
)
# What a person would give at the median load, within eight slots.
BY_HAND = {"payments": 4, "reports": 2, "clicks": 1, "models": 1}


@dataclass(frozen=True, slots=True)
class Driver:
    """What a batch takes on the driver, in seconds: planning and commit together."""

    h_s: float = 0.15


def twins(seconds: int = SECONDS) -> Iterator[Twin]:
    """All of them, by names such as `constrained h=0.30`, `kafka 4 slots 1.3 cold`, `12 tenants`."""
    for h_s in (0.1, 0.15, 0.3, 0.5):
        yield _tenants(f"constrained h={h_s:.2f}", _flat(seconds, 200.0), _flat(seconds, 300.0), Driver(h_s))
    yield _tenants("spike", _spike(seconds, 100.0, 2.2), _flat(seconds, 200.0), Driver())
    yield _tenants("diurnal", _day(seconds, 60.0, 220.0), _flat(seconds, 160.0), Driver())
    yield _tenants("feasible", _flat(seconds, 170.0), _flat(seconds, 60.0), Driver())
    for slots in (2, 4):
        for load in (1.0, 1.3, 1.6):
            yield burning(slots, load, seconds)
        yield burning(slots, 1.3, seconds, cold=True)
    for many, slots in ((12, 24), (25, 48)):
        yield _fleet(f"{many} tenants", seconds, many, slots)


def twin_named(name: str, seconds: int = SECONDS) -> Twin:
    """The case of that name; `constrained` alone is the one with the driver's time of the others."""
    name = f"constrained h={Driver().h_s:.2f}" if name == "constrained" else name
    return next(twin for twin in twins(seconds) if twin.name == name)


def _tenants(name: str, payments: Floats, clicks: Floats, driver: Driver) -> Twin:
    """The four tenants of the benchmark on eight slots, which mostly wait; cores are not short."""
    seconds = len(payments)
    jobs = (
        _waiting("payments", payments, 0.018, driver, max_threads=7),
        _waiting("reports", _flat(seconds, 60.0), 0.02, driver, max_threads=4, trigger_s=2.0),
        _waiting("clicks", clicks, 0.02, driver, max_threads=4, max_rows_per_batch=round(float(clicks.max()))),
        _job("models", _flat(seconds, 40.0), MicroBatchStage("work", 2, 0.003, 0.0, TASK_S), driver, 2, bound=40),
    )
    return Twin(name, _cluster(SLOTS), jobs, _intents(), by_hand=BY_HAND)


def _cluster(slots: int) -> MicroBatchCluster:
    return MicroBatchCluster(slots, slots, noise=NOISE, driver_noise=DRIVER_NOISE, launch_s=LAUNCH_S, window_s=WINDOW_S)


def _intents() -> dict[str, Intent]:
    return {
        "payments": Intent(Latency("3s", utility=40)),
        "reports": Intent(Latency("20s", utility=10)),
        "clicks": Intent(Juice(0.8, utility=10)),
        "models": Intent(Juice(0.8, utility=10)),
    }


def _waiting(
    name: str,
    rates: Floats,
    row_s: float,
    driver: Driver,
    max_threads: int,
    trigger_s: float = 1.0,
    max_rows_per_batch: int | None = None,
) -> MicroBatchJob:
    stage = MicroBatchStage("work", 12, 0.0, row_s, TASK_S)
    return _job(name, rates, stage, driver, max_threads, trigger_s, max_rows_per_batch)


def _job(
    name: str,
    rates: Floats,
    stage: MicroBatchStage,
    driver: Driver,
    max_threads: int,
    trigger_s: float = 1.0,
    bound: int | None = None,
) -> MicroBatchJob:
    return MicroBatchJob(
        name=name,
        stages=(stage,),
        arrivals=rates,
        trigger_s=trigger_s,
        source_step_s=1.0,
        batch_overhead_s=0.7 * driver.h_s,
        commit_s=0.3 * driver.h_s,
        max_rows_per_batch=bound,
        max_threads=max_threads,
    )


def burning(slots: int, load: float, seconds: int = SECONDS, *, cold: bool = False) -> Twin:
    """Four tenants of Kafka that burn CPU, together so much of two cores; batches as large as what waits.

    `cold`: their application has only just started.
    """
    reading = _work("work", ROW_CPU_S, READING_CPU_S)
    counting = _work("count", 0.0, COUNTING_CPU_S)
    kinds = {"payments": (0.0, (reading,)), "reports": (2.0, (reading, counting)), "clicks": (0.0, (reading,))}
    kinds["models"] = (1.0, (reading, counting))
    jobs = tuple(
        MicroBatchJob(
            name=job,
            stages=stages,
            arrivals=_flat(seconds, round(load * RATES[job])),
            trigger_s=trigger_s,
            batch_overhead_s=PLANNING_S,
            commit_s=COMMIT_S,
            driver_cpu_share=DRIVER_CPU_SHARE,
            cuttable=True,
        )
        for job, (trigger_s, stages) in kinds.items()
    )
    intents = {
        "payments": Intent(Latency("4s", utility=40)),
        "reports": Intent(Latency("10s", utility=10)),
        "clicks": Intent(Juice(0.8, utility=10)),
        "models": Intent(Latency("20s", utility=10)),
    }
    cluster = MicroBatchCluster(
        slots, CORES, noise=NOISE, driver_noise=DRIVER_NOISE, slowness=COLD if cold else (), window_s=WINDOW_S
    )
    name = f"kafka {slots} slots {load:.1f}" + (" cold" if cold else "")
    return Twin(name, cluster, jobs, intents, seconds, by_hand={"payments": slots})


def _work(name: str, row_cpu_s: float, task_cpu_s: float) -> MicroBatchStage:
    return MicroBatchStage(name, 4, row_cpu_s, 0.0, task_overhead_s=TASK_S, task_cpu_s=task_cpu_s)


def _fleet(name: str, seconds: int, many: int, slots: int) -> Twin:
    """So many tenants of the benchmark's four kinds at rates of their own, which want four thirds of the slots."""
    kinds = _tenants("", _flat(seconds, 100.0), _flat(seconds, 150.0), Driver())
    random = np.random.default_rng(many)
    jobs, intents = [], {}
    for number in range(many):
        kind = kinds.jobs[number % len(kinds.jobs)]
        job = f"{kind.name}-{number:02d}"
        jobs.append(_scaled(kind, job, float(random.uniform(0.6, 1.4))))
        intents[job] = kinds.intents[kind.name]
    wanted = sum(_slots_of(job) for job in jobs)
    factor = 4 / 3 * slots / wanted
    cluster = _cluster(slots)
    return Twin(name, cluster, tuple(_scaled(job, job.name, factor) for job in jobs), intents, seconds)


def _scaled(job: MicroBatchJob, name: str, factor: float) -> MicroBatchJob:
    bound = job.max_rows_per_batch
    arrivals = np.round(job.arrivals * factor)
    return replace(job, name=name, arrivals=arrivals, max_rows_per_batch=None if bound is None else int(arrivals.max()))


def _slots_of(job: MicroBatchJob) -> float:
    """The slots that it wants for its rows."""
    return float(job.arrivals.mean()) * sum(stage.cpu_s_per_row + stage.wait_s_per_row for stage in job.stages)


def _flat(seconds: int, rate: float) -> Floats:
    return np.full(seconds, float(rate))


def _spike(seconds: int, base: float, factor: float) -> Floats:
    """The factor over the second third."""
    rates = _flat(seconds, base)
    rates[seconds // 3 : 2 * seconds // 3] *= factor
    return rates


def _day(seconds: int, low: float, high: float) -> Floats:
    """A day of the web in a run: one long wave."""
    middle, swing = (high + low) / 2, (high - low) / 2
    return np.array([middle - swing * math.cos(2 * math.pi * (n + 0.5) / seconds) for n in range(seconds)])
