"""The demo's four tenants: one in a hurry, one not, and two that want most of their rows through.

Payments, reports and clicks wait as I/O does: their tasks hold a slot and hardly a core. Models burns CPU. In the
middle the rows of clicks double. All together they want more than 10 of the 8 slots, and 14 in the spike.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.asked.slot_limits import SlotLimits
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.measured import measured
from penstock.workloads.paced import paced, paced_in_steps
from penstock.workloads.work import burning, waiting

SLOTS = 8
URGENT = "payments"
STARTED_AT_S = 0.5  # of a second of the clock


@dataclass(frozen=True, slots=True)
class Tenant:
    """One tenant: what it wants, how much comes, and what each row takes. Times in seconds, rates in rows a second."""

    name: str
    intent: Intent
    curve: tuple[tuple[float, float], ...]
    limits: SlotLimits
    wait_s: float = 0.0
    burn_s: float = 0.0
    tasks: int = 4  # of a batch: more of them are shorter, so that slots turn over
    trigger_s: float = 1.0
    bounded: bool = False  # a batch is at most a second's worth of rows

    def job(self, checkpoints: Path) -> Job:
        """As the engine runs it."""
        return Job(self.name, partial(_write, self, checkpoints), self.limits, slots=1)


def spike(base: float, factor: float, start_s: float, end_s: float) -> tuple[tuple[float, float], ...]:
    """`base` rows a second, `factor` times that between start and end."""
    steep_s = 0.2
    return (
        (0.0, base),
        (start_s, base),
        (start_s + steep_s, base * factor),
        (end_s, base * factor),
        (end_s + steep_s, base),
    )


def demo_tenants(start_s: float, end_s: float, target_s: float) -> Sequence[Tenant]:
    """The four, with the spike between these seconds, and the latency that the urgent one asks for."""
    hurried, relaxed = Intent(Latency(target_s, utility=40)), Intent(Latency("20s", utility=10))
    most, enough = Intent(Juice(0.6, utility=10)), Intent(Juice(0.8, utility=10))
    return (
        Tenant(URGENT, hurried, ((0.0, 200.0),), SlotLimits(1, 7), wait_s=0.02, tasks=15),
        Tenant("reports", relaxed, ((0.0, 140.0),), SlotLimits(1, 1), wait_s=0.02, tasks=48),
        Tenant(
            "clicks", most, spike(180.0, 2.0, start_s, end_s), SlotLimits(1, 2), wait_s=0.02, tasks=48, bounded=True
        ),
        Tenant("models", enough, ((0.0, 60.0),), SlotLimits(1, 1), burn_s=0.003, tasks=2, bounded=True),
    )


def _write(tenant: Tenant, checkpoints: Path, spark: SparkSession) -> DataStreamWriter:
    source = paced_in_steps if tenant.bounded else paced
    rows = measured(source(spark, tenant.curve, tenant.tasks), event_time="timestamp")
    if tenant.wait_s > 0:
        rows = waiting(rows, tenant.wait_s)
    if tenant.burn_s > 0:
        rows = burning(rows, tenant.burn_s)
    if not tenant.bounded:
        _await_part_of_second()
    writer = rows.writeStream.format("noop").trigger(processingTime=f"{tenant.trigger_s:g} seconds")
    return writer.option("checkpointLocation", str(checkpoints / tenant.name))


def _await_part_of_second() -> None:
    """So that rows are as old at a trigger in each trial, and not up to a second older by chance of the start.

    Spark's rate source gives rows out at whole seconds since its query started, triggers come at those of the clock.
    """
    time.sleep((STARTED_AT_S - time.time()) % 1.0)
