"""A driver in Java, started by spark-submit with the plugin, governed from beside it by the command."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.engines.spark.beside import drivers
from tests.patience import eventually, patience_s

pytestmark = pytest.mark.jvm


@dataclass(frozen=True, slots=True)
class Standing:
    """How a query stood, as its driver said."""

    batch: int
    rows: int
    pool: Sequence[str]  # its weight and its min share; "none" where there is no such pool


def stands(place: Path, query: str) -> Standing:
    lines = (place / "said").read_text(errors="replace").splitlines()
    said = [line.split() for line in lines if line.startswith(f"{query} ")]
    return Standing(int(said[-1][1]), int(said[-1][2]), said[-1][3:]) if said else Standing(-1, 0, ["none"])


@pytest.mark.contract
def test_a_driver_in_java_is_governed_from_beside_it_and_runs_on(tmp_path: Path) -> None:
    drivers.needs_javac()
    jar, tenants = drivers.compiled(tmp_path), tmp_path / "tenants.yaml"
    tenants.write_text(drivers.TENANTS)
    start = ("--master", "local[4]", "--conf", "spark.plugins=penstock.AttachPlugin", "--class", "TwoQueries")
    with drivers.driver(tmp_path, "spark-submit", *start, str(jar), str(tmp_path / "checkpoints")) as process:
        door = drivers.door(tmp_path, process)
        folder = door.file.parent
        assert (door.file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
        eventually(lambda: stands(tmp_path, "fraud").pool == ["1", "0"])  # in the pool of its name, unattended
        _refused_with_another_token(tmp_path, door.file, tenants)
        with drivers.attached(tmp_path, tenants, "--policy", "static") as governing:
            eventually(lambda: drivers.asked(tmp_path, "slots", "fraud", "3").returncode == 0)
            eventually(lambda: stands(tmp_path, "fraud").pool[0] == "3")
            eventually(lambda: drivers.asked(tmp_path, "bound", "fraud", "77").returncode == 0)
            eventually(lambda: stands(tmp_path, "fraud").rows == 77)
            assert governing.poll() is None
        assert governing.returncode == 130
        left = _a_batch_later(tmp_path, stands(tmp_path, "fraud"))
        later = _a_batch_later(tmp_path, left)
        assert (later.rows, later.pool) == (77, left.pool)
        process.terminate()
        process.wait(patience_s())
        assert not door.file.exists()


def _a_batch_later(place: Path, than: Standing) -> Standing:
    eventually(lambda: stands(place, "fraud").batch > than.batch + 1)
    return stands(place, "fraud")


def _refused_with_another_token(place: Path, file: Path, tenants: Path) -> None:
    forged = place / "forged.json"
    forged.write_text(json.dumps({**json.loads(file.read_text()), "token": "0" * 64}))
    forged.chmod(0o600)
    with drivers.attached(place, tenants, str(forged)) as refused:
        refused.wait(patience_s())
    assert refused.returncode == 2
    assert "does not let this penstock in" in (place / "governed").read_text()
