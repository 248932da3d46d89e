"""First steps on cold code: by what its first batches cost, who matters most is beyond rescue, and comes back."""

import pytest

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.levers import Slots
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.policy import Arbiter
from tests.builders import rounds
from tests.planning.arbiter.fleets import as_seen, fleet_view, having_a_core, job

# As a run on four slots and two cores that had only just started told of them.
BATCHES = {
    "clicks": (
        BatchFigures(0, 1.51, 1.50, 14, 0, stages=1, tasks=4, busy_s=0.39, cpu_s=0.13, staged_s=0.11),
        BatchFigures(1, 4.84, 3.32, 2177, 0, stages=1, tasks=4, busy_s=6.24, cpu_s=2.17, staged_s=1.69),
    ),
    "models": (
        BatchFigures(0, 2.93, 2.41, 372, 0, stages=2, tasks=8, busy_s=3.35, cpu_s=0.97, staged_s=0.90),
        BatchFigures(1, 8.38, 5.45, 1724, 0, stages=2, tasks=8, busy_s=5.78, cpu_s=2.43, staged_s=4.01),
    ),
    "payments": (
        BatchFigures(0, 1.97, 1.96, 12, 0, stages=1, tasks=4, busy_s=0.42, cpu_s=0.13, staged_s=0.12),
        BatchFigures(1, 9.08, 7.11, 2490, 0, stages=1, tasks=4, busy_s=5.90, cpu_s=2.58, staged_s=5.08),
    ),
    "reports": (BatchFigures(0, 8.32, 7.47, 563, 0, stages=2, tasks=8, busy_s=2.72, cpu_s=1.16, staged_s=4.82),),
}
INTENTS = {
    "clicks": Intent(Juice(0.8, utility=10)),
    "models": Intent(Latency("20s", utility=10)),
    "payments": Intent(Latency("4s", utility=40)),
    "reports": Intent(Latency("10s", utility=10)),
}
RATES = {"clicks": 1447.0, "models": 715.0, "payments": 1270.0, "reports": 663.0}
WAITING = {"clicks": 12279.0, "models": 5054.0, "payments": 10198.0, "reports": 6067.0}
HAS = {"clicks": 2.2, "models": 10.0, "payments": 19.9, "reports": 10.0}


def seen(at_s: float, up_s: float) -> View:
    """What had ended by then, of queries that run for so long."""
    return fleet_view(*(_tenant(name, at_s, up_s) for name in BATCHES), slots=4, cores=2, at_s=at_s)


def _tenant(name: str, at_s: float, up_s: float) -> JobView:
    batches = tuple(one for one in BATCHES[name] if one.ended_s <= at_s)
    return job(
        name,
        RATES[name],
        intent=INTENTS[name],
        utility=HAS[name],
        batches=batches,
        backlog_rows=WAITING[name],
        up_s=up_s,
    )


@pytest.mark.parametrize(("up_s", "gets_more"), [(10.0, {"payments"}), (300.0, {"clicks", "reports"})])
def test_who_matters_most_is_given_up_only_where_its_code_is_no_longer_new(up_s: float, gets_more: set[str]) -> None:
    plans, _ = rounds(Arbiter(), [seen(0.0, up_s - 10.0), seen(10.0, up_s)])
    (decision,) = plans[-1].decisions
    assert {move.job for move in decision.moves if isinstance(move, Slots) and move.after > move.before} == gets_more


@pytest.mark.parametrize(("up_s", "said"), [(10.0, False), (300.0, True)])
def test_that_not_all_can_be_met_is_not_said_of_new_code(up_s: float, said: bool) -> None:
    plans, _ = rounds(Arbiter(), [seen(0.0, up_s - 10.0), seen(10.0, up_s)])
    assert bool(plans[-1].shortfall) == said


@pytest.mark.parametrize(
    ("up_s", "cores", "come_back"),
    [
        (10.0, 2, True),
        (300.0, 2, False),  # its compiler is done
        (10.0, 4, False),  # each slot has a core of its own: nothing is lacking
    ],
)
def test_the_cores_that_the_compiler_of_new_code_takes_come_back(up_s: float, cores: int, come_back: bool) -> None:
    jobs = [having_a_core(_tenant(name, 10.0, up_s), 0.25) for name in BATCHES]
    fleet = as_seen(fleet_view(*jobs, slots=4, cores=cores, at_s=10.0))
    assert (fleet.cores > 1.02 * fleet.cores_were) == come_back
    assert fleet.cores_were <= fleet.cores <= cores
    assert fleet.as_it_was.cores == fleet.cores_were  # what stages took is held against the cores that there were
