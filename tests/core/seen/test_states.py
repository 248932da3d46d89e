"""How a tenant stands, in one word."""

from dataclasses import replace

import pytest

from penstock.core.seen.states import STARTS_WITHIN_S, State, possible_utility, state_of, worst_of
from penstock.core.seen.view import JobView
from tests.builders import job, view

RUNS = {"up_s": 300.0, "arrival_rps": 190.0, "backlog_rows": 62_614.0}


def unmeasured(**figures: object) -> JobView:
    plain = job("ads", 0.0)
    found = replace(plain.figures, **figures)  # type: ignore[arg-type]
    return replace(plain, figures=found, utility=None, met=False)


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (job("ads", 10.0), State.FINE),
        (job("ads", 9.0), State.MISSING),
        (job("ads", 9.0, settling=True), State.MISSING),  # a change explains it, and does not make it better
        (job("ads", 10.0, trouble="its query died"), State.MISSING),
        (job("ads", 10.0, fresh=False), State.STALE),  # it had all it asked for a minute ago
        (unmeasured(**RUNS), State.BLIND),
        (unmeasured(up_s=300.0), State.BLIND),  # it runs, and nobody says that nothing arrives
        (unmeasured(backlog_rows=1.0), State.BLIND),
        (unmeasured(), State.STARTING),
        (unmeasured(**RUNS | {"up_s": STARTS_WITHIN_S - 1.0}), State.STARTING),
        (unmeasured(**RUNS, settling=True), State.STARTING),
    ],
)
def test_only_what_is_measured_now_is_fine(found: JobView, state: State) -> None:
    assert state_of(found) is state


def test_a_fleet_is_as_well_as_its_worst_tenant() -> None:
    fine, blind, misses = job("ads", 10.0), replace(unmeasured(**RUNS)), job("geo", 1.0)
    assert worst_of(view(0.0, [])) is None
    assert worst_of(view(0.0, [fine])) is State.FINE
    assert worst_of(view(0.0, [fine, blind])) is State.BLIND
    assert worst_of(view(0.0, [fine, blind, misses])) is State.MISSING


def test_who_starts_has_lost_nothing_yet_and_who_is_blind_has() -> None:
    assert possible_utility(view(0.0, [job("geo", 7.0), unmeasured()])) == 10.0
    assert possible_utility(view(0.0, [job("geo", 7.0), unmeasured(**RUNS)])) == 20.0
