"""One folder for all that a run of the tests writes: temporary files, the runs that penstock records, and logs.

It is made before anything else looks for such places, passed on to xdist's workers and to whatever tests start by the
environment, and removed at the end; a run in which something failed leaves it, see `logs`.
"""

import os
import tempfile
from pathlib import Path

import pytest

from tests.harness import class_archive

_NAMED = "PENSTOCK_TESTS"  # whoever is started by a test finds the folder by it


def place() -> Path:
    """This run's folder."""
    return Path(os.environ[_NAMED])


def prepare() -> None:
    """Make the folder, once a run, and point all that is started from here at it."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        os.environ[_NAMED] = tempfile.mkdtemp(prefix="pst-")
        place().chmod(0o755)  # PostgreSQL runs as somebody else
        (place() / "tmp").mkdir()
        (place() / "tmp").chmod(0o1777)
        (place() / "logs").mkdir()
    os.environ["TMPDIR"] = tempfile.tempdir = str(place() / "tmp")
    # Runs that tests record by default go nowhere near the user's own; no worker takes another's for the last.
    os.environ["XDG_STATE_HOME"] = str(place() / "state" / (worker or "main"))
    # The tests start some fifty JVMs, most for seconds: the better compiler would cost them more than it gives.
    quick = f"-XX:TieredStopAtLevel=1 -XX:ErrorFile={place() / 'tmp'}/hs_err_%p.log"
    os.environ.setdefault("JDK_JAVA_OPTIONS", f"{quick} {class_archive.options()}")


@pytest.hookimpl(tryfirst=True)  # before pytest chooses a place
def pytest_configure(config: pytest.Config) -> None:
    """`tmp_path` is below the folder too, by a name no longer than pytest's own: messages cut long ones."""
    prepare()
    if config.option.basetemp is None:
        config.option.basetemp = str(place() / "t")
