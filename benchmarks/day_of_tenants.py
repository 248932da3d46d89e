"""A day of twenty tenants, simulated: what the dashboard has to show at once, for its benchmark and its pictures.

python benchmarks/day_of_tenants.py runs.sqlite
"""

import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from penstock.config.problems import checked
from penstock.core.run import RunInfo
from penstock.simulation.run import simulate
from penstock.simulation.scenario_file import Variant
from penstock.simulation.schema import ScenarioFile
from penstock.store.open import open_store
from penstock.store.sql import SqlStore

HOURS = 24.0
TENANTS = (
    *("fraud", "payments", "checkout", "search", "pricing", "stock", "delivery", "returns", "clicks", "ads"),
    *("profiles", "reviews", "mail", "sessions", "reports", "audit", "sensors", "exports", "archive", "trends"),
)


def day(hours: float = HOURS, tenants: int = len(TENANTS), machines: int = 7, interval_s: float = 10.0) -> ScenarioFile:
    """Rates that rise and fall, each with a period of its own, and at times more work than machines."""
    raw = {
        "name": "a day at the shop",
        "duration": hours * 3600.0,
        "interval": interval_s,
        "seed": 7,
        "cluster": {"machines": machines, "cores": 4},
        "topologies": {
            "line": {
                "flow": {"source": ["parse"], "parse": ["count"], "count": ["sink"]},
                "operators": {
                    "source": {"cpu": "0.1ms"},
                    "parse": {"cpu": "1.2ms"},
                    "count": {"cpu": "2ms"},
                    "sink": {"cpu": "0.3ms"},
                },
                "selectivity": {"parse -> count": 0.8},
            },
            "diamond": {
                "flow": {"source": ["clean"], "clean": ["join", "enrich"], "enrich": ["join"], "join": ["sink"]},
                "operators": {"clean": {"cpu": "1ms"}, "enrich": {"cpu": "1.4ms"}, "join": {"cpu": "1.8ms"}},
                "selectivity": {"clean -> join": 0.5, "clean -> enrich": 0.5},
            },
        },
        "jobs": [_job(place, name) for place, name in enumerate(TENANTS[:tenants])],
    }
    return checked(ScenarioFile, raw, "day")


def _job(place: int, name: str) -> dict[str, Any]:
    mean = 160.0 + 45.0 * (place % 5)
    urgent = place < 5
    wanted = {"latency": "150ms" if urgent else "600ms", "percentile": 95, "utility": 35 if urgent else 10}
    spiky = {"spike": {"base": mean, "factor": 2.6, "start": 3600.0 * (place + 2), "end": 3600.0 * (place + 2) + 2700}}
    wavy = {"sine": {"mean": mean, "amplitude": 0.7 * mean, "period": 3600.0 * (5 + place % 7)}}
    return {
        "name": name,
        "topology": "diamond" if place % 3 == 1 else "line",
        "rate": {**(spiky if place % 4 == 2 else wavy), "noise": 0.05},
        "intent": wanted if place % 4 != 3 else {"juice": 0.95, "utility": 15},
    }


def record(store: SqlStore, scenario: ScenarioFile, policy: str = "henge") -> RunInfo:
    """Live through the scenario in simulated time and record it."""
    run = store.begin(RunInfo(f"{scenario.name} {policy}", scenario.name, policy, "simulator"))
    simulate(Variant({}, scenario), policy, Path(), also=store)
    return run


if __name__ == "__main__":
    began_s = time.monotonic()
    with closing(open_store(sys.argv[1])) as opened:
        found = record(opened, day())
    print(f"{found.id}: recorded in {time.monotonic() - began_s:.0f} s")
