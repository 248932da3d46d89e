"""The demo's four tenants: one in a hurry, one not, and two that want most of their rows through.

Payments, reports and clicks wait as I/O does: their tasks hold a slot and hardly a core. Models burns CPU. From the
eighth second on payments and clicks get two and a half times their rows, and together want 13 of the 8 slots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.intents import Intent, Juice, Latency
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.measured import measured
from penstock.engines.spark.shares import SlotLimits
from penstock.workloads.paced import paced
from penstock.workloads.work import burning, waiting

SLOTS = 8


@dataclass(frozen=True, slots=True)
class Tenant:
    """One tenant: what it wants, how much comes, and what each row takes. Times in seconds, rates in rows a second."""

    name: str
    intent: Intent
    curve: tuple[tuple[float, float], ...]
    wait_s: float = 0.0
    burn_s: float = 0.0
    tasks: int = 4  # of a batch: more of them are shorter, so that slots turn over
    trigger_s: float = 1.0

    def job(self, checkpoints: Path) -> Job:
        """As the engine runs it."""
        return Job(self.name, partial(_write, self, checkpoints), SlotLimits(1, SLOTS - 1))


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


def demo_tenants(start_s: float, end_s: float) -> Sequence[Tenant]:
    """The four, with the spike between these seconds."""
    return (
        Tenant(
            "payments",
            Intent(Latency("3s", utility=40)),
            spike(80.0, 3.0, start_s, end_s),
            wait_s=0.02,
            tasks=8,
        ),
        Tenant("reports", Intent(Latency("15s", utility=10)), ((0.0, 90.0),), wait_s=0.02, tasks=12, trigger_s=2.0),
        Tenant(
            "clicks",
            Intent(Juice(0.9, utility=10)),
            spike(140.0, 2.5, start_s, end_s),
            wait_s=0.02,
            tasks=24,
            trigger_s=2.0,
        ),
        Tenant("models", Intent(Juice(0.8, utility=10)), ((0.0, 60.0),), burn_s=0.004, tasks=2),
    )


def _write(tenant: Tenant, checkpoints: Path, spark: SparkSession) -> DataStreamWriter:
    rows = measured(paced(spark, tenant.curve, tenant.tasks), event_time="timestamp")
    if tenant.wait_s > 0:
        rows = waiting(rows, tenant.wait_s)
    if tenant.burn_s > 0:
        rows = burning(rows, tenant.burn_s)
    writer = rows.writeStream.format("noop").trigger(processingTime=f"{tenant.trigger_s:g} seconds")
    return writer.option("checkpointLocation", str(checkpoints / tenant.name))
