"""The machine that the driver runs on: its cores, its load and its memory, as the kernel tells."""

import os
from pathlib import Path

from penstock.engines.spark.watch.machines import Here


def this_machine() -> Here:
    """As it stands now."""
    return Here(os.cpu_count() or 1, os.getloadavg()[0], _memory_share(Path("/proc/meminfo")))


def _memory_share(meminfo: Path) -> float | None:
    if not meminfo.exists():
        return None
    fields = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines())
    total, available = (float(fields[name].split()[0]) for name in ("MemTotal", "MemAvailable"))
    return 1.0 - available / total
