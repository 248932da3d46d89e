"""The files that ship, with bytes and words changed by chance: each is taken or refused in lines, never a traceback."""

import gzip
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
import zstandard

from penstock.calls.advised import events_of
from penstock.config.coordination import read_coordination
from penstock.config.profiles import read_profile
from penstock.engines.spark.history.replay import queries_in, replayed
from penstock.engines.spark.jobs.job import Job
from penstock.errors import ConfigError
from penstock.governing.remembering import remembered
from penstock.loop import LoopSettings
from penstock.store.open import open_store
from tests.cli.calling import ROOT, environment, penstock
from tests.cli.mutating import FILES, Checked, mutated, mutations
from tests.event_log import Query, log_of
from tests.recorded import RUN, an_acting_cycle

SEEDS, EACH = 4, 80
WITHIN_S, WITHIN_MIB = 5.0, 1024.0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_changed_by_chance_is_taken_or_refused_in_lines(path: Path, tmp_path: Path) -> None:
    assert mutations(path, tmp_path, seed=1, count=8).slowest_s < WITHIN_S


def test_ten_thousand_changes_are_tried_before_an_issue_closes() -> None:
    assert len(FILES) * SEEDS * EACH >= 10_000


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_many_changes_by_chance_take_five_seconds_and_a_gibibyte_at_most(path: Path, seed: int, tmp_path: Path) -> None:
    found = in_a_process_of_its_own(str(path), tmp_path, seed + 2, EACH)
    assert found.checked == EACH
    assert (found.slowest_s < WITHIN_S, found.most_mib < WITHIN_MIB) == (True, True), found


def test_raw_bytes_are_refused_in_one_line_in_five_seconds_and_a_gibibyte(tmp_path: Path) -> None:
    found = in_a_process_of_its_own("-", tmp_path, 7, 50)
    assert (found.checked, found.refused) == (50, 50)
    assert (found.slowest_s < WITHIN_S, found.most_mib < WITHIN_MIB) == (True, True), found


def in_a_process_of_its_own(path: str, folder: Path, seed: int, count: int) -> Checked:
    """What a test process has had of memory says nothing of a file."""
    command = [sys.executable, "-m", "tests.cli.mutating", path, str(folder), str(seed), str(count)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Checked(**json.loads(done.stdout))


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


MODELS = ROOT / "src" / "penstock" / "catalog"


@pytest.mark.parametrize("name", ["linear", "traffic"])
def test_plans_of_dags_and_models_that_were_changed_by_chance_are_made_or_refused_in_lines(
    name: str, tmp_path: Path
) -> None:
    chance, slowest_s = random.Random(f"{name} 15"), 0.0
    dag, models = tmp_path / "dag.yaml", tmp_path / "models.yaml"
    for number in range(40):
        files = ((dag, MODELS / "dags" / f"{name}.yaml"), (models, MODELS / "models" / "paper.yaml"))
        for place, (path, ships) in enumerate(files):
            path.write_bytes(mutated(ships.read_bytes(), chance) if number % 2 == place else ships.read_bytes())
        began_s = time.process_time()
        called = penstock("plan", str(dag), "--models", str(models), "--json", str(tmp_path / "plan.json"))
        slowest_s = max(slowest_s, time.process_time() - began_s)
        assert called.returncode in (0, 2)
        told = called.stderr.splitlines()
        assert all(line.startswith("penstock: ") and line.isprintable() for line in told), called.stderr
        assert bool(told) == (called.returncode == 2)
    assert slowest_s < WITHIN_S


FLEET = b"""
name: prod
cluster: {standalone: 'http://master:8080'}
interval: 5s
applications: {fraud: {min_executors: 2, max_executors: 12}, team-a/ads: {utility: 10}}
price: {slot_hour: 0.05, currency: EUR}
leadership: {kubernetes: streams/fleet}
"""


def test_fleet_files_that_were_changed_by_chance_are_read_or_refused_in_lines(tmp_path: Path) -> None:
    chance, told = random.Random(16), list[str]()
    for _ in range(400):
        (tmp_path / "fleet.yaml").write_bytes(mutated(FLEET, chance))
        try:
            read_coordination(tmp_path / "fleet.yaml")
        except ConfigError as error:
            told += str(error).splitlines()
    assert len(told) > 100
    assert [line for line in told if not line.isprintable()] == []


SLO = b"""
apiVersion: openslo/v1
kind: SLO
metadata: {name: fresh, annotations: {penstock.io/target: latency, penstock.io/percentile: 99}}
spec:
  service: orders
  indicator: {spec: {thresholdMetric: {metricSource: {spec: {query: 'm{quantile="0.99"}'}}}}}
  timeWindow: [{duration: 30d, isRolling: true}]
  budgetingMethod: Timeslices
  objectives: [{op: lt, value: 30, target: 0.99, timeSliceWindow: 5m}]
---
apiVersion: openslo/v1
kind: Service
metadata: {name: shop}
"""


def test_openslo_documents_that_were_changed_by_chance_are_told_or_refused_in_lines(tmp_path: Path) -> None:
    chance, out = random.Random(14), tmp_path / "out.json"
    for _ in range(400):
        (tmp_path / "slos.yaml").write_bytes(mutated(SLO, chance))
        called = penstock("intents", str(tmp_path / "slos.yaml"), "--json", str(out))
        assert called.returncode in (0, 2)
        assert all(line.startswith("penstock: ") and line.isprintable() for line in called.stderr.splitlines())


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store's file, whole."""
    path = tmp_path_factory.mktemp("recorded") / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.append(an_acting_cycle(10.0))
    return path.read_bytes()


PAGE = 4096


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Its end cut off, a page of zeros or of anything, or some bytes changed, most of them in the tables' own names."""
    at = chance.randrange(len(data) // PAGE) * PAGE
    if chance.random() < 0.5:
        other = chance.choice([bytes(PAGE), chance.randbytes(PAGE)])
        return chance.choice([data[: at + chance.randrange(PAGE)], data[:at] + other + data[at + PAGE :]])
    bytes_ = bytearray(data)
    for _ in range(chance.choice([1, 3, 30])):
        bytes_[chance.randrange(chance.choice([3 * PAGE, len(data)]))] = chance.randrange(256)
    return bytes(bytes_)


def test_stores_that_were_damaged_by_chance_are_read_or_refused_in_one_line_and_governing_goes_on(
    recorded: bytes, tmp_path: Path
) -> None:
    chance = random.Random(18)
    for number in range(40):
        path = tmp_path / f"runs-{number}.sqlite"
        path.write_bytes(damaged(recorded, chance))
        called = penstock("report", RUN.id, "--store", str(path))
        assert called.returncode == 0 or len(called.stderr.splitlines()) == 1, called.stderr
        with closing(open_store(path)) as store, suppress(ConfigError):  # which refuses it before anything is governed
            kept = remembered(store, RUN, LoopSettings())
            kept.store.append(an_acting_cycle(kept.already_s + 10.0))


LOG = b"".join(log_of([Query("fraud", rows_per_s=100.0, every_s=1.0, took_s=0.5, busy_s=0.8)], 6.0))


def lz4_packed(data: bytes) -> bytes:
    """Blocks as Spark writes them, each with a sequence of literals alone."""
    parts = [data[at : at + 14] for at in range(0, len(data), 14)]
    packed = [bytes([len(part) << 4]) + part for part in parts]
    sizes = [
        len(one).to_bytes(4, "little") + len(part).to_bytes(4, "little")
        for one, part in zip(packed, parts, strict=True)
    ]
    return b"".join(b"LZ4Block\x20" + size + bytes(4) + one for size, one in zip(sizes, packed, strict=True))


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "app-1": bytes,
    "app-1.zstd": zstandard.ZstdCompressor().compress,
    "app-1.lz4": lz4_packed,
}


@pytest.mark.parametrize("within", [True, False], ids=["in its events", "in its bytes"])
@pytest.mark.parametrize("name", PACKED)
def test_event_logs_that_were_changed_by_chance_are_replayed_or_refused_in_one_line(
    name: str, within: bool, tmp_path: Path
) -> None:
    chance, told, packed = random.Random(13), list[str](), PACKED[name]
    for _ in range(150):
        (tmp_path / name).write_bytes(packed(mutated(LOG, chance)) if within else mutated(packed(LOG), chance))
        try:
            events = events_of(tmp_path / name)
            replayed(events, [Job(query) for query in queries_in(events)] or [Job("none")])
        except ConfigError as error:
            told.append(str(error))
    assert [line for line in told if not line.isprintable()] == []
