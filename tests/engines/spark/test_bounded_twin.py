"""However often a bound changes, and with the driver killed right after a change, the counts are those of the twin."""

import json
import signal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.drivers import ran
from tests.engines.spark.on_bounds import BOUNDS, OWN_BOUND, lived
from tests.real_kafka import PARTITIONS
from tests.workloads.sending import COUNT, sent
from tests.workloads.twins import ads

DIES = 4


def counted(place: Path) -> dict[tuple[str, int], int]:
    """The last count of each campaign and window, over all batches of both lives."""
    batches = [json.loads(path.read_text()) for path in sorted(place.glob("*.json"))]
    return {(campaign, window): count for batch in batches for campaign, window, count in batch}


@pytest.mark.long  # test_batch_bound has a restart, test_replan counts behind bounds that change, test_kills a kill
def test_counts_equal_the_twins_though_bounds_change_with_every_batch_and_the_driver_is_killed(
    spark: SparkSession, kafka: str, topic: str, tmp_path: Path
) -> None:
    made = sent(kafka, topic)
    first = ran("tests.engines.spark.on_bounds", tmp_path, kafka, topic, DIES)
    assert first.returncode == -signal.SIGKILL, first.stderr[-2000:]
    # The life after it, on what it left, is one of the session that is there already.
    sizes = lived(spark, tmp_path, kafka, topic)
    # The batch that was killed had the bound that batch 3 set, and is run so again; the one after it obeys it as it
    # set it again, not the query's own 500.
    taken = [sizes[batch] for batch in (DIES, DIES + 1, DIES + 2)]
    wanted = [BOUNDS[3], BOUNDS[0], BOUNDS[1]]
    assert OWN_BOUND not in taken
    assert all(want - PARTITIONS < rows <= want for rows, want in zip(taken, wanted, strict=True))
    assert sum(sizes.values()) < COUNT
    assert counted(tmp_path) == ads.campaigns([str(value) for _, value in made])
