"""`penstock run` on an engine that a package brings: its folder, an entry point and a section of the file, no more."""

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

import penstock as ps
from penstock import extending
from penstock.errors import OutageError
from penstock.store.open import open_store
from tests.cli.calling import penstock
from tests.patience import eventually
from tests.web.striking import striking

POINTS = "[penstock.engines]\ntoy = tests.engines.toy.ending:ending\n"
FILE = """
name: shop
engine: {toy: {each: 60}}
policy: ds2
interval: 50ms
jobs:
  - {name: ads, intent: {latency: 2s}, params: {rate: 100}}
  - {name: fraud, intent: {juice: 0.9}, params: {rate: 20}}
"""


@pytest.fixture
def tenants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file for the toy engine, which is installed."""
    known = tmp_path / "site" / "toy-1.0.dist-info"
    known.mkdir(parents=True)
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (known / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path / "site")
    extending.points.cache_clear()
    file = tmp_path / "tenants.yaml"
    file.write_text(FILE)
    yield file
    monkeypatch.undo()
    extending.points.cache_clear()


def test_its_jobs_are_governed_and_the_run_is_kept(tenants: Path, tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    ran = penstock("run", str(tenants), "--store", str(store), "--json", str(tmp_path / "told.json"))
    assert "recorded in" in ran.stderr
    told = json.loads((tmp_path / "told.json").read_text())
    assert (told["policy"], told["master"], told["error"]) == ("ds2", "toy", None)
    assert told["jobs"]["ads"]["slots"] > 1  # one does 60 of its 100 rows a second
    assert told["jobs"]["fraud"]["slots"] == 1
    assert "ads" in penstock("explain", told["run"], "--store", str(store)).stdout


def test_the_call_does_the_same(tenants: Path, tmp_path: Path) -> None:
    tenants.write_text(FILE.replace("each: 60", "each: 60, looks: 100000"))
    story = ps.run(tenants, for_s=0.3, store=str(tmp_path / "runs.sqlite"))
    assert (story.policy, story.master, story.error) == ("ds2", "toy", None)
    with pytest.raises(ps.ConfigError, match="executors: 4 cannot be used; leave it out: it is about Spark"):
        ps.run(tenants, executors=4)


@pytest.mark.sockets
def test_its_record_tells_that_the_pages_beside_it_were_gone(
    tenants: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenants.write_text(FILE.replace("each: 60", "each: 60, looks: 100000"))
    store = tmp_path / "runs.sqlite"

    def errors() -> str:
        with suppress(ps.ConfigError, OutageError), closing(open_store(store, create=False)) as archive:
            return " ".join(note.text for info in archive.runs() for note in archive.read_run(info.id).errors)
        return ""

    def end_once_told() -> None:
        try:
            eventually(lambda: "the pages were gone for " in errors())
        finally:
            signal.raise_signal(signal.SIGINT)

    striking(monkeypatch)(RuntimeError("nobody foresaw this"))
    watching = threading.Thread(target=end_once_told)
    watching.start()
    pages = ("--dashboard", "--port", "0", "--tokens", str(tmp_path / "tokens.json"))
    ran = penstock("run", str(tenants), "--store", str(store), *pages)
    watching.join()
    assert "recorded in" in ran.stderr
    assert "the pages are gone: their server has ended (RuntimeError: nobody foresaw this)" in errors()


def test_a_dry_run_turns_nothing(tenants: Path, tmp_path: Path) -> None:
    place = tmp_path / "told.json"
    penstock("run", str(tenants), "--dry-run", "--store", str(tmp_path / "r.sqlite"), "--json", str(place))
    told = json.loads(place.read_text())
    assert told["decisions"]
    assert told["jobs"]["ads"]["slots"] == 1


def test_its_file_is_checked_with_what_the_engine_says_of_its_own_section(tenants: Path) -> None:
    assert "2 jobs (ads, fraud) under ds2 on toy" in penstock("check", str(tenants)).stdout
    tenants.write_text(FILE.replace("each: 60", "each: none").replace("latency: 2s", "latency: 2s, utillity: 3"))
    assert "did you mean utility?" in penstock("check", str(tenants)).stderr
    tenants.write_text(FILE.replace("each: 60", "each: none"))
    said = penstock("run", str(tenants))
    assert (said.returncode, "tenants.yaml:3:22: engine.toy.each: 'none' cannot be used" in said.stderr) == (2, True)
    tenants.write_text(FILE.replace("toy:", "tox:"))
    assert (
        "engine: 'tox' cannot be used; choose one of toy; did you mean toy?" in penstock("check", str(tenants)).stderr
    )


def test_what_is_about_spark_is_refused(tenants: Path) -> None:
    said = penstock("run", str(tenants), "--master", "yarn")
    assert (said.returncode, "leave it out: it is about Spark, and the file's engine is toy" in said.stderr) == (
        2,
        True,
    )
