"""Where a run of the tests writes."""

import os
import subprocess
import sys
from pathlib import Path

from tests.harness.place import claimed, in_memory, logs_place, place, sweep


def test_memory_is_taken_where_there_is_room_and_left_where_there_is_not(tmp_path: Path) -> None:
    assert in_memory(tmp_path, room=1) == tmp_path
    assert in_memory(tmp_path, room=2**60) is None
    assert in_memory(tmp_path / "none", room=1) is None


def test_the_folder_of_a_run_that_was_killed_goes_and_that_of_one_that_lives_stays(tmp_path: Path) -> None:
    for name in ("pst-killed", "pst-lives", "of-others"):
        (tmp_path / name / "t").mkdir(parents=True)
    claim = "import sys; from pathlib import Path; from tests.harness.place import claimed; claimed(Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", claim, str(tmp_path / "pst-killed")], check=True)
    assert claimed(tmp_path / "pst-lives")
    sweep(tmp_path)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["of-others", "pst-lives"]


def test_temporary_files_are_below_the_folder_and_what_is_kept_of_a_failure_is_not(tmp_path: Path) -> None:
    assert tmp_path.is_relative_to(place())
    assert Path(os.environ["TMPDIR"]).is_relative_to(place())
    assert not logs_place().is_relative_to(place())
