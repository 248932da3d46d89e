"""Which Java is run."""

from pathlib import Path

import pytest

from penstock.errors import EngineError
from penstock.local.java import java


def test_a_java_home_without_a_java_is_said_and_no_other_one_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match=f"no Java was found in JAVA_HOME, {tmp_path}; install one"):
        java()


def test_the_java_of_java_home_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.touch(mode=0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java() == str(program)
