"""A Lease object decides who leads: over objects that change as an API server's do, on clocks that are set by hand."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from penstock.engines.applications.kubernetes_api import KubernetesApi, NothingThereError, OvertakenError
from penstock.engines.applications.kubernetes_lease import KubernetesLease
from penstock.errors import OutageError

LEASE_S = 15.0


@dataclass
class Objects:
    """Those of one list, of which each write makes a new version; `loses` the next answer, not the write."""

    kept: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    loses: bool = False

    def get(self, path: str) -> Any:
        name = path.rpartition("/")[2]
        if name not in self.kept:
            raise NothingThereError(name)
        return self.kept[name]

    def send(self, method: str, path: str, body: Any) -> Any:
        name, known = body["metadata"]["name"], self.kept.get(body["metadata"]["name"])
        assert path.endswith("/leases" if method == "POST" else f"/{name}")
        if known is not None and known["metadata"]["resourceVersion"] != body["metadata"].get("resourceVersion"):
            raise OvertakenError(name)
        self.version += 1
        metadata = {**body["metadata"], "resourceVersion": str(self.version)}
        self.kept[name] = {**body, "metadata": metadata}
        if self.loses:
            self.loses = False
            raise OutageError("timed out")
        return self.kept[name]


@dataclass
class Site:
    """Two coordinators, and the clocks that each of them has."""

    objects: Objects = field(default_factory=Objects)
    now: dict[str, float] = field(default_factory=lambda: {"a": 100.0, "b": 9000.0})

    def __post_init__(self) -> None:
        self.a, self.b = self.lease("a"), self.lease("b")

    def lease(self, name: str) -> KubernetesLease:
        api: KubernetesApi = self.objects  # type: ignore[assignment]
        return KubernetesLease(api, "streams", "fleet", name, f"http://{name}", even=lambda: self.now[name])

    def passes(self, seconds: float) -> None:
        self.now = {name: now + seconds for name, now in self.now.items()}


@pytest.fixture
def site() -> Site:
    return Site()


def test_one_leads_as_long_as_it_renews_and_the_other_is_told_who_and_where(site: Site) -> None:
    assert (site.a.take(LEASE_S).epoch, site.a.take(LEASE_S).ours) == (1, True)
    for _ in range(5):
        found = site.b.take(LEASE_S)
        assert (found.ours, found.holder, found.place, found.epoch) == (False, "a", "http://a", 1)
        site.passes(10.0)
        assert (site.a.take(LEASE_S).ours, site.a.take(LEASE_S).epoch) == (True, 1)


def test_who_follows_waits_a_whole_lease_since_it_saw_the_last_renewal_whatever_the_clocks_say(site: Site) -> None:
    site.a.take(LEASE_S)
    site.passes(14.0)
    assert not site.b.take(LEASE_S).ours  # it sees the object for the first time
    site.passes(14.0)
    assert not site.b.take(LEASE_S).ours
    site.passes(1.0)
    found = site.b.take(LEASE_S)
    assert (found.ours, found.epoch, found.lapsed) == (True, 2, "http://a")
    assert (site.a.take(LEASE_S).holder, site.a.take(LEASE_S).ours) == ("b", False)


def test_one_that_was_let_go_is_taken_at_once_and_nobody_is_said_to_have_been_late(site: Site) -> None:
    site.a.take(LEASE_S)
    site.a.release()
    found = site.b.take(LEASE_S)
    assert (found.ours, found.epoch, found.lapsed) == (True, 2, None)
    site.a.release()  # which it has no longer
    assert site.b.take(LEASE_S).epoch == 2


def test_who_was_late_takes_its_own_in_a_new_epoch(site: Site) -> None:
    site.a.take(LEASE_S)
    site.passes(LEASE_S)
    assert site.a.take(LEASE_S).epoch == 2


def test_of_two_that_begin_at_once_one_is_refused(site: Site) -> None:
    read = site.objects.get

    def raced(path: str) -> Any:
        site.objects.get = read  # type: ignore[method-assign]
        try:
            return read(path)
        finally:
            assert site.b.take(LEASE_S).ours

    site.objects.get = raced  # type: ignore[method-assign]
    found = site.a.take(LEASE_S)
    assert (found.ours, found.holder) == (False, "b")


def test_an_answer_that_was_lost_gives_nothing_and_an_epoch_is_never_used_twice(site: Site) -> None:
    site.objects.loses = True
    with pytest.raises(OutageError):
        site.a.take(LEASE_S)
    assert site.objects.kept["fleet"]["spec"]["holderIdentity"] == "a"
    assert (site.a.take(LEASE_S).ours, site.a.take(LEASE_S).epoch) == (True, 2)
    site.objects.loses = True
    with pytest.raises(OutageError):
        site.a.take(LEASE_S)
    assert site.a.take(LEASE_S).epoch == 2  # it had not run out


def test_an_empty_object_that_somebody_made_is_taken_and_one_that_was_removed_does_not_begin_anew(site: Site) -> None:
    site.objects.send("POST", "/leases", {"metadata": {"name": "fleet"}})
    assert site.a.take(LEASE_S).epoch == 1
    site.a.release()
    assert site.b.take(LEASE_S).epoch == 2
    site.objects.kept.clear()
    assert site.b.take(LEASE_S).epoch == 3
