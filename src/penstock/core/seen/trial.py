"""A trial: one task on one slot with so many threads, given so many rows per second (model-driven paper, section 5)."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from penstock.core.units import positive
from penstock.errors import ConfigError

# What a thread does with one tuple, told by its number; some figure of the result comes back.
Work = Callable[[int], float]


class Task(Protocol):
    """The logic of an operator. Values only, so that it can be sent to a worker; what it needs is opened there."""

    @property
    def name(self) -> str:
        """What its model is filed under."""

    def open(self) -> AbstractContextManager[Work]:
        """Make a thread ready: its buffers, its connection."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried."""

    threads: int
    rate_rps: float

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise ConfigError("threads", self.threads, "a trial needs at least 1 thread")
        positive(self.rate_rps, "rate_rps")


@dataclass(frozen=True, slots=True)
class Measured:
    """What was seen in a trial, after its warm-up."""

    trial: Trial
    latency_s: tuple[tuple[float, float], ...]  # (seconds since the trial began, mean latency of what was done then)
    processed_rps: float
    cpu_share: float  # of the slot's core, above what it uses idle
    memory_share: float  # of the slot's memory, above what it uses idle
    others_share: float = 0.0  # of the slot's core, used by processes that are no part of the trial


@dataclass(frozen=True, slots=True)
class Finished:
    """A trial with its judgement: all that the search needs to know of it."""

    trial: Trial
    stable: bool
    slope: float | None  # seconds of latency gained per second; None when too little was done to tell
    processed_rps: float
    cpu_share: float
    memory_share: float
    others_share: float = 0.0
