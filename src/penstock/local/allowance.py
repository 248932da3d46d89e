"""What this process may use, as the kernel tells: of the machine, and of the groups that bound it.

In a container it is that one's limit that runs out first.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_AVAILABLE = ("MemFree", "Buffers", "Cached")  # what a kernel without MemAvailable can give away, nearly
_ROOT = Path("/")


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """So many bytes are used, of so many."""

    used: float
    of: float

    @property
    def share(self) -> float:
        """What is used, of 1.

        >>> MemoryUse(3.0, 4.0).share, MemoryUse(-1.0, 4.0).share
        (0.75, 0.0)
        """
        return min(1.0, max(0.0, self.used / self.of))


def memories(root: Path = _ROOT) -> list[MemoryUse]:
    """What this process may use: of the machine, and of each of its control groups that has a limit.

    `root` is where its kernel tells.
    """
    found = (_machines(root / "proc/meminfo"), *_groups(root))
    return [memory for memory in found if memory is not None and memory.of > 0]


def left_mib(root: Path = _ROOT) -> float | None:
    """Of the one that runs out first; None where nobody tells."""
    return min(((memory.of - memory.used) / 2**20 for memory in memories(root)), default=None)


def cores_are_counted(root: Path = _ROOT) -> bool:
    """Whether a group of ours may use so much of the cores in a while: what one process uses, another has to wait for.

    Its place in the queue changes nothing about that.
    """
    return any(_quota(folder, second) for folder, second in _folders(root, "cpu"))


def _machines(meminfo: Path) -> MemoryUse | None:
    told_kib = _numbers(meminfo)
    if "MemTotal" not in told_kib:
        return None
    available_kib = told_kib.get("MemAvailable", sum(told_kib.get(name, 0.0) for name in _AVAILABLE))
    return MemoryUse(1024 * (told_kib["MemTotal"] - available_kib), 1024 * told_kib["MemTotal"])


@dataclass(frozen=True, slots=True)
class _Names:
    """Of a control group's files, and of the cache in its statistics that the kernel takes back first."""

    limit: str
    used: str
    cache: str


_FIRST = _Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_SECOND = _Names("memory.max", "memory.current", "inactive_file")


def _groups(root: Path) -> Iterator[MemoryUse | None]:
    """The limits of our control groups, in both versions."""
    return (_group(folder, _SECOND if second else _FIRST) for folder, second in _folders(root, "memory"))


def _folders(root: Path, controller: str) -> Iterator[tuple[Path, bool]]:
    """Of our control groups, and whether it is of the second version.

    In a container ours may be the topmost that is seen.
    """
    with suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            number, controllers, path = line.split(":", 2)
            second = number == "0"
            if second or controller in controllers.split(","):
                top = root / "sys/fs/cgroup" / ("" if second else controller)
                yield from ((folder, second) for folder in {top / path.lstrip("/"), top})


def _group(folder: Path, names: _Names) -> MemoryUse | None:
    try:
        limit, used = (float((folder / name).read_text(encoding="ascii")) for name in (names.limit, names.used))
    except (OSError, ValueError):  # there is none, or it is "max"
        return None
    return MemoryUse(used - _numbers(folder / "memory.stat").get(names.cache, 0.0), limit)


def _quota(folder: Path, second: bool) -> bool:
    try:
        told = (folder / ("cpu.max" if second else "cpu.cfs_quota_us")).read_text(encoding="ascii").split()
    except (OSError, UnicodeError):
        return False
    return bool(told) and told[0] not in ("max", "-1")


def _numbers(file: Path) -> Mapping[str, float]:
    """The first number of each line, by the word before it."""
    found: dict[str, float] = {}
    with suppress(OSError, UnicodeError):
        for line in file.read_text(encoding="ascii").splitlines():
            words = line.replace(":", " ").split()
            with suppress(ValueError, IndexError):
                found[words[0]] = float(words[1])
    return found
