"""Who leads, of several coordinators on Kubernetes: a Lease object, as its own controllers have theirs.

No clock but each one's own counts: a lease has run out once its object has not changed for its length since it was
first seen so. The epoch is an annotation, and a new one each time that the lease was taken, also by the one that had it
and was late. Who writes shows which version of the object it has read: of two one is refused.

An object that is made anew goes on by the clock (see `next_epoch`); the newest epoch that was seen counts too, so that
a clock that is wrong does no harm while a coordinator lives.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, inf
from typing import Any

from penstock.core.seen.leader import LONGEST_S, Leader, next_epoch
from penstock.kubernetes_api import KubernetesApi, NothingThereError, OvertakenError

_GROUP = "coordination.k8s.io/v1"
PLACE = "penstock/place"  # an annotation: where agents find whoever leads
EPOCH = "penstock/epoch"
_DIGITS = 20  # that an epoch has at most, though somebody wrote into the object
_MOST_TRANSITIONS = 2**31 - 1  # that the API server takes


@dataclass(frozen=True, slots=True)
class _SeenVersion:
    """A version of the object, and when it was seen first."""

    version: str
    at_s: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """For how long and above which epoch the lease is wanted, and since when."""

    lease_s: float
    at_s: float
    above: int


class KubernetesLease:
    """One object, by namespace and name; `holder` is whoever asks through this."""

    def __init__(
        self,
        api: KubernetesApi,
        namespace: str,
        name: str,
        holder: str,
        place: str = "",
        even: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._api = api
        self._list = f"/apis/{_GROUP}/namespaces/{namespace}/leases"
        self._name = name
        self._holder = holder
        self._place = place
        self._even = even
        self._wall = wall
        self._seen: _SeenVersion | None = None
        self._until_s = -inf  # it is ours
        self._epoch = 0  # the newest that was seen: it rises also where somebody removed the object

    def take(self, lease_s: float, above: int = 0) -> Leader:
        """See Lease."""
        asked_s = self._even()
        try:
            found = self._read()
        except NothingThereError:
            return self._made(_Asked(lease_s, asked_s, above))
        spec, asked = found.get("spec") or {}, _Asked(lease_s, asked_s, above)
        self._epoch = max(self._epoch, _epoch_of(found))
        if not spec.get("holderIdentity"):
            return self._written(found, asked)
        if spec["holderIdentity"] == self._holder and asked_s < self._until_s:
            return self._written(found, asked, renews=True)
        # Somebody else may have written there that it goes on for years.
        if self._lapsed(found, min(float(spec.get("leaseDurationSeconds") or lease_s), max(lease_s, LONGEST_S))):
            return self._written(found, asked, lapsed=_place_of(found))
        return Leader(str(spec["holderIdentity"]), _place_of(found), self._epoch, ours=False)

    def release(self) -> None:
        """Let another lead at once."""
        self._until_s = -inf
        found = self._read()
        if (found.get("spec") or {}).get("holderIdentity") == self._holder:
            spec = {**found["spec"], "holderIdentity": "", "leaseDurationSeconds": 1}
            self._api.send("PUT", f"{self._list}/{self._name}", {**found, "spec": spec})

    def close(self) -> None:
        """Nothing is kept."""

    def _read(self) -> Any:
        return self._api.get(f"{self._list}/{self._name}")

    def _lapsed(self, found: Any, lease_s: float) -> bool:
        """Whether it has not changed for so long; one of our own that was late has run out whatever it says."""
        version, now = str(found["metadata"]["resourceVersion"]), self._even()
        if self._seen is None or self._seen.version != version:
            self._seen = _SeenVersion(version, now)
        return bool(found["spec"]["holderIdentity"] == self._holder) or now - self._seen.at_s >= lease_s

    def _made(self, asked: _Asked) -> Leader:
        fresh = {"apiVersion": _GROUP, "kind": "Lease", "metadata": {"name": self._name}}
        return self._written(fresh, asked)

    def _written(self, found: Any, asked: _Asked, renews: bool = False, lapsed: str | None = None) -> Leader:
        """The object with us as its holder; whoever was quicker is told instead."""
        rises = renews and asked.above >= self._epoch
        goes_on = renews and not rises
        epoch = self._epoch if goes_on else next_epoch(max(self._epoch, asked.above), self._wall())
        there = "resourceVersion" in found["metadata"]
        method, path = ("PUT", f"{self._list}/{self._name}") if there else ("POST", self._list)
        try:
            self._api.send(method, path, self._held(found, asked.lease_s, epoch, renews))
        except OvertakenError:
            now = self._read()
            holder = (now.get("spec") or {}).get("holderIdentity") or ""
            return Leader(str(holder), _place_of(now), self._epoch, ours=False)
        self._until_s, self._epoch = asked.at_s + asked.lease_s, epoch
        return Leader(self._holder, self._place, epoch, ours=True, lapsed=lapsed, rose=rises)

    def _held(self, found: Any, lease_s: float, epoch: int, renews: bool) -> Any:
        metadata, before = found["metadata"], found.get("spec") or {}
        annotations = {**(metadata.get("annotations") or {}), PLACE: self._place, EPOCH: str(epoch)}
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")  # for people: nobody reckons with it
        return {
            **found,
            "metadata": {**metadata, "annotations": annotations},
            "spec": {
                "holderIdentity": self._holder,
                "leaseDurationSeconds": max(1, ceil(lease_s)),
                "leaseTransitions": min(epoch - 1, _MOST_TRANSITIONS),  # for coordinators that know no annotation
                "acquireTime": before.get("acquireTime", now) if renews else now,
                "renewTime": now,
            },
        }


def _place_of(found: Any) -> str:
    return str((found["metadata"].get("annotations") or {}).get(PLACE, ""))


def _epoch_of(found: Any) -> int:
    """The last epoch that was handed out; 0 where there was none. Anybody may have written into the object."""
    said = str((found["metadata"].get("annotations") or {}).get(EPOCH, ""))
    annotated = int(said) if said.isdecimal() and len(said) <= _DIGITS else 0
    return max(annotated, int((found.get("spec") or {}).get("leaseTransitions", -1)) + 1)
