"""Files that ship, with bytes and words changed by chance, and files of any bytes; each is checked as a user would.

    python -m tests.cli.mutating FILE FOLDER SEED COUNT     # - instead of a file: files of raw bytes

It prints how many were checked and refused, the most processor time that one took, and the most memory that it had.
"""

import json
import random
import re
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.cli.calling import ROOT, penstock

FILES = sorted(
    path
    for folder in ("examples", "workloads", "scenarios/henge", "scenarios/spark", "src/penstock/catalog/dags")
    for path in (ROOT / folder).glob("*.yaml")
    if path.name != "topologies.yaml"  # only lends parts to others
)
WORDS = [
    *("", "-1", "0", "1e40", "1.0e+40", ".nan", ".inf", "null", "true", "off", "~", "[]", "{}", "''", "soon", "2s"),
    *("9" * 30, "9" * 4301, "0x" + "f" * 5000, "2026-13-45", "1:30", "é", "\x00", "\x1b[31m", "\ufeff", "\u2028"),
    *("&a", "*a", "<<", "!!python/name:os.system", "? ", "- ", ": ", "---", "...", "%YAML 9", "#", "\t", "\n", "\r"),
    *("name", "jobs", "intent", "latency", "policy", "settings", "henge", "include", "vary", "/dev/zero", "{a: b}"),
]
TOKEN = re.compile(rb"[\w.-]+|[^\w\s]|\s+")


def changed_bytes(data: bytes, chance: random.Random) -> bytes:
    """A byte taken out, put in, or turned into another; or the end cut off."""
    at = chance.randrange(len(data))
    byte = bytes([chance.randrange(256)])
    return chance.choice(
        [data[:at] + data[at + 1 :], data[:at] + byte + data[at:], data[:at] + byte + data[at + 1 :], data[:at]]
    )


def changed_words(data: bytes, chance: random.Random) -> bytes:
    """A word taken out, said twice, or in the place of another one, of this file or from the list."""
    words = TOKEN.findall(data)
    at, other = chance.randrange(len(words)), chance.choice(words)
    instead = chance.choice(WORDS).encode()
    words[at] = chance.choice([b"", words[at] * 2, other, instead, words[at] + instead])
    return b"".join(words)


def mutated(data: bytes, chance: random.Random) -> bytes:
    changes: list[Callable[[bytes, random.Random], bytes]] = [changed_bytes, changed_words, changed_words]
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        data = chance.choice(changes)(data, chance) or b"x"
    return data


@dataclass(slots=True)
class Checked:
    """What came of so many files. Memory is that of the whole process: each had less."""

    checked: int = 0
    refused: int = 0
    slowest_s: float = 0.0
    most_mib: float = 0.0


def most_mib() -> float:
    """The most memory that this program had: getrusage counts what the process had that it was forked from."""
    found = re.search(r"^VmHWM:\s*(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024.0


def check(folder: Path, name: str, data: bytes, so_far: Checked) -> None:
    """The command on that file beside the others of its folder: any exception fails the test by itself."""
    path = folder / f"mutated-{name}"
    path.write_bytes(data)
    began_s = time.process_time()  # what a file takes is the same on a busy machine
    called = penstock("check", "--no-modules", str(path))
    so_far.slowest_s = max(so_far.slowest_s, time.process_time() - began_s)
    so_far.checked += 1
    so_far.refused += called.returncode == 2
    so_far.most_mib = most_mib()
    assert called.returncode in (0, 2)
    if called.returncode == 2:
        lines = called.stderr.splitlines()
        assert lines, data
        assert all(line.startswith("penstock: ") and line.isprintable() for line in lines), called.stderr
        assert not re.search(r"Traceback|Input should|validation error|Value error", called.stderr), called.stderr


def beside(path: Path, folder: Path) -> None:
    """What the file names with a path relative to its own."""
    for found in path.parent.iterdir():
        if found.is_file() and found.suffix in (".yaml", ".csv", ".gz"):
            (folder / found.name).write_bytes(found.read_bytes())
        elif found.is_dir() and found.name == "data":
            (folder / "data").symlink_to(found)


def mutations(path: Path, folder: Path, seed: int, count: int) -> Checked:
    """So many changes of one file."""
    beside(path, folder)
    chance, found = random.Random(f"{path.name} {seed}"), Checked()
    for _ in range(count):
        check(folder, path.name, mutated(path.read_bytes(), chance), found)
    return found


def raw(folder: Path, seed: int, count: int) -> Checked:
    """So many files of any bytes."""
    chance, found = random.Random(seed), Checked()
    for number in range(count):
        check(folder, f"raw-{number}.yaml", chance.randbytes(chance.choice([1, 10, 1000, 100_000])), found)
    return found


if __name__ == "__main__":
    given = (Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    print(json.dumps(asdict(raw(*given) if sys.argv[1] == "-" else mutations(Path(sys.argv[1]), *given))))
