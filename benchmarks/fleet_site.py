"""A way of `fleet_of_eight`: its applications, what comes to each, who held what when, and what each recorded."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from fleet_clusters import Standing

from penstock.core.seen.view import View
from penstock.errors import PenstockError
from penstock.governing.demo_tenants import spike
from penstock.store.open import open_store

INTERVAL_S = 10.0  # of the coordinator's rounds: the default
BESIDES = 50.0  # rows a second of the others: a little more than one executor can do beside what batches cost
NAMES = ("clicks", "ads", "bots", "geo", "audit", "reports", "payments", "fraud")
URGENT = ("payments", "fraud")


@dataclass(frozen=True, slots=True)
class Length:
    """Seconds until utility counts, and for which it does; the spike is the middle third of these."""

    warm: float
    counted: float

    @property
    def spike(self) -> tuple[float, float]:
        """When it begins and ends, since the rows of the last driver began."""
        return self.warm + self.counted / 3, self.warm + 2 * self.counted / 3


@dataclass
class Site:
    """A way's cluster, drivers and records; `held` is who held how many executors when, by the cluster manager."""

    place: Path
    way: str
    length: Length
    names: Sequence[str]
    on: Standing
    held: list[tuple[float, Mapping[str, int]]] = field(default_factory=list)

    def store(self, name: str) -> Path:
        return self.place / f"{name}.sqlite"


def curve(name: str, length: Length) -> tuple[tuple[float, float], ...]:
    """Rows a second."""
    if name == "fraud":
        return spike(60.0, 4.5, *length.spike)
    return ((0.0, 90.0 if name in URGENT else BESIDES),)


def views(site: Site, name: str) -> list[tuple[float, View]]:
    """Those recorded so far, at seconds since the epoch."""
    if not site.store(name).exists():
        return []
    with closing(open_store(site.store(name), create=False)) as store:
        try:
            return [
                ((info.started_at_s or 0.0) + view.at_s, view) for info in store.runs() for view in store.views(info.id)
            ]
        except PenstockError:  # its file is there, and its tables not yet
            return []
