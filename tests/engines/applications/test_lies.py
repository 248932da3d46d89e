"""Agents that lie, or err, with figures that fit the schema: what they say costs them, and nobody else."""

from contextlib import suppress
from typing import Any

import pytest
from fleet_world import held, of_one
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.engines.applications import joining
from penstock.engines.applications.joining import TooMuchSaidError
from penstock.engines.applications.wire import Report, WireError, encode_report, plain_state, read_report
from penstock.errors import PenstockError
from tests.engines.applications.fleet import Fleet
from tests.engines.applications.lying import CORES, MOST, Deceived, a_lie
from tests.engines.applications.saying import state, tenant

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
    [
        a_lie(now=100_000, most=100_000),
        a_lie(wanted=100_000, most=100_000),
        a_lie(least=100_000, most=100_000),
        a_lie(needs=100_000, most=100_000),
    ],
    ids=["holds", "asked for", "takes no order below", "needs for its state"],
)
def test_by_its_own_word_an_application_counts_for_no_more_than_the_fleet_allows_it(lie: dict[str, Any]) -> None:
    fleet = Deceived()
    fleet.deceived(lie)
    (dial,) = (dial for dial in fleet.engine.observe(fleet.now).levers if dial.job == "liar")
    assert max(dial.now or 0, dial.least, dial.most or 0, dial.asked or 0) <= MOST


def test_of_two_that_say_that_the_cluster_knows_them_by_one_name_each_counts_by_its_own_word() -> None:
    fleet = Deceived()
    for _ in range(2):
        fleet.says(a_lie(now=0, wanted=0, least=0, cluster_id="clicks"))
        fleet.round(*fleet.honest)
    view = fleet.engine.observe(fleet.now)
    assert {dial.job: dial.now for dial in view.levers} == {"clicks": 2, "fraud": 1, "liar": 0}
    told = [deed for deed in view.deeds if "clicks and liar" in deed.text]
    assert [deed.why for deed in told] == [
        "the cluster knows one application as clicks; for each counts what it says itself"
    ]


def test_who_reports_by_another_name_is_not_counted_by_the_one_that_it_left_without_a_good_bye() -> None:
    fleet = Fleet()
    clicks = of_one("clicks", fleet.cluster, 200.0, wanted=2)
    fraud = of_one("fraud", fleet.cluster, 380.0, wanted=4, utility=40.0)
    fleet.round(clicks, fraud)
    for number in range(5):
        said = {**plain_state(fraud.state()), "tenants": {"payments": plain_state(fraud.state())["tenants"]["fraud"]}}
        fleet.engine.hear(Report("payments", "payments-1", number + 1, said))
        fleet.round(clicks)
    assert held(fleet.cluster) == {"clicks": 2, "fraud": 4}
    assert {dial.job: dial.now for dial in fleet.engine.observe(fleet.now).levers} == {"clicks": 2, "payments": 4}
    told = [(deed.job, deed.why) for deed in fleet.engine.observe(fleet.now).deeds]
    assert ("fraud", "its driver reports by another name") in told


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


def large(names: range) -> dict[str, Any]:
    """So many tenants, of whom there is much to say."""
    return {"tenants": {f"t{name}": plain_state(state("t"))["tenants"]["t"] | {"trouble": "x" * 490} for name in names}}


def test_changes_make_no_state_of_more_than_may_be_said_at_once() -> None:
    fleet = Deceived()
    fleet.engine.hear(Report("liar", "liar-1", 1, {**a_lie(), **large(range(1500))}))
    for number in (2, 3):
        fleet.engine.hear(
            Report("liar", "liar-1", number, large(range(1500 * number, 1500 * (number + 1))), number - 1)
        )
    with pytest.raises(WireError, match=r"state: with what changed it holds [\d,]+ bytes, and 4,194,304 at most"):
        fleet.engine.hear(Report("liar", "liar-1", 4, large(range(6000, 7500)), 3))


def test_the_applications_of_one_token_take_no_more_memory_than_is_for_them_and_those_of_another_join(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(joining, "_MOST_OF_A_TOKEN", 4 * 16_384)
    fleet = Deceived()
    small = a_lie(now=0, wanted=0, least=0)
    for number in range(4):
        fleet.engine.hear(Report(f"liar/{number}", "one", 1, _of(small, f"l{number}"), whose="liar/*"))
    told = r"the applications of the token for liar/\* say 81,920 bytes together, of 65,536 that are kept"
    with pytest.raises(TooMuchSaidError, match=told):
        fleet.engine.hear(Report("liar/4", "one", 1, _of(small, "l4"), whose="liar/*"))
    with pytest.raises(TooMuchSaidError, match="liar/0: the applications of the token"):
        fleet.engine.hear(Report("liar/0", "one", 2, large(range(100)), 1, whose="liar/*"))
    fleet.report(*fleet.honest)


def _of(said: dict[str, Any], name: str) -> dict[str, Any]:
    return {**said, "tenants": {name: next(iter(said["tenants"].values()))}}
