"""The secret of a standalone cluster of this machine: whoever may read its file can submit to it.

A standalone master runs, as its own user, whatever code reaches its port. With a secret, master, workers, drivers and
executors have to know it. It is in a file of settings for its owner alone, and never on a command line, which every
user of the machine can read; how it reaches a driver's JVM, `engines/spark/launch/driver.py` says.
"""

import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from penstock.errors import ConfigError
from penstock.local import processes

OPEN, CLOSED = ".properties", ".closed.properties"  # how the file's name ends, which all users can read
_MASTER = "org.apache.spark.deploy.master.Master"
_SECRET = "spark.authenticate.secret"
_WANTED = ("spark.authenticate", _SECRET)
_SETTINGS = {
    "spark.authenticate": "true",
    # The master's page asks nobody who they are.
    "spark.ui.killEnabled": "false",
    "spark.master.ui.decommission.allow.mode": "DENY",
}


def write_settings(file: Path, others: Mapping[str, str]) -> None:
    """A new file of settings for a cluster's processes: with a new secret, where its name says that it is closed."""
    closed = {**_SETTINGS, _SECRET: secrets.token_hex(32)} if file.name.endswith(CLOSED) else {}
    settings = {**others, **closed}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        opened.writelines(f"{name} {value}\n" for name, value in settings.items())


def settings_for(master: str) -> Mapping[str, str]:
    """What a driver has to be set to for that master: nothing, unless it is a closed cluster of this machine."""
    file = _file_of(master)
    if file is None or not file.name.endswith(CLOSED):
        return {}
    if not _is_ours(file):
        raise ConfigError("master", master, "it is another user's cluster; start one with `penstock cluster up`")
    lines = (line.split(maxsplit=1) for line in file.read_text(encoding="utf-8").splitlines())
    return {line[0]: line[1] for line in lines if len(line) == 2 and line[0] in _WANTED}


def _file_of(master: str) -> Path | None:
    """The file of settings that the master was started with, where it is one of this machine."""
    host, _, port = master.removeprefix("spark://").split(",")[0].rpartition(":")
    for process in processes.found_by("master", _MASTER):
        told = processes.command_of(process.pid)
        if (_after("--host", told), _after("--port", told)) == (host, port):
            named = _after("--properties-file", told)
            return None if named is None else Path(named)
    return None


def _is_ours(file: Path) -> bool:
    """Root could read the others too. But what another user's process names as its file is that user's word."""
    try:
        found = file.stat()
    except OSError:
        return False
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def _after(option: str, told: Sequence[str]) -> str | None:
    place = told.index(option) if option in told else len(told)
    return told[place + 1] if place + 1 < len(told) else None
