"""An archive of classes is used where there is one, and missed by nobody where there is none."""

from pathlib import Path

import pytest

from tests.harness import class_archive


def test_a_jvm_is_told_of_an_archive_that_is_there_and_of_nothing_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert class_archive.options() == ""
    place = class_archive._archive()
    place.parent.mkdir(parents=True)
    place.touch()
    assert class_archive.make() == place  # nothing to do
    assert f"-XX:SharedArchiveFile={place}" in class_archive.options()


def test_another_java_has_another_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = class_archive._archive()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").touch(mode=0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert class_archive._archive() != before
