"""Two lines in somebody's driver, on a real application: shares are set while a query is governed, and stay."""

from contextlib import closing
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import penstock as ps
from penstock.engines.spark.application.lock import KEY
from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.jvm.pools import FairPools
from penstock.errors import LeaseLostError
from penstock.store.open import open_store
from tests.engines.spark.helpers import quick
from tests.governing.to_two import INTENT, ToTwo
from tests.patience import eventually


@pytest.mark.contract
def test_a_query_is_governed_recorded_and_runs_on_with_its_share_when_another_controller_takes_over(
    spark: SparkSession, name: str, tmp_path: Path
) -> None:
    place, run_id = tmp_path / "runs.sqlite", spark.sparkContext.applicationId
    properties = spark.sparkContext._jvm.java.lang.System.getProperties()  # type: ignore[union-attr]
    with ps.govern(spark, {name: INTENT}, ToTwo(), store=place, interval=0.2, limits={name: (1, 4)}) as g:
        query = quick(spark).queryName(name).start()
        eventually(lambda: FairPools(spark.sparkContext).share(name) == PoolShare(2, 2) or None)
        eventually(lambda: g.snapshot().jobs[0].juice is not None or None)
        properties.put(f"{KEY}.{run_id}", "another@9999999999.0")
        try:
            eventually(lambda: g.error)
        finally:
            properties.remove(f"{KEY}.{run_id}")
        g.wait()
    assert isinstance(g.error, LeaseLostError)
    assert query.isActive
    assert FairPools(spark.sparkContext).share(name) == PoolShare(2, 2)
    query.stop()
    with closing(open_store(place, create=False)) as store:
        assert [job.name for job in store.read_run(run_id).jobs] == [name]
