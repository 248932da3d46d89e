"""The baselines as tables: what they see and what they do about it."""

import pytest

from penstock.core.levers import Tasks
from penstock.planning.baselines.ds2 import Ds2, target_rates
from penstock.planning.baselines.fair import Fair
from penstock.planning.baselines.hands_off import HandsOff
from penstock.planning.baselines.reactive import Reactive
from tests.builders import job, operator, rounds, topology, view


def test_static_never_acts() -> None:
    plans, _ = rounds(HandsOff("static"), [view(10.0 * n, [job("a", 0)]) for n in range(50)])
    assert not any(plan.decisions for plan in plans)


def test_fair_gives_every_job_the_same_once() -> None:
    jobs = [job("a", 0, operators=[operator(threads=9)]), job("b", 0, operators=[operator(threads=1)])]
    plans, _ = rounds(Fair(), [view(0.0, jobs), view(10.0, jobs)])
    assert plans[0].decisions[0].moves == (Tasks("a", "work", 9, 5), Tasks("b", "work", 1, 5))
    assert plans[1].decisions == ()


def test_fair_spreads_a_share_over_the_operators_of_a_job() -> None:
    three = [operator(name, threads) for name, threads in (("x", 8), ("y", 1), ("z", 1))]
    plans, _ = rounds(Fair(), [view(0.0, [job("a", 0, operators=three)])])
    # 10 threads over 3 operators: 4, 3, 3.
    assert plans[0].decisions[0].moves == (Tasks("a", "x", 8, 4), Tasks("a", "y", 1, 3), Tasks("a", "z", 1, 3))


@pytest.mark.parametrize(
    ("cpu", "threads", "expected"),
    [
        (0.70, 4, 8),  # twice the target: ceil(4 x 0.70 / 0.35)
        (0.36, 4, 4),  # within 10 %
        (1.00, 4, 12),  # ceil(11.43)
    ],
)
def test_reactive_scales_up_to_the_cpu_target(cpu: float, threads: int, expected: int) -> None:
    seen = view(0.0, [job("a", 0, operators=[operator(threads=threads, cpu_share=cpu)])])
    plans, _ = rounds(Reactive(), [seen])
    after = [change.after for decision in plans[0].decisions for change in decision.moves]
    assert after == ([] if expected == threads else [expected])


def test_reactive_scales_down_only_to_the_highest_wish_of_five_minutes() -> None:
    def at(second: float, cpu: float) -> object:
        return view(second, [job("a", 10, operators=[operator(threads=10, cpu_share=cpu)])])

    views = [at(0.0, 0.30), *(at(10.0 * n, 0.07) for n in range(1, 40))]
    plans, _ = rounds(Reactive(), views)  # type: ignore[arg-type]
    first = next(n for n, plan in enumerate(plans) if plan.decisions and plan.decisions[0].moves[0].after == 2)
    assert first == 31  # the wish for 9 threads at 0 s counts until 300 s: ceil(10 x 0.07 / 0.35) = 2 from 310 s


def ds2_job(busy: float, arrival: float = 200.0, backlog: float = 0.0) -> object:
    work = operator("work", 2, busy, rows_in_rps=100.0, rows_out_rps=50.0, busy_share=busy)
    ends = [
        operator(name, 1, 0.1, rows_in_rps=rate, rows_out_rps=rate, busy_share=0.5)
        for name, rate in (("source", 100.0), ("sink", 50.0))
    ]
    return job(
        "a", 0, operators=[ends[0], work, ends[1]], arrival_rps=arrival, backlog_rows=backlog, topology=topology()
    )


def test_ds2_carries_the_arrival_rate_through_measured_selectivities_and_adds_the_backlog() -> None:
    figures = ds2_job(0.9, arrival=200.0, backlog=6000.0).figures  # type: ignore[attr-defined]
    # 200 + 6000 / 600 = 210; work passes on half of what it takes in.
    assert target_rates(figures, 600.0) == {"source": 210.0, "work": 210.0, "sink": 105.0}


def test_ds2_sizes_an_operator_by_its_true_rate() -> None:
    plans, _ = rounds(Ds2(), [view(0.0, [ds2_job(1.0)])])  # type: ignore[list-item]
    after = {change.operator: change.after for change in plans[0].decisions[0].moves}
    # work: 100 rows/s by 2 threads busy all the time: 50 a thread; 200 / (50 x 0.7) = 5.7 -> 6
    # source and sink: 1 thread half busy does its rate: true rate 200 and 100, targets 200 and 100 -> 1.43 -> 2
    assert after == {"work": 6, "source": 2, "sink": 2}


def test_ds2_leaves_a_rescaled_job_alone_for_a_minute() -> None:
    views = [view(10.0 * n, [ds2_job(1.0)]) for n in range(8)]  # type: ignore[list-item]
    plans, _ = rounds(Ds2(), views)
    assert [n for n, plan in enumerate(plans) if plan.decisions] == [0, 6]
