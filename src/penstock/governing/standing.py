"""A standby as it sees itself: it starts its JVM, warms it, imports what it will need, and waits for the word.

Until the word comes it touches nothing that is the driver's: no master, no checkpoint, no store, no coordinator.
"""

import importlib
import logging
import os
import select
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.config.named import modules_beside
from penstock.config.tenants import TenantsFile
from penstock.engines.hand import ANSWERS_WITHIN_S
from penstock.engines.spark.jobs.starting import TURN_S
from penstock.engines.spark.jvm.unstarted import spark_unstarted
from penstock.engines.spark.jvm.warming import warm_up
from penstock.errors import told
from penstock.governing.groups import ended
from penstock.governing.pulse import WAITS, Heart, Pulse
from penstock.governing.run import RunOptions, policy_of, start_jvm_for
from penstock.governing.standby import ARCHIVES, Word
from penstock.threads import BesideThread

NOBODY_SPOKE = 0
JVM_ENDED = 1
CHANGED = 3  # what it has read is no longer what a driver would read
_WARMS_WITHIN_S = 3600.0  # nobody waits for it
_LOOK_EVERY_S = 0.5
# What a driver imports only when it comes to it.
_LATER = ("penstock.store.open",)

_log = logging.getLogger("penstock")


class Ear:
    """Hears the word on standard input; nobody can speak any more when that ends."""

    def __init__(self, source: int = 0) -> None:
        self._source = source
        self._heard = b""
        self.over = False

    def word(self, wait_s: float = 0.0) -> Word | None:
        """It, if it has come within that time."""
        if b"\n" not in self._heard and not self.over and select.select([self._source], [], [], wait_s)[0]:
            read = os.read(self._source, 4096)
            self._heard, self.over = self._heard + read, not read
        line, end, _ = self._heard.partition(b"\n")
        return Word.read(line.decode()) if end else None


@dataclass(frozen=True, slots=True)
class FilesSeen:
    """Files of the user's as they were read: the tenants file, and the modules below its folder."""

    stamps: Mapping[Path, int | None]

    @classmethod
    def now(cls, tenants: Path, code: Path) -> "FilesSeen":
        """As far as they are imported."""
        files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
        own = [Path(file) for file in files if file and Path(file).is_relative_to(code)]
        return cls({path: _stamp(path) for path in (tenants, *own)})

    def changed(self) -> bool:
        """Whether a driver that starts now would read something else."""
        return any(_stamp(path) != stamp for path, stamp in self.stamps.items())


def stand_by(file: Path, tenants: TenantsFile, options: RunOptions, life: Path) -> Word:
    """Return with the word, warm. Where something ends the waiting instead, so does the process."""
    heart, ear = Heart(life, _WARMS_WITHIN_S), Ear()
    seen = FilesSeen.now(file, file.parent)
    heart.start()
    try:
        _import(tenants, options, ear)
        seen = FilesSeen({**FilesSeen.now(file, file.parent).stamps, **seen.stamps})
        gateway = _warm(tenants, options, ear)
        word = ear.word() or _waited(ear, heart, gateway, seen)
    finally:
        heart.stop()
    if seen.changed():
        _begin_anew(word)
    return word


def _import(tenants: TenantsFile, options: RunOptions, ear: Ear) -> None:
    """What a driver would import. Where a module hangs the word is heard all the same, and nothing of it kept."""
    importing = BesideThread(_imported, "penstock-import", (tenants, options))
    importing.start()
    while importing.is_alive():
        word = ear.word()
        importing.join(_LOOK_EVERY_S if word is None else TURN_S)
        if word is not None and importing.is_alive():
            _begin_anew(word)
        if ear.over:
            raise SystemExit(NOBODY_SPOKE)


def _imported(tenants: TenantsFile, options: RunOptions) -> None:
    for module in _LATER:
        with suppress(ImportError):  # of an extra that is not installed
            importlib.import_module(module)
    with modules_beside(options.code or Path(), spark_unstarted):
        for part in tenants.jobs:
            # Whatever a user's module raises is its tenant's trouble, and told when its query is started.
            with suppress(BaseException):
                part.function()
    with suppress(Exception):
        policy_of(tenants, options)


def _warm(tenants: TenantsFile, options: RunOptions, ear: Ear) -> Any:
    """Start the JVM and warm it, as far as there is time; None where that failed: a driver begins without."""
    try:
        if not _archive(ear):
            return None
        gateway = start_jvm_for(tenants, options)
        if ear.word() is None:
            warm_up(lambda: ear.word() is not None)
    except Exception as error:
        _log.warning("the standby could not be warmed: %s", told(error))
        return None
    return gateway


def _archive(ear: Ear) -> bool:
    """Whether nobody called while Spark's classes were archived; another process does that, with the least right."""
    making = subprocess.Popen(ARCHIVES, process_group=0, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while making.poll() is None:
            if ear.word(_LOOK_EVERY_S) is not None or ear.over:
                return False
    finally:
        ended(making, 0.0)
    return True


def _waited(ear: Ear, heart: Heart, gateway: Any, seen: FilesSeen) -> Word:
    pulse = None if gateway is None else Pulse(gateway.jvm.java.lang.System.nanoTime)
    if pulse is not None:
        pulse.start()
    heart.governed_by(lambda: pulse is None or pulse.silent_s() <= ANSWERS_WITHIN_S, WAITS)
    try:
        return _heard(ear, lambda: gateway is not None and gateway.proc.poll() is not None, seen)
    finally:
        if pulse is not None:
            pulse.stop()


def _heard(ear: Ear, jvm_ended: Callable[[], bool], seen: FilesSeen) -> Word:
    while True:
        word = ear.word(_LOOK_EVERY_S)
        if word is not None:
            return word
        if ear.over:
            raise SystemExit(NOBODY_SPOKE)
        if jvm_ended():
            raise SystemExit(JVM_ENDED)
        if seen.changed():
            raise SystemExit(CHANGED)


def _begin_anew(word: Word) -> None:
    """As a driver that nobody had warmed: what was read is old. The JVM ends, as nobody can speak to it any more."""
    given = sys.argv[1:]
    place = given.index("--awaits")
    os.execv(
        sys.executable,
        [sys.executable, "-m", "penstock.cli.main", *given[:place], *given[place + 2 :], *word.arguments()],
    )


def _stamp(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
