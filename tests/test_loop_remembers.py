"""What the loop was about to do is remembered before it is done, and what was foreseen counts from then on."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from penstock.core.asked.hours import Excluded
from penstock.core.asked.intents import Intent, Juice, Latency, Recovery
from penstock.core.known.outlook import JobOutlook
from penstock.core.plan import Outcome, Plan, Step
from penstock.core.ports import PolicyMemory
from penstock.core.seen.figures import LatencyFigures, Snapshot
from penstock.core.seen.view import View, snapshot_of
from penstock.loop import Loop
from penstock.store.memory import MemoryStore
from penstock.store.open import open_store
from tests.recorded import RUN, URGENT, Noted, a_decision, a_view


class PowerCut(BaseException):
    """Nothing of ours catches it."""


@dataclass(frozen=True, slots=True)
class DyingEngine:
    """Takes the controller with it when it acts."""

    def observe(self, now: float) -> Snapshot:
        return snapshot_of(a_view(now))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        raise PowerCut


@dataclass(frozen=True, slots=True)
class Acting:
    """Acts in every round."""

    name: str = "acting"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        return Plan((a_decision(view.at_s),)), Noted(memory.rounds + 1)


def test_a_controller_that_dies_while_it_acts_finds_its_plan_and_its_memory() -> None:
    store = MemoryStore()
    loop = Loop(DyingEngine(), Acting(), store, intents=lambda: {"ads": URGENT, "fraud": URGENT})
    with pytest.raises(PowerCut):
        loop.run_cycle(loop.start(), 10.0)
    assert loop.start().memory == Noted(1)
    (record,) = store.read_run("run").decisions
    assert (record.decision, record.outcomes) == (a_decision(10.0), ())


@dataclass(frozen=True, slots=True)
class StillEngine:
    """Nothing changes."""

    def observe(self, now: float) -> Snapshot:
        return snapshot_of(a_view(now))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return Outcome()


@dataclass(frozen=True, slots=True)
class Foreseeing:
    """Works out once how long a job with four threads would take to recover: twice what was asked."""

    name: str = "foreseeing"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        outlooks = (JobOutlook("ads", view.at_s, view.at_s + 15.0, None, ((4, 120.0),)),) if memory.rounds == 0 else ()
        return Plan(outlooks=outlooks), Noted(memory.rounds + 1)


def test_an_estimated_recovery_counts_in_utility_until_the_estimate_is_over() -> None:
    store = MemoryStore()
    loop = Loop(StillEngine(), Foreseeing(), store, intents=lambda: intents)
    carried, intents = loop.start(), {"ads": Intent(Recovery("60s", utility=40))}
    for now in (10.0, 20.0, 30.0):
        carried = loop.run_cycle(carried, now)
    run = store.read_run("run")
    assert list(run.job("ads").utility) == [None, 20.0, None]
    assert list(run.job("ads").recovery_s) == [None, 120.0, None]


@dataclass(frozen=True, slots=True)
class Slowing:
    """The latency of ads, of which 2 s are asked, is 1 s, and 8 s for a while; all its input is used."""

    slow_from_s: float = 20.0
    slow_until_s: float = 150.0

    def observe(self, now: float) -> Snapshot:
        snapshot = snapshot_of(a_view(now))
        latency_s = 8.0 if self.slow_from_s <= now < self.slow_until_s else 1.0
        ads, *others = snapshot.jobs
        ads = replace(ads, juice=1.0, latency=LatencyFigures(latency_s, ((95.0, latency_s),)))
        return replace(snapshot, jobs=(ads, *others))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return Outcome()


@dataclass(frozen=True, slots=True)
class ActingOnce:
    """Acts in the first round."""

    name: str = "acting-once"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        return Plan((a_decision(view.at_s),) if memory.rounds == 0 else ()), Noted(memory.rounds + 1)


def governed(place: Path, intent: Intent, rounds: Sequence[int]) -> list[str]:
    """What a controller says of its decisions that begins in the first of these rounds and dies after the last."""
    with closing(open_store(place)) as store:
        store.begin(replace(RUN, started_at_s=0.0))
        loop = Loop(Slowing(), ActingOnce(), store, intents=lambda: {"ads": intent, "fraud": URGENT})
        carried = loop.start(float(rounds[0]))
        for now in rounds:
            carried = loop.run_cycle(carried, float(now))
            assert carried.error is None
        return [record.verdict.text for record in store.read_run(RUN.id).decisions if record.verdict is not None]


@pytest.mark.parametrize(
    "intent",
    [
        URGENT,
        Intent(Latency("2s", percentile=95, utility=35), Juice(1.0, utility=35), excluded=[Excluded(5e3, 6e3, "rest")]),
    ],
    ids=["plain", "with a calendar"],
)
def test_a_controller_that_goes_on_looks_again_at_what_the_one_before_it_left_open(
    tmp_path: Path, intent: Intent
) -> None:
    place = tmp_path / "runs.sqlite"
    (first,) = governed(place, intent, range(10, 91, 10))
    assert first.endswith("; the record ends before the next check")
    (then,) = governed(place, intent, range(110, 161, 10))
    assert then.startswith("still worse: utility of ads")
    assert "kept because the policy has changed something else since" in then
    assert "meanwhile: governing restarted at 110 s" in then
    (last,) = governed(place, intent, range(200, 341, 10))
    assert last.startswith("no change after all: utility of ads")
    assert "at 130 s it was worse" in last


def test_a_controller_that_goes_on_too_late_says_that_nobody_looked_again(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"
    governed(place, URGENT, range(10, 91, 10))
    (told,) = governed(place, URGENT, range(400, 461, 10))
    assert told.endswith("; not checked again: governing restarted before that")
