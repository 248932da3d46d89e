"""Where a driver lets a penstock in: the files that its plugin wrote, each for its owner alone."""

import json
import logging
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.errors import ConfigError
from penstock.user_folders import state_folder

_MOST_PID, _MOST_PORT = 2**31 - 1, 2**16 - 1
_TEXTS = ("application", "name", "spark", "host", "token")
JAR = Path(__file__).parents[1] / "plugin" / "penstock-attach.jar"

_log = logging.getLogger("penstock")


@dataclass(frozen=True, slots=True)
class DriverDoor:
    """One driver's gateway. Who has the token can do in the driver whatever its own user can."""

    file: Path
    application: str
    name: str
    spark: str
    pid: int
    host: str
    port: int
    token: str

    @property
    def stands(self) -> bool:
        """Whether the driver's process still runs; one that was killed leaves its file behind."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def __repr__(self) -> str:  # what is printed or logged of it has no token
        return f"DriverDoor({self.application!r}, {self.name!r}, Spark {self.spark}, process {self.pid})"


def folder(environment: Mapping[str, str]) -> Path:
    """Where drivers write their files unless `spark.penstock.attach` names another.

    >>> str(folder({"XDG_STATE_HOME": "/home/ann/.state"}))
    '/home/ann/.state/penstock/attach'
    """
    return state_folder(environment) / "attach"


def doors(place: Path) -> Sequence[DriverDoor]:
    """Those in the folder whose drivers run, by application; a file that is damaged keeps nobody from the others."""
    found = [_if_right(file) for file in sorted(place.glob("*.json"))] if place.is_dir() else []
    return [door for door in found if door is not None and door.stands]


def _if_right(file: Path) -> DriverDoor | None:
    try:
        return read_door(file)
    except ConfigError as error:
        _log.warning("passed over: %s", error)
        return None


def find_door(wanted: str | None, place: Path) -> DriverDoor:
    """The one that a file's path or an application's id or name says; the only one there is, where none is said."""
    if wanted is not None and Path(wanted).is_file():
        return _standing(read_door(Path(wanted)))
    if wanted is not None and (place / f"{wanted}.json").is_file():
        return _standing(read_door(place / f"{wanted}.json"))
    there = doors(place)
    found = [door for door in there if wanted in (None, door.name)]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{door.application} ({door.name})" for door in there)
    if not there:
        remedy = f"start it with --driver-class-path {JAR} --jars {JAR} --conf spark.plugins=penstock.AttachPlugin"
        raise ConfigError("application", wanted or "none", f"no driver lets a penstock in at {place}; {remedy}")
    raise ConfigError("application", wanted or "none", f"name one of {listed}")


def read_door(file: Path) -> DriverDoor:
    """What the file says, where nobody else can have read or written it."""
    try:
        found = file.stat()
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            remedy = "it is to be yours, and readable by you alone (0600); else whoever wrote it may be anybody"
            raise ConfigError("application", str(file), remedy)
        told: Any = json.loads(file.read_text(encoding="utf-8"))
        application, name, spark, host, token = (str(told[field]) for field in _TEXTS)
        pid, port = int(told["pid"]), int(told["port"])
        if not (0 < pid <= _MOST_PID and 0 < port <= _MOST_PORT):
            raise ValueError("no process or port has such a number")
        return DriverDoor(file, application, name, spark, pid, host, port, token)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        remedy = "give the file that the driver's plugin wrote, or the application's id"
        raise ConfigError("application", str(file), remedy) from error


def _standing(door: DriverDoor) -> DriverDoor:
    if not door.stands:
        raise ConfigError("application", door.application, f"its driver has ended; {door.file} is left of it")
    return door
