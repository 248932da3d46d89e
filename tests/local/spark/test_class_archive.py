"""Spark's classes are archived once for a Java and a Spark; who has no archive starts as always."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.engines.spark.launch import application
from penstock.governing.groups import lives_on
from penstock.local.spark import class_archive
from tests.patience import eventually


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("JDK_JAVA_OPTIONS", raising=False)


def place() -> Path:
    found = class_archive._archive()
    assert found is not None
    found.parent.mkdir(parents=True, exist_ok=True)
    return found


def java_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that does nothing and ends well."""
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    java.write_text("#!/bin/sh\nexit 0\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    return java


def test_jvms_are_told_of_an_archive_that_is_there_and_of_nothing_before() -> None:
    assert class_archive.options() == ""
    assert class_archive.is_lacking()
    place().touch()
    assert not class_archive.is_lacking()
    assert class_archive.options() == f"-XX:SharedArchiveFile={place()} -Xshare:auto -Xlog:cds*=off"
    assert class_archive.make()  # nothing to do


def test_another_java_and_one_that_was_upgraded_in_its_place_have_an_archive_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    places = [place()]
    java = java_in(tmp_path / "java", monkeypatch)
    places.append(place())
    java.write_text("#!/bin/sh\nexit 1\n\n")
    places.append(place())
    assert len(set(places)) == 3


def test_who_has_no_java_or_a_machine_that_names_an_archive_for_all_makes_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:SharedArchiveFile=/opt/all.jsa")
    assert (class_archive.options(), class_archive.make(), class_archive.is_lacking()) == ("", False, False)
    monkeypatch.delenv("JDK_JAVA_OPTIONS")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert (class_archive.options(), class_archive.make()) == ("", False)


def test_nobody_waits_for_another_who_makes_it() -> None:
    with place().with_suffix(".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert not class_archive.make()


def test_what_a_making_that_was_killed_left_is_removed_by_the_next_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    java_in(tmp_path / "java", monkeypatch)
    left, another = (place().with_name(f"making-{stem}-x") for stem in (place().stem, "of-another-spark"))
    left.mkdir()
    another.mkdir()
    assert not class_archive.make()  # this Java starts no Spark
    assert list(place().parent.glob("making-*")) == [another]


def test_a_cache_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert not class_archive.make()


def test_drivers_are_told_of_it_and_executors_where_they_are_on_this_machine() -> None:
    place().touch()
    local, cluster, away = (
        application._settings("shop", master, {}, None, False)
        for master in ("local[2]", "spark://127.0.0.1:7077", "yarn")
    )
    told = class_archive.options()
    assert all(settings["spark.driver.extraJavaOptions"].endswith(told) for settings in (local, cluster, away))
    assert cluster["spark.executor.extraJavaOptions"] == told
    assert not any("spark.executor.extraJavaOptions" in settings for settings in (local, away))


def test_what_the_file_says_of_its_jvms_is_all_that_they_are_told() -> None:
    place().touch()
    conf = {"spark.driver.extraJavaOptions": "-Dmine=1"}
    assert application._settings("shop", "local[2]", conf, None, False)["spark.driver.extraJavaOptions"] == "-Dmine=1"


def test_nobody_makes_one_any_longer_for_somebody_who_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = java_in(tmp_path / "java", monkeypatch)
    java.write_text(f"#!/bin/sh\ntouch {tmp_path}/begun\nexec sleep 3600\n")
    starts = f"subprocess.Popen([{sys.executable!r}, '-m', {class_archive.__name__!r}], process_group=0)"
    with subprocess.Popen(
        [sys.executable, "-c", f"import subprocess; made = {starts}; print(made.pid, flush=True); made.wait()"],
        stdout=subprocess.PIPE,
        text=True,
    ) as leader:
        assert leader.stdout is not None
        group = int(leader.stdout.readline())
        eventually(lambda: (tmp_path / "begun").exists())
        leader.kill()
    eventually(lambda: not lives_on(group))
