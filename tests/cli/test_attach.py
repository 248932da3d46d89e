"""`penstock attach` as far as it goes without a driver."""

from pathlib import Path

import pytest

from tests.cli.calling import penstock
from tests.engines.spark.beside.doors import written


def test_it_says_where_the_plugins_jar_is() -> None:
    done = penstock("attach", "--jar")
    assert (done.returncode, Path(done.stdout.strip()).name) == (0, "penstock-attach.jar")
    assert Path(done.stdout.strip()).is_file()


def test_it_lists_the_drivers_that_let_a_penstock_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    place = tmp_path / "penstock" / "attach"
    place.mkdir(parents=True)
    written(place, pid=1)
    assert penstock("attach", "--list").stdout == "app-1  shop, Spark 4.3.0, process 1\n"


def test_where_there_is_no_driver_the_list_says_so_and_programs_get_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    done = penstock("attach", "--list")
    assert (done.returncode, done.stdout) == (0, "")
    place = tmp_path / "penstock" / "attach"
    assert done.stderr == f"penstock: no driver of yours runs the plugin: there is no file of one in {place}\n"


def test_without_a_driver_it_says_how_to_start_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    tenants = tmp_path / "tenants.yaml"
    tenants.write_text("jobs: [{name: fraud, intent: {latency: 2s}}]")
    done = penstock("attach", "--tenants", str(tenants))
    assert done.returncode == 2
    assert "--conf spark.plugins=penstock.AttachPlugin" in done.stderr


def test_what_is_wanted_must_be_said() -> None:
    done = penstock("attach")
    assert (done.returncode, done.stderr) == (
        2, "penstock: Missing option '--tenants'. See: penstock attach --help\n"
    )  # fmt: skip
