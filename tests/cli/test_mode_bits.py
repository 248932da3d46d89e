"""Files that may not be read or written as whoever calls: one line names the file and what to do about it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from penstock.store.open import open_store
from tests.cli.calling import environment
from tests.recorded import RUN, a_cycle

TENANTS = Path(__file__).parents[2] / "examples" / "tenants.yaml"

COMMANDS = (
    *(["report"], ["report", "last", "--store"], ["report", "last", "--incident", "--store"]),
    *(["explain", "last", "--store"], ["top", "--once", "--store"], ["diff", "last", "last", "--store"]),
    *(["control", "show", "--store"], ["control", "pause", "--store"]),
    *(["serve", "--port", "0", "--store"], ["run", str(TENANTS), "--store"]),
)
REMEDIES = ("for this user", "give a path that can be written")


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder with a store that nobody may read, and one that nobody may look into."""
    for name in ("open", "shut"):
        (tmp_path / name).mkdir()
        with closing(open_store(tmp_path / name / "runs.sqlite")) as store:
            store.begin(RUN)
            store.append(a_cycle(10.0))
    for path in (tmp_path / "open" / "runs.sqlite", tmp_path / "shut"):
        path.chmod(0o000)
    yield tmp_path
    (tmp_path / "shut").chmod(0o700)


def test_a_file_that_may_not_be_read_is_told_in_one_line_with_a_remedy(closed: Path) -> None:
    stores = (str(closed / "open" / "runs.sqlite"), str(closed / "shut" / "runs.sqlite"))
    commands = [[*command, store] for store in stores for command in COMMANDS]
    called = [sys.executable, "-m", "tests.cli.unprivileged", json.dumps(commands)]
    done = subprocess.run(called, env=environment(), capture_output=True, text=True, check=True)
    for command, said in zip(commands, json.loads(done.stdout), strict=True):
        line = said["stderr"]
        assert (said["returncode"] in (2, 75), line.count("\n"), command[-1] in line) == (True, 1, True), (
            command,
            said,
        )
        assert any(remedy in line for remedy in REMEDIES), line
