"""However often a bound changes, and with the driver killed right after a change, the counts are those of the twin."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from penstock.workloads.twins import ads
from tests.engines.spark.on_bounds import BOUNDS, OWN_BOUND
from tests.real_kafka import PARTITIONS
from tests.real_spark import WORKLOADS
from tests.workloads.sending import COUNT, sent

ROOT = Path(__file__).parents[3]
DIES = 4


def life(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = [str(ROOT), str(WORKLOADS), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    command = [sys.executable, "-m", "tests.engines.spark.on_bounds", str(place), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False)


def counted(place: Path) -> dict[tuple[str, int], int]:
    """The last count of each campaign and window, over all batches of both lives."""
    batches = [json.loads(path.read_text()) for path in sorted(place.glob("*.json"))]
    return {(campaign, window): count for batch in batches for campaign, window, count in batch}


def test_counts_equal_the_twins_though_bounds_change_with_every_batch_and_the_driver_is_killed(
    kafka: str, topic: str, tmp_path: Path
) -> None:
    made = sent(kafka, topic)
    first = life(tmp_path, kafka, topic, str(DIES))
    assert first.returncode == -signal.SIGKILL, first.stderr[-2000:]
    second = life(tmp_path, kafka, topic)
    assert second.returncode == 0, second.stderr[-2000:]
    sizes = {int(batch): rows for batch, rows in json.loads(second.stdout.splitlines()[-1]).items()}
    # The batch that was killed had the bound that batch 3 set, and is run so again; the one after it obeys it as it
    # set it again, not the query's own 500.
    taken = [sizes[batch] for batch in (DIES, DIES + 1, DIES + 2)]
    wanted = [BOUNDS[3], BOUNDS[0], BOUNDS[1]]
    assert OWN_BOUND not in taken
    assert all(want - PARTITIONS < rows <= want for rows, want in zip(taken, wanted, strict=True))
    assert sum(sizes.values()) < COUNT
    assert counted(tmp_path) == ads.campaigns([str(value) for _, value in made])
