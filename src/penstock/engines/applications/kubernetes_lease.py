"""Who leads, of several coordinators on Kubernetes: a Lease object, as its own controllers have theirs.

No clock but each one's own counts: a lease has run out once its object has not changed for its length since it was
first seen so. The epoch is one more than `leaseTransitions`, which here counts every time that the lease was taken,
also by the one that had it and was late. Who writes shows which version of the object it has read: of two one is
refused.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, inf
from typing import Any

from penstock.core.leader import Leader
from penstock.engines.applications.kubernetes_api import KubernetesApi, NothingThereError, OvertakenError

_GROUP = "coordination.k8s.io/v1"
PLACE = "penstock/place"  # an annotation: where agents find whoever leads


@dataclass(frozen=True, slots=True)
class _Seen:
    """A version of the object, and when it was seen first."""

    version: str
    at_s: float


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
    ) -> None:
        self._api = api
        self._list = f"/apis/{_GROUP}/namespaces/{namespace}/leases"
        self._name = name
        self._holder = holder
        self._place = place
        self._even = even
        self._seen: _Seen | None = None
        self._until_s = -inf  # it is ours
        self._epoch = 0  # the newest that was seen: it rises also where somebody removed the object

    def take(self, lease_s: float) -> Leader:
        """Begin to lead, or go on with it, for so long; where somebody else leads, who it is."""
        asked_s = self._even()
        try:
            found = self._read()
        except NothingThereError:
            return self._made(lease_s, asked_s)
        spec = found.get("spec") or {}
        self._epoch = max(self._epoch, int(spec.get("leaseTransitions", -1)) + 1)
        if not spec.get("holderIdentity"):
            return self._written(found, lease_s, asked_s)
        if spec["holderIdentity"] == self._holder and asked_s < self._until_s:
            return self._written(found, lease_s, asked_s, renews=True)
        if self._lapsed(found, float(spec.get("leaseDurationSeconds") or lease_s)):
            return self._written(found, lease_s, asked_s, lapsed=_place_of(found))
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
            self._seen = _Seen(version, now)
        return bool(found["spec"]["holderIdentity"] == self._holder) or now - self._seen.at_s >= lease_s

    def _made(self, lease_s: float, asked_s: float) -> Leader:
        fresh = {"apiVersion": _GROUP, "kind": "Lease", "metadata": {"name": self._name}}
        return self._written(fresh, lease_s, asked_s)

    def _written(
        self, found: Any, lease_s: float, asked_s: float, renews: bool = False, lapsed: str | None = None
    ) -> Leader:
        """The object with us as its holder; whoever was quicker is told instead."""
        epoch = self._epoch if renews else self._epoch + 1
        there = "resourceVersion" in found["metadata"]
        method, path = ("PUT", f"{self._list}/{self._name}") if there else ("POST", self._list)
        try:
            self._api.send(method, path, self._held(found, lease_s, epoch, renews))
        except OvertakenError:
            now = self._read()
            holder = (now.get("spec") or {}).get("holderIdentity") or ""
            return Leader(str(holder), _place_of(now), self._epoch, ours=False)
        self._until_s, self._epoch = asked_s + lease_s, epoch
        return Leader(self._holder, self._place, epoch, ours=True, lapsed=lapsed)

    def _held(self, found: Any, lease_s: float, epoch: int, renews: bool) -> Any:
        metadata, before = found["metadata"], found.get("spec") or {}
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")  # for people: nobody reckons with it
        return {
            **found,
            "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), PLACE: self._place}},
            "spec": {
                "holderIdentity": self._holder,
                "leaseDurationSeconds": max(1, ceil(lease_s)),
                "leaseTransitions": epoch - 1,
                "acquireTime": before.get("acquireTime", now) if renews else now,
                "renewTime": now,
            },
        }


def _place_of(found: Any) -> str:
    return str((found["metadata"].get("annotations") or {}).get(PLACE, ""))
