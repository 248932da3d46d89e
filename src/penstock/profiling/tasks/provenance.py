"""Where a model comes from: machine, versions, date, and how its trials were done."""

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any


def provenance(settings: Mapping[str, Any]) -> dict[str, str]:
    """In words, for people; `settings` are frozen dataclasses by what they are settings of."""
    return {
        "measured_on": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": f"{_processor()}, {os.cpu_count()} cores, Linux {platform.release()}",
        "versions": f"penstock {version('penstock')}, Spark {version('pyspark')}, Python {platform.python_version()}",
        "noise": (
            f"load average {os.getloadavg()[2]:.1f} over the last 15 minutes at the end of the search, "
            f"niceness {os.nice(0)}"
        ),
        **{name: words(value) for name, value in settings.items()},
    }


def words(value: Any) -> str:
    """A settings dataclass in a line; text as it is."""
    return value if isinstance(value, str) else ", ".join(f"{key}={found}" for key, found in asdict(value).items())


def _processor() -> str:
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    return names[0] if names else platform.machine()
