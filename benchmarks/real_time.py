"""Real-time mode against micro-batches on real Kafka: latency end to end as an independent reader sees it.

    python benchmarks/real_time.py [--seconds 60] [--rate 500]

Writes a Markdown table. Latency is from producing a row to appending its result to the output topic; beside it stands
what penstock says inside.
"""

import argparse
import os

from kafka_trial import Seen, Trial, machine, own_broker, run

from penstock.engines.spark.modes import RealTime
from penstock.governing.application import start_application

BATCH_S = 15.0  # of real-time mode: how often offsets and state are kept
TRIGGER = "500 milliseconds"
HEADER = (
    "| job | mode | p50 (s) | p99 (s) | penstock says p50, p99 (s) | rows | lost | doubled | load average before |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=float, default=500.0)
    options = parser.parse_args()
    spark = start_application("real-time", "local[6]", {"spark.sql.shuffle.partitions": 2}, kafka=True)
    modes = {f"micro-batch, {TRIGGER}": None, f"real-time, batches of {BATCH_S:g} s": RealTime(BATCH_S)}
    print(f"{machine()}, local[6], {options.rate:g} rows/s for {options.seconds} s.\n")
    with own_broker() as bootstrap:
        print(HEADER, flush=True)
        for kind in ("stateless", "count"):
            for mode, real_time in modes.items():
                before = f"{os.getloadavg()[0]:.0f}"
                trial = Trial(kind, options.rate, options.seconds, trigger=TRIGGER, real_time=real_time)
                seen = run(spark, bootstrap, trial)
                found = seen.observed
                print(
                    f"| {kind} | {mode} | {seen.at(50):.3f} | {seen.at(99):.3f} | {_said(seen)} | {found.rows} "
                    f"| {found.uncovered} | {found.beyond} | {before} |",
                    flush=True,
                )
    spark.stop()


def _said(seen: Seen) -> str:
    said = seen.figures.latency
    return "nothing" if said is None else ", ".join(f"{said.at(percentile) or 0.0:.3f}" for percentile in (50.0, 99.0))


if __name__ == "__main__":
    main()
