"""An application that is to start again ends its queries for good, each between two batches of its own."""

from pathlib import Path
from threading import Thread

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.replan import end_between_batches
from tests.engines.spark.batches import Gate
from tests.engines.spark.helpers import quick, rates
from tests.patience import eventually, patience_s


def test_a_query_ends_after_the_batch_that_it_has_in_hand_and_no_other_waits_for_it(
    spark: SparkSession, name: str, tmp_path: Path
) -> None:
    gate = Gate()
    held = gate.held(rates(spark).writeStream.trigger(processingTime="200 milliseconds"), str(tmp_path / "checkpoint"))
    other = quick(spark).queryName(name).start()
    eventually(lambda: other.lastProgress)
    ending = Thread(target=end_between_batches, args=([held, other], patience_s()))
    ending.start()
    eventually(lambda: not other.isActive)
    assert [held.isActive, other.isActive] == [True, False]
    in_hand = gate.batch
    gate.let_go()
    ending.join(patience_s())
    assert not held.isActive
    assert (tmp_path / "checkpoint" / "commits" / str(in_hand)).exists()
