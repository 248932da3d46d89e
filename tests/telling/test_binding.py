"""What binds a tenant that is below its intent, and what would help."""

from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.levers import Dial
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import MachineFigures, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.telling.binding import binding
from tests.builders import job, view

ASKS = Intent(Latency("2s", utility=10.0))


def tenant(name: str = "ads", utility: float = 3.0, weight: int = 2, busy: float = 1.0, **figures: object) -> JobView:
    """It misses 2 s and its share of the slots is busy."""
    unit = OperatorFigures("*", weight, capacity=busy)
    plain = job(name, utility, operators=[unit])
    return replace(plain, intent=ASKS, figures=replace(plain.figures, **figures))  # type: ignore[arg-type]


def fleet(*jobs: JobView, slots: int = 8, load: float = 1.0, cores: int = 8) -> View:
    return replace(view(0.0, jobs, max_threads=slots), machines=(MachineFigures("m1", cores, load),))


def told(found: JobView, seen: View | None = None) -> list[str]:
    return [bind.text for bind in binding(found, seen or fleet(found, tenant("geo", 10.0, 6, busy=0.1)))]


def test_its_own_maximum_binds() -> None:
    assert told(tenant(max_threads=2)) == [
        "it has all 2 slots that it may have; what would help: a higher max_slots for it"
    ]


def test_one_slot_is_told_as_one_and_more_are_no_help_by_themselves_while_cores_bind() -> None:
    alone = tenant(weight=1, max_threads=1)
    seen = fleet(alone, tenant("geo", 10.0, 6, busy=0.1), load=4.8, cores=2)
    assert told(alone, seen) == [
        "it has the one slot that it may have; what would help: a higher max_slots for it, once there are cores for it",
        "4.8 threads want to run on 2 cores; "
        "what would help: more cores, or fewer rows for some job; more slots would not help",
    ]


def test_all_slots_that_there_are_bind() -> None:
    alone = tenant(weight=8)
    assert told(alone, fleet(alone)) == [
        "it has 8 of all 8 slots already; what would help: more slots: executors, or cores"
    ]


def test_more_runnable_threads_than_cores_bind_whatever_slots_there_are() -> None:
    seen = fleet(tenant(), tenant("geo", 10.0, 6, busy=0.1), load=4.8, cores=2)
    assert told(tenant(), seen) == [
        "4.8 threads want to run on 2 cores; "
        "what would help: more cores, or fewer rows for some job; more slots would not help"
    ]


def test_neighbours_bind_with_their_batches() -> None:
    # ads has 2 of 8 slots; geo uses all of its 6, batch by batch of 12 s where ads may wait for 2.
    seen = fleet(tenant(), tenant("geo", 10.0, 6, phases_s={"triggerExecution": 12.0, "addBatch": 11.0}))
    assert told(tenant(), seen) == [
        "others use 6 of 8 slots: geo, and a batch of geo takes 12 s; "
        "what would help: smaller batches of geo (a bound), or a lower weight, at the expense of geo; or more slots"
    ]


def test_neighbours_use_no_more_than_there_is() -> None:
    (bind,) = told(tenant(), fleet(tenant(), tenant("geo", 10.0, 6, busy=1.4)))
    assert bind.startswith("others use all 8 slots: geo; ")


def test_a_trigger_longer_than_the_target_binds_also_who_has_slots_enough() -> None:
    slow = tenant(busy=0.2, levers=(Dial("trigger", "ads", 10.0, 0.0),))
    assert told(slow) == ["a batch begins only every 10 s; what would help: a shorter trigger"]


def test_a_bound_that_every_batch_reaches_while_rows_wait_binds() -> None:
    full = tuple(BatchFigures(number, 10.0 * number, 5.0, 400.0) for number in (1, 2))
    behind = tenant(
        busy=0.2, levers=(Dial("bound", "ads", 400, 1),), batches=full, arrival_rps=200.0, processed_rps=80.0
    )
    assert told(behind) == ["its batches take the 400 rows that their bound allows; what would help: a larger bound"]


@pytest.mark.parametrize(
    ("phases", "start"),
    [
        ({"triggerExecution": 3.0, "addBatch": 0.5, "latestOffset": 2.1}, "its source needs 2.1 of the 3 s of a batch"),
        ({"triggerExecution": 3.0, "addBatch": 0.5}, "planning and committing take 2.5 of the 3 s of a batch"),
    ],
)
def test_what_no_slot_does_binds_where_it_is_most_of_a_batch(phases: dict[str, float], start: str) -> None:
    (only,) = told(tenant(busy=0.2, phases_s=phases))
    assert only.startswith(start)


def test_executors_that_are_short_of_memory_bind() -> None:
    seen = fleet(tenant(busy=0.2), tenant("geo", 10.0, 6, busy=0.1))
    collecting = replace(seen, machines=(replace(seen.machines[0], gc_share=0.34),))
    assert told(tenant(busy=0.2), collecting) == [
        "garbage collection takes 34 % of the time of tasks; "
        "what would help: more memory for executors, or less state in it"
    ]


def test_where_nothing_else_binds_the_tasks_of_a_long_batch_do() -> None:
    # Nearly all of 3 s are tasks, which keep a fifth of its share busy: slots are not what is missing.
    uneven = tenant(busy=0.2, phases_s={"triggerExecution": 3.0, "addBatch": 2.9})
    assert told(uneven) == [
        "a batch of its own takes 3 s, and keeps 20 % of its share busy; "
        "what would help: more partitions or keys that are more even, or smaller batches (a bound)"
    ]


@pytest.mark.parametrize(
    "bound",
    [
        fleet(tenant(), tenant("geo", 10.0, 6)),
        fleet(tenant(busy=0.2, levers=(Dial("trigger", "ads", 10.0, 0.0),))),
        fleet(tenant(busy=0.2, phases_s={"triggerExecution": 3.0, "addBatch": 2.9})),
    ],
)
def test_where_a_lever_would_help_it_is_told_apart_from_what_no_policy_can_turn(bound: View) -> None:
    (bind,) = binding(bound.jobs[0], bound)
    assert bind.beyond not in ("", bind.helps)
    assert "weight" not in bind.beyond
    assert "bound" not in bind.beyond


def test_nothing_binds_who_is_fine_or_whom_nobody_sees() -> None:
    assert told(tenant(utility=10.0, max_threads=2)) == []
    assert told(replace(tenant(max_threads=2), utility=None)) == []
    assert told(tenant(max_threads=2, trouble="its query died")) == []
