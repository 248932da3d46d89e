"""What the machine can do: rows a second of each tenant while all of them have more than they can do."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from cpu_tenants import TENANTS, full_tenants
from pyspark.sql import SparkSession
from trial_meter import Meter, done_rps

from penstock.engines.spark.jobs import start_query
from penstock.engines.spark.progress import Batch

CALIBRATION_ROWS = 300  # of a batch: half a second of a core, as batches of a second or two have it
FULL_ROWS_A_CORE = 20_000  # that wait for each tenant
_PATIENCE = 4.0  # times as long as is asked for, where a busy machine ends no three batches of each sooner
_LOOK_EVERY_S = 1.0

Batches = Mapping[str, Sequence[Batch]]


def calibrated(spark: SparkSession, bootstrap: str, warm_s: float, over_s: float) -> dict[str, float] | None:
    """Rows a second by tenant, after so long, over so long or longer; None where the machine is too busy to tell."""
    _fill(bootstrap)
    started_s = time.time()
    with (
        tempfile.TemporaryDirectory(prefix="penstock-bench-", ignore_cleanup_errors=True) as place,
        Meter(spark) as meter,
    ):
        queries = [start_query(spark, job) for job in full_tenants(bootstrap, CALIBRATION_ROWS).jobs(Path(place))]
        found: dict[str, float] | None = None
        while found is None and time.time() < started_s + warm_s + _PATIENCE * over_s:
            time.sleep(_LOOK_EVERY_S)
            meter.look()
            if time.time() >= started_s + warm_s + over_s:
                found = rates_since(meter.measured.batches, started_s + warm_s)
        for query in queries:
            query.stop()
    return found


def rates_since(batches: Batches, from_s: float) -> dict[str, float] | None:
    """Rows a second of each tenant since then; None before all have ended three batches."""
    late = {name: [batch for batch in ended if batch.committed_s >= from_s] for name, ended in batches.items()}
    if any(batch.rows < CALIBRATION_ROWS for ended in late.values() for batch in ended):
        raise SystemExit("a tenant had no more rows to be calibrated with; raise FULL_ROWS_A_CORE")
    rates = {tenant.name: done_rps(late.get(tenant.name, ())) for tenant in TENANTS}
    known = {name: rate for name, rate in rates.items() if rate is not None}
    return known if len(known) == len(TENANTS) else None


def load_command(bootstrap: str, rates: Mapping[str, float]) -> list[str]:
    """The generator's command: rows a second by topic."""
    pairs = [f"{topic}={rate:g}" for topic, rate in rates.items()]
    return [sys.executable, str(Path(__file__).with_name("cpu_load.py")), "--bootstrap", bootstrap, *pairs]


def _fill(bootstrap: str) -> None:
    rows = FULL_ROWS_A_CORE * (os.cpu_count() or 1)
    subprocess.run([*load_command(bootstrap, {tenant.full_topic: rows for tenant in TENANTS}), "--at-once"], check=True)
