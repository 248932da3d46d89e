"""Four tenants of one application that burn the cores, each on a Kafka topic of its own, as nobody has tuned them.

One is in a hurry (40 of 70 utility). All do the same to a row: parse it and hash it 1,500 times in Spark SQL, a
millisecond or two of a core; two then count by key. Batches have no bound, and half of the tenants no trigger.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.engines.spark.jobs.job import Job
from penstock.governing.comparison import Tenants

PARTITIONS = 4  # of each topic
HASHES = 1500  # of a row: with fewer, what a batch costs beside its rows would be most of the work
_SHORT = 8  # tasks of a batch for each slot, where they are cut by hand
SCHEMA = "id LONG, key STRING"
URGENT = "payments"


@dataclass(frozen=True, slots=True)
class CpuTenant:
    """One of the four: what it wants, how often its batches begin (None: as soon as the last one ended)."""

    name: str
    intent: Intent
    trigger: str | None = None
    counted: bool = False  # by key, behind a shuffle

    @property
    def topic(self) -> str:
        """Where its rows arrive."""
        return self.name

    @property
    def full_topic(self) -> str:
        """Where more rows wait than it can do while it is calibrated."""
        return f"{self.name}-full"


TENANTS = (
    CpuTenant(URGENT, Intent(Latency("4s", utility=40))),
    CpuTenant("reports", Intent(Latency("10s", utility=10)), trigger="2 seconds", counted=True),
    CpuTenant("clicks", Intent(Juice(0.8, utility=10))),
    CpuTenant("models", Intent(Latency("20s", utility=10)), trigger="1 second", counted=True),
)
INTENTS = {tenant.name: tenant.intent for tenant in TENANTS}
MAX_UTILITY = sum(intent.max_utility for intent in INTENTS.values())


@dataclass(frozen=True, slots=True)
class Fixed:
    """What a person may set by hand: slots for the urgent tenant, and how much a batch of the others may hold.

    `bound_s` is in seconds' worth of a tenant's rows; None leaves batches as they are. `tasks`: into how many, at the
    least, the others' sources cut a batch; None: as many as there are partitions.
    """

    name: str
    urgent_slots: int = 1
    bound_s: float | None = None
    tasks: int | None = None


def by_hand(slots: int) -> Mapping[str, Fixed]:
    """What a person would try: all the slots for the one in a hurry, short batches for the others, or short tasks."""
    tried = (
        Fixed("shares by hand", slots),
        Fixed("bounds by hand", 1, 2.0),
        Fixed("tasks by hand", slots, tasks=_SHORT * slots),
    )
    return {fixed.name: fixed for fixed in tried}


def grid(slots: int) -> Mapping[str, Fixed]:
    """Shares by bounds: equal, half and most of the slots for the urgent tenant, as far as there are so many.

    >>> list(grid(2))[:5]
    ['slots 1 no bound', 'slots 1 bound 1 s', 'slots 1 bound 2 s', 'slots 1 bound 3 s', 'slots 2 no bound']
    """
    shares = sorted({1, min(slots, len(TENANTS) - 1), slots})
    bounds = (None, 1.0, 2.0, 3.0)
    made = [Fixed(_grid_name(share, bound_s), share, bound_s) for share in shares for bound_s in bounds]
    return {fixed.name: fixed for fixed in made}


def _grid_name(share: int, bound_s: float | None) -> str:
    return f"slots {share} {'no bound' if bound_s is None else f'bound {bound_s:g} s'}"


def tenants_of(bootstrap: str, rates: Mapping[str, float], fixed: Fixed | None) -> Tenants:
    """The four, reading from now on; set by hand where `fixed` says how, else as they come."""

    def jobs(place: Path) -> Sequence[Job]:
        return [_job(tenant, bootstrap, rates[tenant.name], fixed, place) for tenant in TENANTS]

    return Tenants(jobs, INTENTS)


def full_tenants(bootstrap: str, rows: int) -> Tenants:
    """The four with more work than they can do, in batches of so many rows."""

    def jobs(place: Path) -> Sequence[Job]:
        return [
            Job(
                tenant.name,
                partial(_query, tenant, bootstrap, tenant.full_topic, "earliest", place),
                max_rows_per_batch=rows,
            )
            for tenant in TENANTS
        ]

    return Tenants(jobs, INTENTS)


def _job(tenant: CpuTenant, bootstrap: str, rate_rps: float, fixed: Fixed | None, place: Path) -> Job:
    function = partial(_query, tenant, bootstrap, tenant.topic, "latest", place)
    if fixed is None:
        return Job(tenant.name, function)
    if tenant.name == URGENT:
        return Job(tenant.name, function, slots=fixed.urgent_slots)
    function = partial(_query, tenant, bootstrap, tenant.topic, "latest", place, tasks=fixed.tasks)
    bound = None if fixed.bound_s is None else max(1, round(fixed.bound_s * rate_rps))
    return Job(tenant.name, function, slots=1, max_rows_per_batch=bound)


def _query(
    tenant: CpuTenant,
    bootstrap: str,
    topic: str,
    begin: str,
    place: Path,
    spark: SparkSession,
    tasks: int | None = None,
) -> DataStreamWriter:
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("subscribe", topic)
    if tasks is not None:
        source = source.option("minPartitions", tasks)
    rows = _worked(source.option("startingOffsets", begin).load())
    if tenant.counted:
        rows = rows.groupBy("key").agg(functions.count("*").alias("rows"), functions.max("digest").alias("last"))
    writer = rows.writeStream.format("noop").outputMode("update").option("checkpointLocation", str(place / tenant.name))
    return writer if tenant.trigger is None else writer.trigger(processingTime=tenant.trigger)


def _worked(rows: DataFrame) -> DataFrame:
    parsed = rows.select(functions.from_json(rows["value"].cast("string"), SCHEMA).alias("row")).select("row.*")
    hashed = f"aggregate(sequence(1, {HASHES}), concat(key, id), (made, n) -> sha2(made, 256))"
    return parsed.select("key", functions.expr(hashed).alias("digest"))
