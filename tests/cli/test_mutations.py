"""The files that ship, with bytes and words changed by chance: each is taken or refused in lines, never a traceback."""

import gzip
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.config.profiles import read_profile
from penstock.errors import ConfigError
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


def check(folder: Path, name: str, data: bytes) -> None:
    """The command on that file beside the others of its folder: any exception fails the test by itself."""
    path = folder / f"mutated-{name}"
    path.write_bytes(data)
    called = penstock("check", "--no-modules", str(path))
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


def mutations(path: Path, folder: Path, seed: int, count: int) -> None:
    beside(path, folder)
    chance = random.Random(f"{path.name} {seed}")
    for _ in range(count):
        data = mutated(path.read_bytes(), chance)
        check(folder, path.name, data)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_changed_by_chance_is_taken_or_refused_in_lines(path: Path, tmp_path: Path) -> None:
    mutations(path, tmp_path, seed=1, count=8)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_many_changes_by_chance(path: Path, seed: int, tmp_path: Path) -> None:
    mutations(path, tmp_path, seed=seed + 2, count=40)


def test_raw_bytes_are_refused_in_one_line(tmp_path: Path) -> None:
    chance = random.Random(7)
    for number in range(50):
        data = chance.randbytes(chance.choice([1, 10, 1000, 100_000]))
        check(tmp_path, f"raw-{number}.yaml", data)


PAIRS = b"left,right,rows\n" + b"Asia,#java,3463\nOceania,#python,3700\nAsia,#ruby,180\n" * 5
PROFILE = b"scaleout,rate_rps,latency_s,saturated\n" + b"2,19964.9,1.0777,0\n2,36521.8,,1\n" * 3


@pytest.mark.parametrize("zipped", [False, True])
def test_pairs_that_were_changed_by_chance_are_routed_or_refused_in_one_line(zipped: bool, tmp_path: Path) -> None:
    chance = random.Random(11)
    path = tmp_path / f"pairs.csv{'.gz' if zipped else ''}"
    for _ in range(40):
        path.write_bytes(mutated(gzip.compress(PAIRS, mtime=0) if zipped else PAIRS, chance))
        called = penstock("route", str(path), "--servers", "2")
        assert called.returncode in (0, 2)
        assert called.returncode == 0 or len(called.stderr.splitlines()) == 1


def test_profiles_that_were_changed_by_chance_are_read_or_refused_in_one_line(tmp_path: Path) -> None:
    chance, told = random.Random(12), list[str]()
    for _ in range(400):
        (tmp_path / "p.csv").write_bytes(mutated(PROFILE, chance))
        try:
            read_profile(tmp_path / "p.csv")
        except ConfigError as error:
            told.append(str(error))
    assert [line for line in told if not line.isprintable()] == []
