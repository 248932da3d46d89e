"""The event log of an application from a Spark history server, whose REST API hands it out: no folder is needed.

http://history:18080                                        the newest application that it has
http://history:18080/history/app-20261122/1/jobs/           that one, as in the browser's line
http://history:18080/api/v1/applications/app-20261122       the same
"""

import http.client
import json
import re
import shutil
import urllib.error
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from penstock.engines.spark.history.unpacking import check_times
from penstock.errors import ConfigError, told
from penstock.http_answers import opened

_ANSWERS_WITHIN_S = 60.0  # it may read logs of days first
_MOST_LISTED = 1 << 28  # bytes of its list of applications; one takes 400
_LEFT_FREE = 1 << 30  # bytes of the disk: others of this machine write there, too
_PIECE = 1 << 20
_ANY = "give a history server"
_NONE = "give a history server: what answers there is none"
_LOGIN = "it wants a login, which is not sent; give the folder of its logs"
_REMEDIES = {401: _LOGIN, 403: _LOGIN, 404: "name an application that it has; its first page lists them"}
_APPLICATION = re.compile(r"^(?P<above>.*?)/(?:history|api/v1/applications)/(?P<id>[^/]+)")


def is_address(place: str) -> bool:
    """Whether that is a server's, and no folder's or file's.

    >>> is_address("http://history:18080"), is_address("/tmp/spark-events")
    (True, False)
    """
    return place.startswith(("http://", "https://"))


def download(address: str, into: Path) -> Path:
    """The newest attempt's log of the application that the address names, or of the newest one, in that folder."""
    server, named = _parts(address)
    attempt = _newest(server, named)
    packed, folder = into / "log.zip", into / "log"
    with _asked(server, f"applications/{attempt}/logs", large=True) as answer:
        _saved(answer, packed, server)
    _unpack(packed, folder, server)
    packed.unlink()
    return folder


def _saved(answer: Any, file: Path, server: str) -> None:
    try:
        with file.open("wb") as saved:
            while piece := answer.read(_PIECE):
                _check_room(file.parent, len(piece), server)
                saved.write(piece)
        missing = answer.length  # of what was announced: a reader by pieces is not told
    except (OSError, http.client.HTTPException):
        missing = True
    if missing:
        raise _wrong(server, "ask again: the log broke off in the middle")


def _unpack(packed: Path, folder: Path, server: str) -> None:
    """What it says of itself bounds what is unpacked: no more is read of a part than it is said to have."""
    try:
        with zipfile.ZipFile(packed) as archive:
            whole = sum(part.file_size for part in archive.infolist())
            _check_room(packed.parent, whole, server)
            check_times(whole, packed.stat().st_size)
            archive.extractall(folder)
    except ConfigError:
        raise
    except Exception as error:  # of four packings, of encrypted parts and of names that no file can have
        remedy = f"give a history server: what answers there hands out no event logs ({told(error)})"
        raise _wrong(server, remedy) from None


def _check_room(folder: Path, size: int, server: str) -> None:
    if shutil.disk_usage(folder).free - size < _LEFT_FREE:
        remedy = f"set TMPDIR to a folder with more room: its log would leave less than {_LEFT_FREE >> 20:,} MiB free"
        raise _wrong(server, f"{remedy} in {folder.parent}")


def _parts(address: str) -> tuple[str, str | None]:
    """The server without a login that would be told in errors, and the application where one is named.

    >>> _parts("https://me:secret@gate/spark/history/app-1/jobs/")
    ('https://gate/spark', 'app-1')
    """
    try:
        split = urlsplit(address)
    except ValueError as error:
        server = address.rpartition("@")[2]
        raise _wrong(server, f"give the address of a history server that listens ({error})") from None
    where = split.netloc.rpartition("@")[2]
    found = _APPLICATION.match(split.path)
    above = split.path if found is None else found["above"]
    return f"{split.scheme}://{where}{above.rstrip('/')}", None if found is None else found["id"]


def _newest(server: str, named: str | None) -> str:
    """The path of the attempt that was heard of last: only attempts on YARN have an id."""
    if named is None:
        applications: Sequence[Mapping[str, Any]] = _json(server, "applications")
    else:
        applications = [_json(server, f"applications/{quote(named)}")]
    try:
        attempts = [
            (int(attempt.get("lastUpdatedEpoch", 0)), str(application["id"]), attempt.get("attemptId"))
            for application in applications
            for attempt in application.get("attempts", ())
        ]
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError):
        raise _wrong(server, _NONE) from None
    if not attempts:
        raise _wrong(server, "it has no application yet; Spark writes logs for it with spark.eventLog.enabled=true")
    _, application_id, attempt_id = max(attempts, key=lambda one: one[:2])
    return quote(application_id) if attempt_id is None else f"{quote(application_id)}/{quote(str(attempt_id))}"


def _json(server: str, path: str) -> Any:
    try:
        with _asked(server, path) as answer:
            said = answer.read(_MOST_LISTED)
    except (OSError, http.client.HTTPException):
        raise _wrong(server, "ask again: its answer broke off in the middle") from None
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        raise _wrong(server, _NONE) from None


def _asked(server: str, path: str, large: bool = False) -> Any:
    try:
        return opened(f"{server}/api/v1/{path}", _ANSWERS_WITHIN_S, large=large, goes_elsewhere=True)
    except urllib.error.HTTPError as error:
        with error:
            raise _wrong(server, f"it says {error.code} to {path}: {_REMEDIES.get(error.code, _ANY)}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise _wrong(server, f"give the address of a history server that listens ({reason})") from None


def _wrong(server: str, remedy: str) -> ConfigError:
    return ConfigError("--history", server, remedy)
