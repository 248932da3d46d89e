"""One contract for every policy: pure, restartable from stored memory, within limits."""

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from penstock.analysis.assess import assess
from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.levers import WHOLE, Dial
from penstock.core.plan import Plan
from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures, Snapshot
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.planning.registry import POLICIES, policy_named
from tests.builders import rounds, threads_after, topology

INTENTS = {
    "a": Intent(Latency("100ms", utility=10)),
    "b": Intent(Latency("200ms", percentile=95, utility=20), Juice(1.0, utility=20)),
    "c": Intent(Juice(0.9, utility=5)),
}


FEW, MANY = 8, 60  # fleets; each is drawn once
SEEDS = st.integers(0, FEW - 1)


@cache
def random_views(seed: int) -> tuple[View, ...]:
    """A fleet that changes from round to round: jobs come and go, news fails, threads stay within limits."""
    chance = random.Random(seed)
    return tuple(assess(_snapshot(chance, 10.0 * n), INTENTS) for n in range(40))


@cache
def whole(name: str, seed: int) -> tuple[list[Plan], list[Any]]:
    """All plans of a policy for that fleet, and its memory before each and at the end: once for all laws below."""
    policy = policy_named(name)
    plans: list[Plan] = []
    memories = [policy.start()]
    for view in random_views(seed):
        (plan,), memory = rounds(policy, [view], memories[-1])
        plans.append(plan)
        memories.append(memory)
    return plans, memories


def _snapshot(chance: random.Random, at_s: float) -> Snapshot:
    jobs = tuple(_job(chance, name) for name in INTENTS if chance.random() > 0.05)
    gc_share = 0.2 if 50.0 < at_s < 350.0 else 0.01  # executors are short of memory for a while
    machines = tuple(MachineFigures(f"m{n}", 4, chance.uniform(0, 9), gc_share=gc_share) for n in range(3))
    return Snapshot(at_s, jobs, machines, max_threads=60, levers=(Dial("memory", WHOLE, 1024, 512),))


def _job(chance: random.Random, name: str) -> JobFigures:
    operators = tuple(
        OperatorFigures(
            op,
            chance.randint(1, 6),
            chance.random(),
            100.0,
            100.0,
            chance.random(),
            chance.random(),
            0.0,
            op == "source",
            1,
            8,
        )
        for op in ("source", "work", "sink")
    )
    mean = 10 ** chance.uniform(-2, 1)
    latency = LatencyFigures(mean, ((50.0, mean), (95.0, 2 * mean), (99.0, 3 * mean)))
    age = 0.0 if chance.random() > 0.03 else 40.0
    return JobFigures(
        name,
        operators,
        age,
        latency,
        chance.random(),
        arrival_rps=100.0,
        processed_rps=90.0,
        working_rps=95.0,
        backlog_rows=10.0,
        topology=topology(),
        max_threads=20,
    )


@pytest.mark.parametrize("name", POLICIES)
@given(seed=SEEDS)
def test_the_same_views_give_the_same_plans(name: str, seed: int) -> None:
    plans, _ = rounds(policy_named(name), random_views(seed)[:15])
    assert plans == whole(name, seed)[0][:15]


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=2 * FEW)
@given(seed=SEEDS, stop=st.integers(1, 39))
def test_a_controller_restarted_from_stored_memory_goes_on_as_if_nothing_had_happened(
    name: str, seed: int, stop: int
) -> None:
    goes_on_from_stored_memory(name, seed, stop)


def goes_on_from_stored_memory(name: str, seed: int, stop: int) -> None:
    plans, memories = whole(name, seed)
    adapter = TypeAdapter(type(memories[stop]))
    stored = adapter.validate_json(adapter.dump_json(memories[stop]))
    went_on, end = rounds(policy_named(name), random_views(seed)[stop:], stored)
    assert went_on == plans[stop:]
    assert end == memories[-1]


@pytest.mark.parametrize("name", POLICIES)
@given(seed=SEEDS)
def test_no_plan_exceeds_the_limits_of_operator_job_or_cluster(name: str, seed: int) -> None:
    keeps_limits(name, seed)


def keeps_limits(name: str, seed: int) -> None:
    views = random_views(seed)
    plans, _ = whole(name, seed)
    for view, plan in zip(views, plans, strict=True):
        before = {(j.name, o.name): o.threads for j in view.jobs for o in j.figures.operators}
        after = threads_after(view, plan)
        assert all(1 <= threads <= 8 for threads in after.values())
        for job in view.jobs:
            grown = sum(after[k] for k in after if k[0] == job.name)
            assert grown <= max(20, sum(before[k] for k in before if k[0] == job.name))
        assert sum(after.values()) <= max(60, sum(before.values()))


@pytest.mark.long
@pytest.mark.parametrize("name", POLICIES)
def test_both_hold_for_many_fleets(name: str) -> None:
    for seed in range(FEW, MANY):
        goes_on_from_stored_memory(name, seed, 1 + seed * 7 % 39)
        keeps_limits(name, seed)


@pytest.mark.parametrize("name", ["henge", "ds2", "reactive", "twres", "phoebe"])
@given(seed=SEEDS)
def test_every_decision_says_why_and_changes_something(name: str, seed: int) -> None:
    plans, _ = whole(name, seed)
    for decision in (d for plan in plans for d in plan.decisions):
        assert len(decision.why) > 20
        assert decision.moves
        assert all(change.before != change.after for change in decision.moves)


def test_an_unknown_policy_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"policy: 'hange' cannot be used; choose one of fifo, fair, .*henge"):
        policy_named("hange")


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"settings\.henge\.blocklist: 3 cannot be used; .*did you mean blocklist_s\?"
    ):
        policy_named("henge", {"blocklist": 3})


def test_a_setting_out_of_range_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"reduction: 1\.5 cannot be used"):
        policy_named("henge", {"reduction": 1.5})


SETTINGS = (Path(__file__).parents[2] / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name, entry in POLICIES.items() if entry.settings is not None])
def test_settings_are_frozen_and_slotted_and_have_a_default_and_a_sentence_each(name: str) -> None:
    kind = POLICIES[name].settings
    assert kind is not None
    assert kind.__dataclass_params__.frozen
    assert hasattr(kind, "__slots__")
    assert kind() == kind()
    rows = SETTINGS.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|[^|]*\| *\|$", rows, re.MULTILINE) == []
