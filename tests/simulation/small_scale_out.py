"""A small scale-out scenario that is right, with its profile."""

from pathlib import Path
from typing import Any

from tests.simulation.small import written

PROFILE = "scaleout,rate_rps,latency_s,saturated\n1,50,1.0,0\n1,100,,1\n4,350,1.0,0\n4,400,,1\n"


def scenario(tmp_path: Path, **over: Any) -> Path:
    (tmp_path / "profile.csv").write_text(PROFILE, encoding="utf-8")
    scaleout = {"executors": 4, "max_executors": 8, "measured": "profile.csv", "profile": "profile.csv"}
    job = {"name": "a", "rate": 100, "intent": {"latency": "2s", "recovery": "60s"}}
    raw = {
        "name": "small",
        "engine": "scale-out",
        "duration": "900s",
        "cluster": {"slots": 8},
        "jobs": [{**job, "scaleout": {**scaleout, "downtime": ["20s", "20s"], **over.pop("scaleout", {})}}],
        "faults": [{"kind": "job", "target": "a", "at": "300s"}],
        **over,
    }
    return written(tmp_path, raw)
