"""What CI runs fails it; the oldest Spark, where no registry gives it, is left out and that is said."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.programs import program

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("setup", "oldest", "code", "said"),
    [(0, 0, 0, ""), (0, 2, 2, ""), (75, 0, 0, "nothing is tested on the oldest Spark"), (1, 0, 1, "")],
    ids=["all pass", "a test fails", "no such wheel", "not installed"],
)
def test_what_fails_on_the_oldest_spark_fails_and_a_registry_without_it_is_said(
    tmp_path: Path, setup: int, oldest: int, code: int, said: str
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    program(tmp_path / "scripts" / "setup.sh", f"exit {setup}")
    here = program(tmp_path / "bin" / "make", f'echo "$1" >>made; [ "$1" != test-oldest ] || exit {oldest}')
    environment = {**os.environ, "PATH": f"{here}:/usr/bin:/bin"}
    done = subprocess.run([tmp_path / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stderr) == (code, True)
    made = (tmp_path / "made").read_text().split()
    assert ("test" in made, "test-oldest" in made) == (True, setup == 0)
