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

from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.watch.progress import Batch

CALIBRATION_ROWS = 1200  # of a batch: what overload brings to one; in smaller ones a row costs up to twice as much
FULL_ROWS_A_CORE = 200_000  # that wait for each tenant
_STRETCHES = 5  # at the most
_RISES_NO_MORE = 1.05

Batches = Mapping[str, Sequence[Batch]]


def calibrated(spark: SparkSession, bootstrap: str, warm_s: float, over_s: float) -> dict[str, float] | None:
    """Rows a second by tenant once they rise no more; None where the machine is too busy to tell.

    Cold code is two to four times as dear as warm code: after `warm_s` the rates of one stretch of `over_s` are held
    against those of the stretch before. A tenant whose turn comes seldom, on few slots, ends too few batches in one
    stretch; then the later half of them counts as one.
    """
    _fill(bootstrap)
    full = full_tenants(bootstrap, CALIBRATION_ROWS)
    with tempfile.TemporaryDirectory(prefix="penstock-", ignore_cleanup_errors=True) as place, Meter(spark) as meter:
        queries = [start_query(spark, job) for job in full.jobs(Path(place))]
        first_s = time.time() + warm_s
        stretches: list[dict[str, float] | None] = []
        while len(stretches) < _STRETCHES and not steady(stretches):
            time.sleep(max(0.0, first_s + over_s * (len(stretches) + 1) - time.time()))
            meter.look()
            from_s = first_s + over_s * len(stretches)
            stretches.append(rates_between(meter.measured.batches, from_s, from_s + over_s))
        if stretches[-1] is None:
            late_s = first_s + over_s * (len(stretches) // 2)
            stretches.append(rates_between(meter.measured.batches, late_s, time.time()))
        for query in queries:
            query.stop()
    return stretches[-1]


def steady(stretches: Sequence[Mapping[str, float] | None]) -> bool:
    """Whether the last stretch was hardly better than the one before.

    >>> steady([{"a": 50.0}, {"a": 90.0}]), steady([{"a": 50.0}, {"a": 90.0}, {"a": 92.0}])
    (False, True)
    """
    before, last = (None, None, *stretches)[-2:]
    return before is not None and last is not None and sum(last.values()) <= _RISES_NO_MORE * sum(before.values())


def rates_between(batches: Batches, from_s: float, to_s: float) -> dict[str, float] | None:
    """Rows a second of each tenant in that time; None where one of them ended fewer than three batches."""
    ended = {name: [one for one in all_ if from_s <= one.committed_s < to_s] for name, all_ in batches.items()}
    if any(batch.rows < CALIBRATION_ROWS for some in ended.values() for batch in some):
        raise SystemExit("a tenant had no more rows to be calibrated with; raise FULL_ROWS_A_CORE")
    rates = {tenant.name: done_rps(ended.get(tenant.name, ())) for tenant in TENANTS}
    known = {name: rate for name, rate in rates.items() if rate is not None}
    return known if len(known) == len(TENANTS) else None


def load_command(bootstrap: str, rates: Mapping[str, float]) -> list[str]:
    """The generator's command: rows a second by topic."""
    pairs = [f"{topic}={rate:g}" for topic, rate in rates.items()]
    return [sys.executable, str(Path(__file__).with_name("cpu_load.py")), "--bootstrap", bootstrap, *pairs]


def _fill(bootstrap: str) -> None:
    rows = FULL_ROWS_A_CORE * (os.cpu_count() or 1)
    subprocess.run([*load_command(bootstrap, {tenant.full_topic: rows for tenant in TENANTS}), "--at-once"], check=True)
