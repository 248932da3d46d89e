"""Jars: pinned, checked, cached; and where they come from."""

import subprocess
from pathlib import Path

import pytest

from penstock.errors import EngineError
from penstock.local.kafka import jars
from penstock.local.kafka.jars import JarSet


@pytest.mark.jvm
def test_jars_are_in_the_cache_after_the_first_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = jars.jars(JarSet.CONNECTOR)
    monkeypatch.setattr(subprocess, "run", lambda *command, **options: pytest.fail("fetched again"))
    jars.jars.cache_clear()
    assert jars.jars(JarSet.CONNECTOR) == fetched


def test_no_two_jars_have_one_file_name() -> None:
    listed = jars.locked(JarSet.BROKER)
    assert len({jar.file for jar in listed}) == len(listed) > 50


@pytest.mark.jvm
def test_a_jar_that_is_not_what_the_lock_file_says_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = next(jar for jar in jars.locked(JarSet.CONNECTOR) if jar.artifact == "commons-pool2")
    # Maven's local repository has one of its name, so that no registry is asked.
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    there = tmp_path / "home/.m2/repository" / jar.group.replace(".", "/") / jar.artifact / jar.version
    there.mkdir(parents=True)
    (there / f"{jar.artifact}-{jar.version}.jar").write_bytes(b"something else")
    with pytest.raises(EngineError, match="SHA-256 differs"):
        jars._fetch([jar], tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_mirror_in_mavens_settings_is_used(tmp_path: Path) -> None:
    settings = tmp_path / "settings.xml"
    settings.write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0"><mirrors>'
        "<mirror><id>a</id><mirrorOf>other</mirrorOf><url>https://a.example</url></mirror>"
        "<mirror><id>b</id><mirrorOf>central</mirrorOf><url>https://b.example/maven</url></mirror>"
        "</mirrors></settings>"
    )
    assert jars.mirror_of_central(settings) == "https://b.example/maven/"
    assert jars.mirror_of_central(tmp_path / "none.xml") is None
