"""The machine of the driver, as a kernel tells that a folder plays."""

from pathlib import Path

import pytest

from penstock.engines.spark.application.here import this_machine

MEMINFO = "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\nBuffers: 50 kB\nCached: 150 kB\n"
OLD = MEMINFO.replace("MemAvailable: 400 kB\n", "")
FIRST = {"memory.limit_in_bytes": "2000", "memory.usage_in_bytes": "1900", "memory.stat": "total_inactive_file 100\n"}
SECOND = {"memory.max": "2000\n", "memory.current": "1900\n", "memory.stat": "anon 5\ninactive_file 300\n"}


def machine(root: Path, meminfo: str | None, cgroup: str = "", files: dict[str, dict[str, str]] | None = None) -> Path:
    told = {"proc/self/cgroup": cgroup} | ({} if meminfo is None else {"proc/meminfo": meminfo})
    told |= {f"sys/fs/cgroup/{place}/{name}": text for place, of in (files or {}).items() for name, text in of.items()}
    for place, text in told.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("meminfo", "share"), [(MEMINFO, 0.6), (OLD, 0.7), ("MemTotal: 0 kB\n", None), ("nothing\n:\n", None), (None, None)]
)
def test_a_kernel_that_does_not_tell_what_is_available_is_read_all_the_same(
    meminfo: str | None, share: float | None, tmp_path: Path
) -> None:
    assert this_machine(machine(tmp_path, meminfo)).memory_share == share


@pytest.mark.parametrize(
    ("cgroup", "place", "files", "share"),
    [
        ("0::/\n", ".", SECOND, 0.8),
        ("0::/pod/driver\n", "pod/driver", SECOND, 0.8),
        ("4:cpu:/\n9:hugetlb,memory:/pod\n", "memory", FIRST, 0.9),
        ("9:memory:/pod\n0::/\n", "memory/pod", FIRST, 0.9),
        ("0::/\n", ".", SECOND | {"memory.max": "max\n"}, 0.6),
        ("9:memory:/pod\n", "memory", FIRST | {"memory.limit_in_bytes": "9223372036854771712"}, 0.6),
        ("no group\n", ".", {}, 0.6),
    ],
)
def test_in_a_container_its_limit_counts_where_that_is_nearer(
    cgroup: str, place: str, files: dict[str, str], share: float, tmp_path: Path
) -> None:
    found = this_machine(machine(tmp_path, MEMINFO, cgroup, {place: files})).memory_share
    assert found == pytest.approx(share)
