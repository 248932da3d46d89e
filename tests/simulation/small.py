"""A small scenario that is right, so that a test states only what is different."""

from pathlib import Path
from typing import Any

import yaml


def scenario(**over: Any) -> dict[str, Any]:
    """A small scenario that is right."""
    return {
        "name": "small",
        "duration": "60s",
        "topologies": {
            "line": {
                "flow": {"source": ["work"], "work": []},
                "operators": {"source": {"cpu": "0.05ms"}, "work": {"cpu": "1ms"}},
            }
        },
        "jobs": [{"name": "a", "topology": "line", "rate": 100, "intent": {"latency": "100ms"}}],
        **over,
    }


def written(tmp_path: Path, raw: Any) -> Path:
    path = tmp_path / "scenario.yaml"
    path.write_text(raw if isinstance(raw, str) else yaml.safe_dump(raw), encoding="utf-8")
    return path


def job(**over: Any) -> dict[str, Any]:
    return {**scenario()["jobs"][0], **over}
