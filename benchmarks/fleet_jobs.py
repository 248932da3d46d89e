"""The query of each application of `fleet_of_eight`: rows that wait, as I/O does, at a pace of their own."""

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.intents import Intent, Juice
from penstock.core.slot_limits import SlotLimits
from penstock.governing.demo_tenants import Tenant

WAIT_S = 0.018  # of each row: a slot processes 55 a second


def waiting(
    spark: SparkSession, name: str, curve: Sequence[Sequence[float]], place: str
) -> DataStreamWriter | StreamingQuery:
    """Rows a second by time, as `curve` has it; checkpoints below that place."""
    points = tuple((at_s, rate) for at_s, rate in curve)
    anything = Intent(Juice(1.0))  # what is wanted of it the tenants file says
    tenant = Tenant(name, anything, points, SlotLimits(), wait_s=WAIT_S, tasks=12, trigger_s=2.0)
    job = tenant.job(Path(place))
    assert job.function is not None
    return job.function(spark)
