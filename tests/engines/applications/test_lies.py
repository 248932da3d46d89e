"""Agents that lie, or err, with figures that fit the schema: what they say costs them, and nobody else."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from fleet_world import held, of_one
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.engines.applications.book import Bounds
from penstock.engines.applications.engine import FleetSettings
from penstock.engines.applications.wire import Report, encode_report, plain_state, read_report
from penstock.errors import PenstockError
from tests.engines.applications.fleet import Fleet
from tests.engines.applications.saying import state, tenant

CORES, MOST = 6, 4


class Deceived(Fleet):
    """Two honest applications, clicks with enough and fraud with a spike to come, and one that says something."""

    def __post_init__(self) -> None:
        self.settings = FleetSettings(others=Bounds(most=MOST, utility=20.0))
        super().__post_init__()
        self.honest = of_one("clicks", self.cluster, 150.0, wanted=2), of_one("fraud", self.cluster, 100.0)
        self.number = 0

    def says(self, said: Mapping[str, Any]) -> None:
        self.number += 1
        raw = encode_report(Report("liar", "liar-1", self.number, said))
        self.engine.hear(read_report(raw))

    def deceived(self, said: Mapping[str, Any] | None) -> dict[str, int]:
        """The honest ones' executors after six rounds, with a spike of fraud's after three."""
        for number in range(6):
            if number == 3:
                self.honest[1].rates["fraud"] = 380.0
            if said is not None:
                self.says(said)
            self.round(*self.honest)
            assert self.carried.error is None
        return dict(held(self.cluster))


def a_lie(**said: Any) -> dict[str, Any]:
    return plain_state(state("liar", **{"now": 1, "most": 8, "worth": [(1, 0.0), (8, 10.0)], **said}))


# None of these is an executor that can be: there is nothing to share with it.
IMPOSSIBLE = {
    "an executor of more cores than there are": a_lie(cores=7),
    "a hundred million cores": a_lie(now=100_000, wanted=100_000, most=100_000, cores=1000),
    "the same, and worth nothing known": a_lie(now=100_000, wanted=100_000, most=100_000, cores=1000, worth=()),
    "another one's executors, as parts of a huge one": a_lie(cluster_id="fraud", cores=1000),
}


@pytest.mark.parametrize("lie", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_who_says_what_no_cluster_could_hold_takes_nothing_from_others(lie: dict[str, Any]) -> None:
    assert Deceived().deceived(lie) == Deceived().deceived(None) == {"clicks": 2, "fraud": 4}


@pytest.mark.parametrize(
    "lie",
    [a_lie(now=100_000, most=100_000), a_lie(wanted=100_000, most=100_000), a_lie(least=100_000, most=100_000)],
    ids=["holds", "asked for", "needs"],
)
def test_by_its_own_word_an_application_counts_for_no_more_than_the_fleet_allows_it(lie: dict[str, Any]) -> None:
    fleet = Deceived()
    fleet.deceived(lie)
    (dial,) = (dial for dial in fleet.engine.observe(fleet.now).levers if dial.job == "liar")
    assert max(dial.now or 0, dial.least, dial.most or 0, dial.asked or 0) <= MOST


def test_of_two_that_say_that_the_cluster_knows_them_by_one_name_each_counts_by_its_own_word() -> None:
    fleet = Deceived()
    fleet.says(a_lie(now=0, wanted=0, least=0, cluster_id="clicks"))
    for _ in range(2):
        fleet.round(*fleet.honest)
    view = fleet.engine.observe(fleet.now)
    assert {dial.job: dial.now for dial in view.levers} == {"clicks": 2, "fraud": 1, "liar": 0}
    told = [deed for deed in view.deeds if "clicks and liar" in deed.text]
    assert [deed.why for deed in told] == [
        "the cluster knows one application as clicks; for each counts what it says itself"
    ]


COUNTS = st.sampled_from([0, 1, 2, 5, 100, 100_000])
FIGURES = st.sampled_from([0.0, 1e-300, 1.0, 1e18])


@given(
    executors=st.fixed_dictionaries(
        {"now": COUNTS, "wanted": COUNTS, "least": COUNTS, "most": COUNTS, "cores": st.sampled_from([1, 2, 7, 1000])}
    ),
    worth=st.lists(st.tuples(COUNTS, FIGURES), max_size=5),
    figures=st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("juice", "arrival_rps", "processed_rps", "backlog_rows", "busy"), FIGURES)
    ),
    cluster_id=st.sampled_from(["", "liar", "clicks", "fraud"]),
)
@settings(max_examples=25, deadline=None)
def test_whatever_an_agent_says_rounds_go_on_and_others_keep_their_least(
    executors: dict[str, int], worth: list[tuple[int, float]], figures: dict[str, float], cluster_id: str
) -> None:
    fleet = Deceived()
    known: dict[str, Any] = {**figures, "juice": min(figures.get("juice", 1.0), 1e6)}
    more: dict[str, Any] = {**executors}
    said = state("liar", worth=worth, cluster_id=cluster_id, tenants={"liar": tenant(**known)}, **more)
    found = fleet.deceived(plain_state(said))
    assert min(found["clicks"], found["fraud"]) >= 1
    assert fleet.cluster.most_wanted <= CORES
    assert fleet.carried.view is not None
    assert 0.0 <= fleet.carried.view.utility <= fleet.carried.view.max_utility


NUMBERS = {"backwards": (5, 4, 3), "the largest": (2**53, 2**53, 0), "the same": (7, 7, 7)}


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
def test_numbers_that_do_not_rise_or_changes_of_nothing_end_no_round(numbers: tuple[int, ...]) -> None:
    fleet = Deceived()
    for number in numbers:
        for base in (None, 0, number):
            report = Report("liar", "liar-1", number, a_lie() if base is None else {"tenants": None}, base=base)
            with suppress(PenstockError):  # a change that leaves no state is refused
                fleet.engine.hear(read_report(encode_report(report)))
    assert fleet.deceived(None)["clicks"] >= 1
