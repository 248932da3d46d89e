"""A driver of your own with typed settings: two queries under the default policy; it prints each decision.

spark-submit examples/driver.py
"""

from pyspark.sql import SparkSession

import penstock as ps

INTENTS = {
    "fast": ps.Intent(ps.Latency("2s", percentile=95, utility=40)),
    "slow": ps.Intent(ps.Latency("1m", utility=10)),
}


def policy() -> ps.Policy:
    """The default one with settings: of a part as a value, or by name."""
    return ps.policy_named("penstock", {"henge": ps.HengeSettings(reduction=0.7), "arbiter": {"least_gain": 0.02}})


def told(decision: ps.Decision) -> str:
    """What is changed, and what for.

    >>> moves = (ps.Slots("fast", before=2, after=4),)
    >>> told(ps.Decision(ps.Reason.RECONFIGURED, moves, "fast misses its latency", 10.0, 30.0, 50.0))
    'fast weight 2 -> 4: fast misses its latency; utility 30 -> 50'
    """
    changes = ", ".join(f"{move.job} {move.text}" for move in decision.moves)
    expected = "unknown" if decision.expected_utility is None else f"{decision.expected_utility:.0f}"
    return f"{changes}: {decision.why}; utility {decision.utility_before:.0f} -> {expected}"


def main() -> None:
    """Two queries that generate rows, for a minute."""
    spark = SparkSession.builder.master("local[4]").config("spark.scheduler.mode", "FAIR").getOrCreate()
    with ps.govern(spark, INTENTS, policy=policy(), limits={"slow": (1, 3)}, interval="2s", window="20s") as governed:
        for name, rows in (("fast", 200), ("slow", 2000)):
            stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows).load()
            stream.writeStream.format("noop").queryName(name).trigger(processingTime="1 second").start()
        spark.streams.awaitAnyTermination(60)
    for record in governed.decisions:
        print(told(record.decision))


if __name__ == "__main__":
    main()
