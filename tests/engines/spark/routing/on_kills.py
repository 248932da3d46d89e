"""Lives of a driver that keeps a running count and a windowed one, re-routes both, and is killed with its JVM.

Usage: on_kills.py PLACE STORY LIFE, run by test_kills for each life that is killed; the last one it lives itself.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from pyspark.sql import SparkSession

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.routing.migration import StepDone
from penstock.engines.spark.routing.reroute import reroute
from tests.engines.spark.routing.town import (
    REGIONS,
    TAGS,
    Town,
    by_region,
    by_window_and_tag,
    counts_in_state,
    regions,
    windows_and_tags,
)

CONF = {"spark.sql.shuffle.partitions": 2}
# In each life the steps of the two counts: R and W re-route, with what is killed in the midst of it; B dies in a batch.
Life = list[tuple[str, str]]
FIRST: Life = [("R", ""), ("W", ""), ("R", "offsets entered")]
LAST: Life = [("R", ""), ("W", "")]
STORIES: Mapping[str, list[Life]] = {
    "short": [FIRST, LAST],
    "whole": [FIRST, [("W", ""), ("R", ""), ("W", "change written down")], [("R", ""), ("W", ""), ("B", "")], LAST],
}


def die(spark: SparkSession) -> NoReturn:
    gateway: Any = spark.sparkContext._gateway
    os.kill(gateway.proc.pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody survives that")


def at(step: str, act: Callable[[], None]) -> StepDone:
    def done(name: str) -> None:
        if name == step:
            act()

    return done


def all_to(partition: int) -> RoutingTable:
    return RoutingTable(
        2,
        {"left": {f"r{i}": partition for i in range(REGIONS)}, "right": dict.fromkeys(range(TAGS), partition)},
    )


def lived(spark: SparkSession, place: Path, lives: list[Life], life: int) -> dict[str, Any]:
    """What was counted by the end of that life, where it has one."""
    running, windowed = Town(spark, place / "running", "running"), Town(spark, place / "windowed", "windowed")
    groups = {"R": (running, by_region), "W": (windowed, by_window_and_tag), "B": (running, by_region)}
    made = sum(kind == "R" for steps in lives[:life] for kind, _ in steps)
    for kind, kill_at in lives[life]:
        town, group = groups[kind]
        town.feed()
        if kind == "B":
            town.before_commit = lambda: die(spark)
        query = town.run(town.job(group))
        made += kind == "R"
        reroute(town.routed(town.job(group)), query, all_to(made % 2), 20, at(kill_at, lambda: die(spark)))
    for town, group in (groups["R"], groups["W"]):
        town.feed()
        town.run(town.job(group))
    return {
        "running": counts_in_state(running) == regions(running),
        "windowed": counts_in_state(windowed) == windows_and_tags(windowed),
        "tables": [len(town.route.book(spark).changes()) for town in (running, windowed)],
    }


if __name__ == "__main__":
    session = start_application("kills test", "local[2]", CONF)
    lived(session, Path(sys.argv[1]), STORIES[sys.argv[2]], int(sys.argv[3]))
