"""What a process may use, as a kernel tells that a folder plays."""

from pathlib import Path

import pytest

from penstock.local.allowance import cores_are_counted, left_mib
from penstock.local.spark import class_archive

MIB = 2**20
PLENTY = {"proc/meminfo": f"MemTotal: {8 * MIB} kB\nMemAvailable: {4 * MIB} kB\n", "proc/self/cgroup": "0::/pod\n"}
LIMIT = {"memory.max": f"{3072 * MIB}\n", "memory.current": f"{2560 * MIB}\n", "memory.stat": "anon 1\n"}
CACHED = LIMIT | {"memory.stat": f"inactive_file {2048 * MIB}\n"}


def machine(root: Path, files: dict[str, str]) -> Path:
    for place, text in files.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def pod(files: dict[str, str]) -> dict[str, str]:
    return PLENTY | {f"sys/fs/cgroup/pod/{name}": text for name, text in files.items()}


@pytest.mark.parametrize(
    ("files", "mib"),
    [
        ({}, None),
        (PLENTY, 4096.0),
        (pod(LIMIT), 512.0),
        (pod(CACHED), 2560.0),
        (pod(LIMIT | {"memory.max": "max\n"}), 4096.0),
    ],
)
def test_what_is_left_is_of_whatever_runs_out_first(files: dict[str, str], mib: float | None, tmp_path: Path) -> None:
    assert left_mib(machine(tmp_path, files)) == mib


@pytest.mark.parametrize(
    ("files", "counted"),
    [
        ({}, False),
        (PLENTY, False),
        (pod({"cpu.max": "max 100000\n"}), False),
        (pod({"cpu.max": "50000 100000\n"}), True),
        (PLENTY | {"sys/fs/cgroup/cpu.max": "50000 100000\n"}, True),  # of a container whose own group is the topmost
        ({"proc/self/cgroup": "3:cpu,cpuacct:/pod\n", "sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us": "20000\n"}, True),
        ({"proc/self/cgroup": "3:cpu,cpuacct:/pod\n", "sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us": "-1\n"}, False),
        ({"proc/self/cgroup": "3:memory:/pod\n", "sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us": "20000\n"}, False),
    ],
)
def test_cores_are_counted_where_a_group_has_a_quota(files: dict[str, str], counted: bool, tmp_path: Path) -> None:
    assert cores_are_counted(machine(tmp_path, files)) is counted


@pytest.mark.parametrize(
    ("files", "room"),
    [({}, False), (PLENTY, True), (pod(LIMIT), False), (pod({"cpu.max": "50000 100000\n"}), False)],
)
def test_classes_are_archived_beside_a_driver_where_nobody_can_miss_what_it_takes(
    files: dict[str, str], room: bool, tmp_path: Path
) -> None:
    assert class_archive.has_room(machine(tmp_path, files)) is room
