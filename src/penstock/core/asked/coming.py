"""Who is to come yet: applications that somebody listed beforehand and of which nothing was heard so far."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListedApplication:
    """What its owner said of it: the executors that it may have, and what it may count for; None where nobody says."""

    name: str
    least: int = 0
    most: int = 100_000
    utility: float | None = None


@dataclass(frozen=True, slots=True)
class ToCome:
    """Those that are awaited, by name; `others` is whether some may come that nobody listed."""

    applications: tuple[ListedApplication, ...] = ()
    others: bool = True
