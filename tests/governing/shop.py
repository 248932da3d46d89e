"""Three tenants, two of them together, for `penstock submit` on a cluster."""

from pathlib import Path

import yaml

NAMES = ("ads", "bots", "etl")


def shop(place: Path) -> Path:
    """The tenants file; checkpoints and it are in that place."""
    job = {
        "job": "tests.governing.tenant_jobs:slow",
        "params": {"rows_per_second": 5, "row_ms": 1},
        "intent": {"latency": "5s"},
        "slots": 1,
    }
    checkpoints = place / "checkpoints"
    for name in NAMES:
        (checkpoints / name).mkdir(parents=True)
    said = {
        "name": "shop",
        "executors": 3,
        "checkpoints": str(checkpoints),
        "together": ["ads", "bots"],
        "interval": "3s",
        "window": "15s",
        "conf": {"spark.executor.memory": "512m", "spark.sql.streaming.checkpoint.fileChecksum.enabled": False},
        "jobs": [{"name": name, **job} for name in NAMES],
    }
    file = place / "shop.yaml"
    file.write_text(yaml.safe_dump(said))
    return file
