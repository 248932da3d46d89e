"""What a forecasting method is: fitted once to a past, it can then look ahead from any later instant."""

from typing import Protocol

from penstock.core.arrays import Floats, Ints


class Fitted(Protocol):
    """A method after it has seen a past."""

    def ahead(self, past: Floats, origins: Ints, steps: int) -> Floats:
        """A row for each origin: the `steps` values that follow the first so many of `past`, known from these alone.

        `past` may be longer than what it was fitted to.
        """


class Method(Protocol):
    """One way to look ahead. What it cannot do with so short a past it answers with None."""

    @property
    def name(self) -> str:
        """What it is called in results."""

    def fit(self, past: Floats, steps: int) -> Fitted | None:
        """Learn from the past, to look `steps` ahead."""
