"""A Lease object decides who leads: over objects that change as an API server's do, on clocks that are set by hand."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from penstock.engines.applications.kubernetes_lease import EPOCH, KubernetesLease
from penstock.errors import OutageError
from penstock.kubernetes_api import KubernetesApi, NothingThereError, OvertakenError

LEASE_S = 15.0
BEGUN = 1_795_000_000  # by the coordinators' clocks, in seconds since 1970


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
    wall_s: float = BEGUN

    def __post_init__(self) -> None:
        self.a, self.b = self.lease("a"), self.lease("b")

    def lease(self, name: str) -> KubernetesLease:
        api: KubernetesApi = self.objects  # type: ignore[assignment]
        return KubernetesLease(
            api, "streams", "fleet", name, f"http://{name}", lambda: self.now[name], lambda: self.wall_s
        )

    def passes(self, seconds: float) -> None:
        self.now = {name: now + seconds for name, now in self.now.items()}


@pytest.fixture
def site() -> Site:
    return Site()


def test_one_leads_as_long_as_it_renews_and_the_other_is_told_who_and_where(site: Site) -> None:
    assert (site.a.take(LEASE_S).epoch, site.a.take(LEASE_S).ours) == (BEGUN, True)
    for _ in range(5):
        found = site.b.take(LEASE_S)
        assert (found.ours, found.holder, found.place, found.epoch) == (False, "a", "http://a", BEGUN)
        site.passes(10.0)
        assert (site.a.take(LEASE_S).ours, site.a.take(LEASE_S).epoch) == (True, BEGUN)


def test_who_follows_waits_a_whole_lease_since_it_saw_the_last_renewal_whatever_the_clocks_say(site: Site) -> None:
    site.a.take(LEASE_S)
    site.passes(14.0)
    assert not site.b.take(LEASE_S).ours  # it sees the object for the first time
    site.passes(14.0)
    assert not site.b.take(LEASE_S).ours
    site.passes(1.0)
    found = site.b.take(LEASE_S)
    assert (found.ours, found.epoch, found.lapsed) == (True, BEGUN + 1, "http://a")
    assert (site.a.take(LEASE_S).holder, site.a.take(LEASE_S).ours) == ("b", False)


def test_one_that_was_let_go_is_taken_at_once_and_nobody_is_said_to_have_been_late(site: Site) -> None:
    site.a.take(LEASE_S)
    site.a.release()
    found = site.b.take(LEASE_S)
    assert (found.ours, found.epoch, found.lapsed) == (True, BEGUN + 1, None)
    site.a.release()  # which it has no longer
    assert site.b.take(LEASE_S).epoch == BEGUN + 1


def test_who_was_late_takes_its_own_in_a_new_epoch(site: Site) -> None:
    site.a.take(LEASE_S)
    site.passes(LEASE_S)
    assert site.a.take(LEASE_S).epoch == BEGUN + 1


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
    assert (site.a.take(LEASE_S).ours, site.a.take(LEASE_S).epoch) == (True, BEGUN + 1)
    site.objects.loses = True
    with pytest.raises(OutageError):
        site.a.take(LEASE_S)
    assert site.a.take(LEASE_S).epoch == BEGUN + 1  # it had not run out


def test_an_empty_object_that_somebody_made_is_taken_and_one_that_was_removed_does_not_begin_anew(site: Site) -> None:
    site.objects.send("POST", "/leases", {"metadata": {"name": "fleet"}})
    assert site.a.take(LEASE_S).epoch == BEGUN
    site.a.release()
    assert site.b.take(LEASE_S).epoch == BEGUN + 1
    site.objects.kept.clear()
    assert site.b.take(LEASE_S).epoch == BEGUN + 2


def test_an_object_of_another_cluster_goes_on_later_by_the_clock_and_none_goes_back_with_it(site: Site) -> None:
    site.a.take(LEASE_S)
    site.objects.kept.clear()
    site.wall_s += 3600.0
    assert site.lease("b").take(LEASE_S).epoch == BEGUN + 3600  # which knows of nobody before it
    site.passes(LEASE_S)
    site.wall_s = 0.0
    site.b.take(LEASE_S)
    site.passes(LEASE_S)
    assert site.b.take(LEASE_S).epoch == BEGUN + 3602  # the second since the clock went back


def test_who_leads_goes_on_above_an_epoch_that_agents_obey_and_who_does_not_lead_changes_nothing(site: Site) -> None:
    obeyed = 2**40  # more than the API server takes for leaseTransitions
    site.a.take(LEASE_S)
    rose, after = site.a.take(LEASE_S, obeyed), site.a.take(LEASE_S, obeyed)
    assert (rose.ours, rose.rose, rose.epoch) == (True, True, obeyed + 1)
    assert (after.ours, after.rose, after.epoch) == (True, False, obeyed + 1)
    assert site.objects.kept["fleet"]["spec"]["leaseTransitions"] < 2**31
    found = site.b.take(LEASE_S, 2**41)
    assert (found.ours, found.epoch) == (False, obeyed + 1)
    site.a.release()
    taken = site.b.take(LEASE_S)
    assert (taken.rose, taken.epoch) == (False, obeyed + 2)


@pytest.mark.parametrize("said", ["", "soon", "-5", "1e9", "\u0662", "9" * 5000, str(2**60)])
def test_an_epoch_that_somebody_wrote_into_the_object_and_that_is_none_costs_nothing(site: Site, said: str) -> None:
    site.objects.send("POST", "/leases", {"metadata": {"name": "fleet", "annotations": {EPOCH: said}}})
    assert site.a.take(LEASE_S).epoch == BEGUN


def test_an_object_of_a_penstock_that_counted_transitions_only_is_gone_on_with(site: Site) -> None:
    spec = {"leaseTransitions": BEGUN + 100}
    site.objects.send("POST", "/leases", {"metadata": {"name": "fleet"}, "spec": spec})
    assert site.a.take(LEASE_S).epoch == BEGUN + 102
