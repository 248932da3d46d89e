"""Real-time mode against micro-batches on real Kafka: latency end to end as an independent reader sees it.

    python benchmarks/real_time.py [--seconds 60] [--rate 500]

Writes a Markdown table. Latency is from producing a row to appending its result to the output topic; beside it stands
what penstock says inside.
"""

import argparse
import os
import signal

from kafka_trial import Seen, Trial, machine, run
from own_broker import own_broker

from penstock.core.asked.real_time import RealTime
from penstock.engines.spark.launch.application import start_application

BATCH_S = 15.0  # of real-time mode: how often offsets and state are kept
TRIGGER = "500 milliseconds"
MODES = {"micro-batch": None, "real-time": RealTime(BATCH_S)}
HEADER = (
    "| job | mode | p50 (s) | p99 (s) | penstock says p50, p99 (s) | rows | lost | doubled | load average before |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=float, default=500.0)
    parser.add_argument("--jobs", default="stateless,count")
    parser.add_argument("--modes", default=",".join(MODES))
    options = parser.parse_args()
    spark = start_application("real-time", "local[6]", {"spark.sql.shuffle.partitions": 2}, kafka=True)
    print(f"{machine()}, local[6], {options.rate:g} rows/s for {options.seconds} s.\n")
    with own_broker() as broker:
        run(spark, broker.bootstrap, Trial("stateless", 100.0, 15, skip_s=5.0))  # warm
        print(HEADER, flush=True)
        for kind in options.jobs.split(","):
            for mode in options.modes.split(","):
                load = round(os.getloadavg()[0])
                trial = Trial(kind, options.rate, options.seconds, trigger=TRIGGER, real_time=MODES[mode])
                print(_row(f"{kind} | {mode}", run(spark, broker.bootstrap, trial), load), flush=True)
    spark.stop()


def _row(name: str, seen: Seen, load: int) -> str:
    found = seen.observed
    counted = f"{found.rows} | {found.uncovered} | {found.beyond}"
    return f"| {name} | {seen.at(50):.3f} | {seen.at(99):.3f} | {_said(seen)} | {counted} | {load} |"


def _said(seen: Seen) -> str:
    said = seen.figures.latency
    return "nothing" if said is None else ", ".join(f"{said.at(percentile) or 0.0:.3f}" for percentile in (50.0, 99.0))


if __name__ == "__main__":
    main()
