"""This driver's checkpoints where no file system keeps locks: it writes down that they are its own, and beats.

What is found there means what `checkpoint_owner` says. A driver that takes a dead one's place writes its name and reads
it again a while later: of two that do so at the same time the one that wrote last goes on.

Two may go on at once where a store cannot create an object without overwriting, or removes the old one before it writes
the new one, and where a driver stands still right between what it reads and what it writes. The next beat of one of
them finds the other's name: that one then stops its query, and writes there no more.
"""

import logging
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock

from penstock.engines.spark.jobs.checkpoint_owner import (
    BEAT_S,
    OWNER_FILE,
    FirstSight,
    Owner,
    Ownership,
    named,
    owner_in,
    ownership,
)
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.jobs.starting import called
from penstock.engines.spark.jvm.checkpoint_files import Files, reached
from penstock.errors import EngineError, told
from penstock.threads import BesideThread

LOOK_EVERY_S = 5.0  # while another one's driver is watched
_SETTLES_S = 3.0  # between what another taker read and its own writing
_ANSWERS_WITHIN_S = 5.0  # the other checkpoints' beats wait no longer for one whose store stands still
_ENDS_WITHIN_S = 10.0

_log = logging.getLogger("penstock.spark")


class WatchedError(EngineError):
    """The checkpoint is another driver's, of which nobody knows yet whether it lives."""

    def __init__(self, job: str, files: Files, ours: Owner, watch: FirstSight) -> None:
        self.why = (
            f"its checkpoint {files.location} is that of {named(watch.text)}; that one is watched for a minute, to see "
            "whether it is alive"
        )
        super().__init__(f"{job}: {self.why}")
        self.job, self.files, self.ours, self.watch = job, files, ours, watch


@dataclass(slots=True)
class _Owned:
    """A checkpoint of ours; one thing at a time is done to its object."""

    job: str
    files: Files
    ours: Owner
    query: Query | None = None
    turn: Lock = field(default_factory=Lock)
    let_go: bool = False
    quiet: bool = False  # its store's trouble is told


class Owners:
    """The checkpoints that are this driver's."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
        answers_within_s: float = _ANSWERS_WITHIN_S,
    ) -> None:
        self._driver = uuid.uuid4().hex
        self._host = socket.gethostname()
        self._clock = clock
        self._pause = pause
        self._answers_within_s = answers_within_s
        self._lock = Lock()
        self._held: dict[str, _Owned] = {}  # by location
        self._had: set[str] = set()
        self._stopped: dict[str, str] = {}  # why, by the run of the query
        self._watched: dict[str, str] = {}  # whose checkpoint, in words, by the job whose start waits for that

    def take(self, job: str, files: Files, run: str) -> None:
        """Make the checkpoint ours, before anything is written there; a WatchedError where it may be another's."""
        ours = Owner(run, self._driver, self._host)
        with self._between_beats(job, files), reached(files):
            for _ in range(2):  # another one may come between
                found = _read(files)
                match self._ownership(files, ours, found, None):
                    case Ownership.OURS:
                        return self._hold(job, files, replace(ours, beat=_beat_in(found)))
                    case Ownership.FREE:
                        if files.create(OWNER_FILE, ours.text()) and _is(ours, _read(files)):
                            return self._hold(job, files, ours)
                    case Ownership.SUCCEEDED:
                        files.write(OWNER_FILE, ours.text())
                        if _is(ours, _read(files)):
                            return self._hold(job, files, ours)
                    case _:
                        raise WatchedError(job, files, ours, FirstSight(found or "", self._clock()))
        raise EngineError(f"{job}: another driver takes its checkpoint {files.location} just now; start it again")

    def wait(self, watched: WatchedError) -> None:
        """Until it is known whether the other driver lives; an EngineError if it does, else the checkpoint is ours."""
        _log.warning("%s", watched)
        self._watched[watched.job] = watched.why
        try:
            with reached(watched.files):
                self._watch(watched.job, watched.files, watched.ours, watched.watch)
        finally:
            del self._watched[watched.job]

    def watches_for(self, job: str) -> str | None:
        """Whose checkpoint the job's start waits for, in words."""
        return self._watched.get(job)

    def _watch(self, job: str, files: Files, ours: Owner, watch: FirstSight) -> None:
        while True:
            found = _read(files)
            match self._ownership(files, ours, found, watch):
                case Ownership.WATCHED:
                    self._pause(LOOK_EVERY_S)
                case Ownership.ALIVE:  # it may be just about to write
                    raise _refused(job, files, found if found and owner_in(found) else watch.text)
                case Ownership.DEAD:
                    return self._succeed(job, files, ours, watch)
                case _:
                    return self._follow(job, files, ours)

    def runs(self, files: Files, query: Query) -> None:
        """The query runs there from now on."""
        with self._lock:
            held = self._held.get(files.location)
            if held is not None:
                held.query = query
                return
        query.stop()
        raise EngineError(f"another driver took the checkpoint {files.location} while the query was started there")

    def has_had(self, files: Files) -> bool:
        """Whether it is or was this driver's."""
        return files.location in self._had

    def why_stopped(self, run_id: str) -> str | None:
        """In words, where that run of a query was stopped because its checkpoint is another driver's."""
        return self._stopped.get(run_id)

    def beat(self) -> None:
        """One beat in each checkpoint; one whose store does not answer keeps the others waiting once, and not long."""
        with self._lock:
            held = list(self._held.values())
        for one in held:
            if one.turn.locked():
                continue  # it is still under way
            try:
                called(f"the store of {one.files.location}", partial(self._beat, one), self._answers_within_s)
                one.quiet = False
            except Exception as error:
                if not one.quiet:
                    _log.warning("%s: that its checkpoint is ours could not be renewed: %s", one.job, told(error))
                one.quiet = True

    def let_go(self) -> None:
        """Of all: nothing is written there any more. Whoever comes next waits for nothing."""
        with self._lock:
            held, self._held, self._had = list(self._held.values()), {}, set()
        for one in held:
            one.let_go = True
        threads = [BesideThread(_remove, "penstock-owner-end", (one,)) for one in held]
        until_s = time.monotonic() + _ENDS_WITHIN_S
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until_s - time.monotonic()))

    @contextmanager
    def _between_beats(self, job: str, files: Files) -> Iterator[None]:
        """What a beat of ours writes is not read while it is not whole."""
        with self._lock:
            held = self._held.get(files.location)
        if held is None:
            yield
            return
        if not held.turn.acquire(timeout=self._answers_within_s):
            raise EngineError(
                f"{job}: the store of its checkpoint {files.location} does not answer; see that it is reachable, and "
                "start the query again"
            )
        try:
            yield
        finally:
            held.turn.release()

    def _ownership(self, files: Files, ours: Owner, found: str | None, watch: FirstSight | None) -> Ownership:
        return ownership(ours, found, self.has_had(files), watch, self._clock())

    def _hold(self, job: str, files: Files, ours: Owner) -> None:
        with self._lock:
            self._had.add(files.location)
            held = self._held.setdefault(files.location, _Owned(job, files, ours))
            held.job, held.files = job, files  # by now they may be reached through another session

    def _follow(self, job: str, files: Files, ours: Owner) -> None:
        """Who was watched ended, or it is just about to write, in a store that removes what was there before."""
        self._pause(_SETTLES_S)
        try:
            self.take(job, files, ours.run)
        except WatchedError as watched:
            raise _refused(job, files, watched.watch.text) from None

    def _succeed(self, job: str, files: Files, ours: Owner, watch: FirstSight) -> None:
        files.write(OWNER_FILE, ours.text())
        self._pause(_SETTLES_S)
        found = _read(files)
        if not _is(ours, found):
            raise _refused(job, files, found or "")
        _log.warning(
            "%s: %s gave no sign for a minute; its checkpoint %s is ours", job, named(watch.text), files.location
        )
        self._hold(job, files, ours)

    def _beat(self, one: _Owned) -> None:
        with one.turn:
            if one.let_go:
                return
            since_s = self._clock()
            found = _read(one.files)
            if self._clock() - since_s > BEAT_S:
                return  # this process stood still: what was read is old, and the next beat reads it again
            if found is None:  # somebody removed it
                one.files.create(OWNER_FILE, one.ours.text())
            elif _is(one.ours, found):
                one.ours = replace(one.ours, beat=one.ours.beat + 1)
                one.files.write(OWNER_FILE, one.ours.text())
            elif owner_in(found) is not None:  # else it is not whole, as while somebody writes it
                self._lose(one, found)

    def _lose(self, one: _Owned, found: str) -> None:
        why = (
            f"{named(found)} took over its checkpoint {one.files.location}, while this driver stood still or did not "
            "reach it; its query was stopped here, and the checkpoint is left to that driver"
        )
        one.let_go = True
        with self._lock:
            if self._held.get(one.files.location) is one:
                del self._held[one.files.location]
            if one.query is not None:
                self._stopped[one.query.runId] = why
        _log.error("%s: %s", one.job, why)
        if one.query is not None:  # it may take as long as its batch
            BesideThread(_stop, "penstock-owner-stop", (one.job, one.query)).start()


def _beat_in(found: str | None) -> int:
    owner = None if found is None else owner_in(found)
    return 0 if owner is None else owner.beat


def _read(files: Files) -> str | None:
    return files.read(OWNER_FILE) if files.exists(OWNER_FILE) else None


def _is(ours: Owner, found: str | None) -> bool:
    owner = None if found is None else owner_in(found)
    return owner is not None and owner.driver == ours.driver


def _refused(job: str, files: Files, found: str) -> EngineError:
    return EngineError(
        f"{job}: {named(found)} runs on its checkpoint {files.location} and is alive; end that driver, or name another "
        "checkpoint"
    )


def _remove(one: _Owned) -> None:
    try:
        with one.turn:
            if _is(one.ours, _read(one.files)):
                one.files.remove(OWNER_FILE)
    except Exception as error:
        _log.warning("%s: its checkpoint could not be let go of: %s", one.job, told(error))


def _stop(job: str, query: Query) -> None:
    try:
        query.stop()
    except Exception as error:
        _log.warning("%s: its query could not be stopped: %s", job, told(error))
