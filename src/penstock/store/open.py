"""Opening a store by a path, a URL, or nothing at all, and finding a run in it."""

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile

from penstock.core.run import RunInfo
from penstock.errors import ConfigError
from penstock.store.archive import Archive, unknown_run
from penstock.store.database import Database
from penstock.store.retention import Retention
from penstock.store.sql import SqlStore
from penstock.store.sqlite_file import SQLITE, check_ordinary
from penstock.user_folders import state_folder

FILE_NAME = "runs.sqlite"


def default_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Where runs are recorded when nobody says where: the user's state directory, or here without a home.

    >>> str(default_path({"XDG_STATE_HOME": "/home/ann/.state"})), str(default_path({}))
    ('/home/ann/.state/penstock/runs.sqlite', 'penstock-runs.sqlite')
    """
    if not (environment.get("XDG_STATE_HOME") or environment.get("HOME")):
        return Path(f"penstock-{FILE_NAME}")
    return state_folder(environment) / FILE_NAME


def open_store(target: str | Path | None = None, retention: Retention | None = None, create: bool = True) -> SqlStore:
    """The store at a path or a URL; `create=False` to read what must be there already.

    Nothing is opened before it is used, so that a disk that is full can be tolerated; see `Tolerant`.
    """
    return SqlStore(Database(str(default_path() if target is None else target), create), retention)


def open_to_serve(target: str | Path | None = None) -> SqlStore:
    """The store at a path or a URL, for pages: of one that may only be read all but acts goes on."""
    place = str(default_path() if target is None else target)
    path = Path(place).expanduser()
    may_write = os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)
    return open_store(place, create="://" in place or not path.exists() or may_write)


def check_writable(target: str, field: str) -> None:
    """A ConfigError where the file at a path cannot be written, or is no store; a server of a URL may yet come up."""
    if "://" in target:
        with closing(open_store(target)) as store:  # which reads the URL, and connects to nothing yet
            if not store.database.is_file:
                return
            target = store.database.target
    path = Path(target).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        check_ordinary(path, field)
        begins = _begins(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError(field, target, f"give a path that can be written ({why})") from None
    if begins and begins != SQLITE:
        raise ConfigError(field, target, "give another path: this file is not of SQLite")


def _begins(path: Path) -> bytes:
    """What a file that can be written begins with; where there is none it is tried beside, for others may look."""
    if not path.exists():
        with TemporaryFile(dir=path.parent):
            return b""
    with path.open("r+b") as file:
        return file.read(len(SQLITE))


def find_run(archive: Archive, name: str) -> RunInfo:
    """The run of that id, else the newest of that name; `last` is the newest of all."""
    runs = archive.runs()
    found = [run for run in runs if run.id == name] or [run for run in runs if run.name == name]
    if not found and name == "last":
        found = list(runs)
    if not found:
        raise unknown_run(name, runs)
    return found[-1]
