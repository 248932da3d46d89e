"""The machine that the driver runs on: its cores, its load and its memory, as the kernel tells.

In a container with a limit of memory, that is what runs out first.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from penstock.engines.spark.watch.machines import Here

_AVAILABLE = ("MemFree", "Buffers", "Cached")  # what a kernel without MemAvailable can give away, nearly


def this_machine(root: Path = Path("/")) -> Here:
    """As it stands now; `root` is where its kernel tells."""
    shares = (_machines_share(root / "proc/meminfo"), *_groups_shares(root))
    return Here(
        os.cpu_count() or 1, os.getloadavg()[0], max((share for share in shares if share is not None), default=None)
    )


def _machines_share(meminfo: Path) -> float | None:
    told = _numbers(meminfo)
    available = told.get("MemAvailable", sum(told.get(name, 0.0) for name in _AVAILABLE))
    return _share(told["MemTotal"] - available, told["MemTotal"]) if "MemTotal" in told else None


@dataclass(frozen=True, slots=True)
class _Names:
    """Of a control group's files, and of the cache in its statistics that the kernel takes back first."""

    limit: str
    used: str
    cache: str


_FIRST = _Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_SECOND = _Names("memory.max", "memory.current", "inactive_file")


def _groups_shares(root: Path) -> Iterator[float | None]:
    """Of the limits of our control groups, in both versions; in a container ours may be the topmost that is seen."""
    with suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            number, controllers, path = line.split(":", 2)
            if "memory" in controllers.split(","):
                top, names = root / "sys/fs/cgroup/memory", _FIRST
            elif number == "0":
                top, names = root / "sys/fs/cgroup", _SECOND
            else:
                continue
            for folder in {top / path.lstrip("/"), top}:
                yield _groups_share(folder, names)


def _groups_share(folder: Path, names: _Names) -> float | None:
    try:
        limit, used = (float((folder / name).read_text(encoding="ascii")) for name in (names.limit, names.used))
    except (OSError, ValueError):  # there is none, or it is "max"
        return None
    return _share(used - _numbers(folder / "memory.stat").get(names.cache, 0.0), limit)


def _share(used: float, of: float) -> float | None:
    return min(1.0, max(0.0, used / of)) if of > 0 else None


def _numbers(file: Path) -> Mapping[str, float]:
    """The first number of each line, by the word before it."""
    found: dict[str, float] = {}
    with suppress(OSError, UnicodeError):
        for line in file.read_text(encoding="ascii").splitlines():
            words = line.replace(":", " ").split()
            with suppress(ValueError, IndexError):
                found[words[0]] = float(words[1])
    return found
