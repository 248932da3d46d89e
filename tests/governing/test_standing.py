"""What a standby hears, and what it looks at while it waits."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from penstock.config.tenants import read_tenants
from penstock.errors import OutageError
from penstock.governing.run import RunOptions
from penstock.governing.standby import Word
from penstock.governing.standing import Ear, FilesSeen, _heard, _import
from tests.cli.calling import command, environment
from tests.harness.ports import own_port
from tests.patience import eventually, patience_s

pytestmark = pytest.mark.sockets
WORD = Word(1.0, 2.0, 600.0)
TENANTS = """
name: shop
master: spark://127.0.0.1:{port}
jobs:
  - name: ads
    job: {module}:job
    intent: {{juice: 0.5}}
"""


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reads, writes = os.pipe()
    yield reads, writes
    os.close(reads)


def test_the_word_is_heard_whole_and_again_by_whoever_asks(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    ear, line = Ear(reads), WORD.line().encode()
    assert ear.word() is None
    os.write(writes, line[:7])
    assert ear.word() is None
    os.write(writes, line[7:])
    assert (ear.word(), ear.word()) == (WORD, WORD)
    os.close(writes)
    assert (ear.word(), ear.over) == (WORD, False)


def test_one_whose_supervisor_is_gone_ends_well(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    os.close(writes)
    with pytest.raises(SystemExit) as end:
        _heard(Ear(reads), lambda: False, FilesSeen({}))
    assert end.value.code == 0


def test_one_whose_jvm_ended_or_whose_files_changed_makes_room_for_another(
    pipe: tuple[int, int], tmp_path: Path
) -> None:
    reads, writes = pipe
    with pytest.raises(SystemExit) as end:
        _heard(Ear(reads), lambda: True, FilesSeen({}))
    assert end.value.code == 1
    with pytest.raises(SystemExit) as end:
        _heard(Ear(reads), lambda: False, FilesSeen({tmp_path / "gone": 5}))
    assert end.value.code == 3
    os.close(writes)


def test_files_of_the_users_are_the_tenants_file_and_the_modules_below_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenants, jobs = tmp_path / "tenants.yaml", tmp_path / "jobs_of_a_standby.py"
    tenants.write_text("jobs: []\n")
    jobs.write_text("counts = None\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__("jobs_of_a_standby")
    seen = FilesSeen.now(tenants, tmp_path)
    sys.modules.pop("jobs_of_a_standby")
    assert set(seen.stamps) == {tenants, jobs}
    assert not seen.changed()
    os.utime(jobs, ns=(1, 1))
    assert seen.changed()


def tenants_of(place: Path, module: str) -> Path:
    """A file whose one job is in that module, at a master that nobody has."""
    (place / "tenants.yaml").write_text(TENANTS.format(port=own_port(), module=module))
    return place / "tenants.yaml"


@pytest.mark.parametrize("first", ["", "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate()\n"])
def test_it_imports_the_modules_beside_the_file_and_starts_no_spark_of_theirs(
    first: str, pipe: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a standby: no test before this one has started Spark in this process.
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    module = f"beside_{'a_session' if first else 'the_file'}"
    (tmp_path / f"{module}.py").write_text(f"{first}def job(spark): ...\n")
    file = tenants_of(tmp_path, module)
    _import(read_tenants(file), RunOptions(code=tmp_path), Ear(pipe[0]))
    assert (sys.modules.pop(module, None) is None) == bool(first)  # it is imported again once Spark is there
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize("spoken", [True, False])
def test_one_whose_tenants_module_hangs_hears_the_word_all_the_same(spoken: bool, tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text("import threading\nthreading.Event().wait()\n")
    life = tmp_path / "life"
    given = command("run", str(tenants_of(tmp_path, "hangs")), "--awaits", str(life))
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(given, stdin=subprocess.PIPE, stdout=said, stderr=said, env=environment())
    eventually(life.exists)
    process.communicate(WORD.line().encode() if spoken else b"", timeout=patience_s())
    # As a driver it has come as far as the master; unspoken to it ends.
    assert process.returncode == (OutageError.exit_code if spoken else 0)
