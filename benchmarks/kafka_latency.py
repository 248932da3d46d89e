"""Latency on real Kafka: what penstock says inside against what an independent reader of the topics sees.

    python benchmarks/kafka_latency.py [--seconds 60] [--rate 1000]

Writes a Markdown table. Latency is from producing a row to appending its result to the output topic.
"""

import argparse
import signal

from kafka_trial import Seen, Trial, machine, run
from own_broker import own_broker

from penstock.engines.spark.launch.application import start_application

PERCENTILES = (50.0, 95.0, 99.0)


def cases(rate: float, seconds: int) -> dict[str, Trial]:
    """What is measured."""
    third = seconds // 3
    spike = ("--spike", f"4,{third}s,{2 * third}s")
    bound = round(rate * 1.5)  # of a batch and a second: the spike piles up
    return {
        "stateless, from batch times": Trial("stateless", rate, seconds),
        "stateless, row by row": Trial("stateless", rate, seconds, row_by_row=True),
        "count, from batch times": Trial("count", rate, seconds, trigger="1 second"),
        "count, row by row": Trial("count", rate, seconds, trigger="1 second", row_by_row=True),
        "stateless, spike x4 with a backlog, from batch times": Trial(
            "stateless", rate, seconds, trigger="1 second", options=spike, max_rows_per_batch=bound
        ),
    }


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=float, default=1000.0)
    options = parser.parse_args()
    spark = start_application("latency", "local[4]", {"spark.sql.shuffle.partitions": 2}, kafka=True)
    with own_broker() as broker:
        run(spark, broker.bootstrap, Trial("stateless", 100.0, 15, skip_s=5.0))  # warm
        print(f"{machine()}, local[4], {options.rate:g} rows/s for {options.seconds} s.\n")
        print("| case | penstock says p50, p95, p99 (s) | a reader sees | arrivals/s said | rows | lost | doubled |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for name, trial in cases(options.rate, options.seconds).items():
            print(_row(name, run(spark, broker.bootstrap, trial)), flush=True)
    spark.stop()


def _row(name: str, seen: Seen) -> str:
    said = seen.figures.latency
    inside = "nothing" if said is None else ", ".join(f"{said.at(percentile) or 0.0:.2f}" for percentile in PERCENTILES)
    outside = ", ".join(f"{seen.at(percentile):.2f}" for percentile in PERCENTILES)
    found = seen.observed
    arrivals = seen.figures.arrival_rps
    rate = "none" if arrivals is None else f"{arrivals:.0f}"
    return f"| {name} | {inside} | {outside} | {rate} | {found.rows} | {found.uncovered} | {found.beyond} |"


if __name__ == "__main__":
    main()
