"""A query of the fake."""

from collections.abc import Callable
from dataclasses import dataclass, field

from penstock.engines.spark.fake.writer import FakeWriter


@dataclass(eq=False)
class FakeQuery:
    """It runs until it is stopped, or fails."""

    name: str | None
    runId: str  # noqa: N815
    writer: FakeWriter
    pool: str
    trigger_s: float
    ends: Callable[["FakeQuery", str | None], None]  # is told of its end, and of the error that it ended with
    bound: int | None = None
    piece: int | None = None
    next_batch: int = 0
    committed: list[int] = field(default_factory=list)  # by this run
    error: str | None = None
    isActive: bool = True  # noqa: N815

    def stop(self) -> None:
        """End it; again does nothing."""
        self._end(None)

    def fail(self, error: str) -> None:
        """It dies of that."""
        self._end(error)

    def _end(self, error: str | None) -> None:
        if self.isActive:
            self.isActive, self.error = False, error
            self.ends(self, error)
