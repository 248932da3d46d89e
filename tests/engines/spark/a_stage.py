"""A stage that ended, as it was read."""

from penstock.engines.spark.watch.stages import StageReading

STAGE = StageReading(
    stage_id=7,
    run_id="run",
    batch_id=3,
    pool="ads",
    tasks=4,
    busy_s=2.0,
    cpu_s=1.5,
    rows_in=100,
    rows_out=10,
    shuffle_local_bytes=0,
    shuffle_remote_bytes=0,
    complete=True,
    submitted_s=100.2,
    completed_s=100.9,
)
