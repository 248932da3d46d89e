"""The file by which a driver lets a penstock in: whose it must be, and which one is meant."""

import json
from pathlib import Path

import pytest

from penstock.engines.spark.jvm.beside.door import doors, find_door, read_door
from penstock.errors import ConfigError
from tests.engines.spark.beside.doors import written

GONE = 2**22 + 1  # no process has so high a number: the kernel's most is 2^22


def test_the_only_driver_there_is_needs_no_name(tmp_path: Path) -> None:
    written(tmp_path)
    assert find_door(None, tmp_path).application == "app-1"


@pytest.mark.parametrize("wanted", ["app-2", "bank"])
def test_a_driver_is_found_by_its_id_and_by_its_name(tmp_path: Path, wanted: str) -> None:
    written(tmp_path)
    written(tmp_path, "app-2", name="bank")
    assert find_door(wanted, tmp_path).application == "app-2"


def test_of_several_one_must_be_named(tmp_path: Path) -> None:
    written(tmp_path)
    written(tmp_path, "app-2")
    with pytest.raises(ConfigError, match=r"name one of app-1 \(shop\), app-2 \(shop\)"):
        find_door(None, tmp_path)


def test_a_file_that_a_killed_driver_left_is_passed_over_and_said_when_it_is_named(tmp_path: Path) -> None:
    written(tmp_path, pid=GONE)
    assert doors(tmp_path) == []
    with pytest.raises(ConfigError, match="its driver has ended"):
        find_door("app-1", tmp_path)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ConfigError, match="readable by you alone"):
        read_door(written(tmp_path, mode=mode))


def test_without_any_driver_the_line_that_starts_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--conf spark.plugins=penstock.AttachPlugin"):
        find_door(None, tmp_path / "none")


def test_what_is_no_such_file_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("[]")
    file.chmod(0o600)
    with pytest.raises(ConfigError, match="give the file that the driver's plugin wrote"):
        read_door(file)


@pytest.mark.parametrize(
    "spoilt",
    ["", "{", "[" * 100_000, '{"pid": 1e999}', '{"pid": 99999999999999999999}', '{"pid": -1}', '{"port": 70000}'],
)
def test_a_damaged_file_keeps_nobody_from_the_other_drivers(
    spoilt: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    right = json.loads(written(tmp_path).read_text())
    other = tmp_path / "app-0.json"
    try:
        other.write_text(json.dumps({**right, **json.loads(spoilt)}))
    except (ValueError, RecursionError):
        other.write_text(spoilt)
    other.chmod(0o600)
    assert [door.application for door in doors(tmp_path)] == ["app-1"]
    assert find_door(None, tmp_path).application == find_door("shop", tmp_path).application == "app-1"
    assert "app-0.json" in caplog.text
    assert "s3cret" not in caplog.text
    with pytest.raises(ConfigError, match="give the file that the driver's plugin wrote"):
        find_door("app-0", tmp_path)


def test_the_token_is_never_printed(tmp_path: Path) -> None:
    assert "s3cret" not in repr(read_door(written(tmp_path)))
