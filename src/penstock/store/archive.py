"""An archive: a store whose runs can be listed and read back; the loop only needs its Store half."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from penstock.core.asked.price import Price
from penstock.core.ports import Store
from penstock.core.run import Run, RunInfo
from penstock.core.seen.view import View
from penstock.errors import ConfigError, OutageError

MOST_TOLD = 10_000  # characters of one text; here, for a store in memory needs no tables


class StoreError(OutageError):
    """The database did not do what was asked of it; nothing half-written is left behind."""


class RefusedError(StoreError):
    """The database works, but will not have this very cycle, now or later."""


class UnreadableError(StoreError):
    """The database works, but what is recorded there is nothing that a penstock wrote."""


class FileGoneError(StoreError):
    """The file that a run was written into no longer exists; `begin` goes on in the one that is."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An act of a person on a running controller: who did what, when (epoch seconds)."""

    at_epoch_s: float
    who: str
    act: str
    detail: str = ""


def beginning(text: str) -> str:
    """Of a text that is longer than is told of any, what is told.

    >>> beginning("soon"), len(beginning("x" * 3_000_000))
    ('soon', 10003)
    """
    return text if len(text) <= MOST_TOLD else f"{text[:MOST_TOLD]}..."


def check_told(**texts: str) -> None:
    """A ConfigError for a text that is longer than is told of any: it would be on every page."""
    for field, text in texts.items():
        if len(text) > MOST_TOLD:
            raise ConfigError(field, text, f"it has {len(text):,} characters; write {MOST_TOLD:,} at most")


class Archive(Store, Protocol):
    """Every store of ours. `begin` comes before the first `append`."""

    def begin(self, run: RunInfo) -> RunInfo:
        """Record under this run from now on.

        A run whose id is known already is gone on with, as a restarted controller does: its clock, and so
        its start, stay as they were; the answer says which.
        """

    @property
    def last_at_s(self) -> float | None:
        """The instant of the newest cycle of the run that is recorded; None before there is one."""

    def reprice(self, price: Price | None) -> None:
        """The slots of the run that is recorded cost that, and are told so of the whole of it."""

    def runs(self) -> tuple[RunInfo, ...]:
        """All runs, oldest first."""

    def read_run(self, run_id: str) -> Run:
        """The whole run, for reports."""

    def views(self, run_id: str) -> Iterator[View]:
        """What the policy saw, cycle by cycle, as far as whole cycles are kept."""

    def close(self) -> None:
        """Let go of connections; the store is not used afterwards."""


def unknown_run(name: str, known: Sequence[RunInfo]) -> ConfigError:
    """The error for a run that is not there, with those that are."""
    ids = ", ".join(str(run.id) for run in known[-5:])  # of a damaged file it may be nothing
    return ConfigError("run", name, f"name one that is recorded: last, {ids}" if ids else "none is recorded here yet")
