"""A query as governing knows it: a handle, with the little that it says of itself."""

from dataclasses import dataclass
from typing import Protocol

from penstock.errors import EngineError


class Query(Protocol):
    """PySpark's own are such; so are those of the fake."""

    @property
    def name(self) -> str | None:
        """As its writer named it; None where it did not."""

    @property
    def runId(self) -> str:  # noqa: N802
        """Of this run: another start has another."""

    @property
    def isActive(self) -> bool:  # noqa: N802
        """Whether it runs still."""

    def stop(self) -> None:
        """End it now."""


@dataclass(frozen=True, slots=True)
class BatchInterval:
    """How often a query's batches begin by the clock, and whether that can be turned while it runs."""

    every_s: float
    turns: bool


@dataclass(frozen=True, slots=True)
class TaskPiece:
    """The most rows that one task of a query reads; None: what its source gives it. `by_people`: its options say so."""

    rows: int | None
    by_people: bool


class RestartError(EngineError):
    """The job could not be changed; `query` is the one that was started as it was before."""

    def __init__(self, message: str, query: Query) -> None:
        self.query = query
        super().__init__(message)
