"""What a standby hears, and what it looks at while it waits."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.governing.standby import Word
from penstock.governing.standing import Ear, FilesSeen, _heard

WORD = Word(1.0, 2.0, 600.0)


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
