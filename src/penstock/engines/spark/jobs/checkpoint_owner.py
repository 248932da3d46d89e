"""Owners of checkpoints where no file system keeps locks: an object in the checkpoint says which driver writes there.

The driver counts its beats in it. Whoever else comes reads it, and this says what it is to do then. No clocks of hosts
are compared: a driver is alive when its object changes while it is watched.

| what is found | what it means |
|---|---|
| nothing | FREE |
| this driver's name | OURS |
| another driver of the same run, of before | SUCCEEDED: the run's own lease keeps that one from acting |
| another driver | WATCHED, for three beats |
| something else than when the watch began | ALIVE |
| still the same after three beats | DEAD |
"""

import json
from dataclasses import asdict, dataclass
from enum import Enum, auto

OWNER_FILE = "penstock-driver.owner"
BEAT_S = 20.0
DEAD_AFTER_S = 3 * BEAT_S

_VERSION = 1


class Ownership(Enum):
    """How a driver stands to a checkpoint."""

    FREE = auto()
    OURS = auto()
    SUCCEEDED = auto()
    WATCHED = auto()
    ALIVE = auto()
    DEAD = auto()


@dataclass(frozen=True, slots=True)
class Owner:
    """A driver that writes to a checkpoint: its run, its own name that no other has, where it runs, and its beats."""

    run: str
    driver: str
    host: str
    beat: int = 0

    def text(self) -> str:
        """As it is kept."""
        return json.dumps({"version": _VERSION, **asdict(self)})


@dataclass(frozen=True, slots=True)
class FirstSight:
    """What was found in a checkpoint at first, and when, by the clock of the one who watches."""

    text: str
    since_s: float


def owner_in(text: str) -> Owner | None:
    """Who it is; None where it is written by another version, or not whole.

    >>> owner_in(Owner("r1", "d1", "host").text())
    Owner(run='r1', driver='d1', host='host', beat=0)
    >>> owner_in("") is None
    True
    """
    try:
        said = json.loads(text)
        if said.pop("version") != _VERSION:
            return None
        return Owner(str(said["run"]), str(said["driver"]), str(said["host"]), int(said["beat"]))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def ownership(ours: Owner, found: str | None, had: bool, watch: FirstSight | None, now_s: float) -> Ownership:
    """See above. `had`: this driver owned the checkpoint before; another one of its run is then one of after."""
    if found is None:
        return Ownership.FREE
    owner = owner_in(found)
    if owner is not None and owner.driver == ours.driver:
        return Ownership.OURS
    if owner is not None and owner.run == ours.run and not had:
        return Ownership.SUCCEEDED
    if watch is None:
        return Ownership.WATCHED
    if watch.text != found:
        return Ownership.ALIVE
    return Ownership.DEAD if now_s - watch.since_s >= DEAD_AFTER_S else Ownership.WATCHED


def named(found: str) -> str:
    """The owner, in words."""
    owner = owner_in(found)
    return "a driver of another penstock" if owner is None else f"the driver of run {owner.run} on {owner.host}"
