"""Two applications that work off their starts: neither gives the other one an executor of its share by worth."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.levers import Executors
from penstock.core.seen.figures import JobFigures, LatencyFigures
from penstock.core.seen.view import JobView
from penstock.planning.executors.claims import Claim
from penstock.planning.executors.division import divided
from penstock.planning.executors.policy import ExecutorsMemory, ExecutorsPolicy
from tests.builders import operator
from tests.planning.executors.many import application, fleet

HOPELESS = ((1, 0.5), (4, 3.8), (16, 4.0))  # of an urgent one, as long as it works off what waited at its start
MODEST = ((1, 0.0), (2, 9.0), (16, 9.5))


def tenant(name: str, worth: float, up_s: float, waits: float) -> JobView:
    """100 rows/s come to it, and it asks for 10 s: it is late with more than 1,000 that wait."""
    figures = JobFigures(
        name, (operator(),), latency=LatencyFigures(60.0), arrival_rps=100.0, backlog_rows=waits, up_s=up_s
    )
    return JobView(figures, Intent(Latency("10s", utility=worth)), 0.0, met=False, fresh=True)


def held(views: list[list[JobView]], payments: int = 4, ads: int = 1) -> Mapping[str, int]:
    """What is decided in the last round of some, ten seconds apart, on five cores: payments' share of them is four."""
    policy, memory = ExecutorsPolicy(), ExecutorsMemory()
    dials = [application("payments", payments, HOPELESS, most=16), application("ads", ads, MODEST, most=16)]
    for number, jobs in enumerate(views):
        plan, memory = policy.decide(fleet(dials, payments + ads, at_s=10.0 * number, jobs=jobs), memory)
        memory = replace(memory, moved_s={}, foretold={})
    moves = [move for decision in plan.decisions for move in decision.moves]
    return {move.job: move.after for move in moves if isinstance(move, Executors)}


LATE, CALM = 6000.0, 100.0
GIVES, KEEPS = {"payments": 3, "ads": 2}, dict[str, int]()
# Rows that wait for payments and for ads, and since when both run: as they begin, then in the round that is decided.
STARTS = [
    ([(LATE, LATE, 40.0)], KEEPS),
    ([(LATE, LATE, 40.0), (LATE, LATE, 200.0)], KEEPS),  # as long as that lasts
    ([(LATE, LATE, 200.0)], GIVES),  # late, though not from its start on
    ([(LATE, LATE, 40.0), (CALM, CALM, 50.0), (LATE, LATE, 60.0)], GIVES),  # payments has caught up once
    ([(LATE, LATE, 40.0), (CALM, LATE, 50.0)], GIVES),
    ([(LATE, LATE, 40.0), (LATE, CALM, 50.0)], GIVES),  # who has nothing to work off may take as ever
]


@pytest.mark.parametrize(("rounds", "moves"), STARTS)
def test_who_works_off_its_start_keeps_its_share_from_another_that_does(
    rounds: list[tuple[float, float, float]], moves: Mapping[str, int]
) -> None:
    views = [[tenant("payments", 40.0, up_s, waits), tenant("ads", 10.0, up_s, also)] for waits, also, up_s in rounds]
    assert held(views) == moves


def test_what_it_holds_beyond_its_share_is_anybodys() -> None:
    both = [tenant("payments", 40.0, 40.0, LATE), tenant("ads", 10.0, 40.0, LATE)]
    assert held([both], payments=9, ads=1) == {"payments": 8, "ads": 2}  # eight of ten are its share


PAYMENTS = Claim("payments", 4, 1, 16, worth=HOPELESS, own=4)
ADS = Claim("ads", 1, 1, 16, worth=MODEST, own=1)
SPIKE = Claim("spike", 1, 1, 16, worth=((1, 0.0), (2, 30.0), (16, 30.0)))
# Who claims, so many cores, and what is divided: spike works off no start.
DIVIDED = [
    ([PAYMENTS, ADS], 5, {"payments": 4, "ads": 1}),
    ([PAYMENTS, ADS], 6, {"payments": 4, "ads": 2}),  # of what is free
    ([PAYMENTS, ADS], 4, {"payments": 2, "ads": 2}),  # there is no room for all
    ([PAYMENTS, replace(ADS, least=2)], 5, {"payments": 3, "ads": 2}),  # that it needs to live at all
    ([PAYMENTS, replace(ADS, own=None)], 5, {"payments": 3, "ads": 2}),
    ([replace(PAYMENTS, own=None), ADS], 5, {"payments": 3, "ads": 2}),
    ([PAYMENTS, replace(SPIKE, now=3), ADS], 8, {"payments": 4, "spike": 2, "ads": 2}),  # spike gives what it lacks not
    ([PAYMENTS, SPIKE], 5, {"payments": 3, "spike": 2}),
    ([PAYMENTS, SPIKE, ADS], 6, {"payments": 3, "spike": 2, "ads": 1}),  # 30 rather than 9 of what payments gives
]


@pytest.mark.parametrize(("claims", "cores", "target"), DIVIDED)
def test_claims_decide_over_all_but_what_starts_keep_from_one_another(
    claims: list[Claim], cores: int, target: Mapping[str, int]
) -> None:
    assert divided(claims, cores) == target
