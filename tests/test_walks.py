"""Two walks through the code as it runs: from an intent in YAML to a pool of Spark, from an event to a decision.

docs/results/house.md has them as tables. What calls what is taken from the stacks of a run on the fake, so that neither
a function that is put in between nor one that went can be missing there.
"""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, cast

import pytest

from penstock.config.checking import check_tenants
from penstock.core.levers import Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.ports import Policy, PolicyMemory
from penstock.core.seen.view import View
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.listener import QueryEvents
from penstock.governing.controller import Controller
from penstock.governing.governed import Governed
from penstock.loop import LoopSettings
from penstock.running.session import decider
from tests.floors import calls_upwards
from tests.patience import eventually

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "penstock"
# What becomes of the value, in the order of the walk; the functions that lead to each are its stays.
INTENT_TO_POOL = (
    "config/document.py:read_document",
    "config/problems.py:tried",
    "config/intents.py:intent_of",
    "core/asked/intents.py:Intent.score",
    "planning/arbiter/policy.py:Arbiter.decide",
    "planning/guards/limits.py:within_limits",
    "planning/guards/approval.py:split",
    "actuation/order.py:order",
    "engines/hand.py:Within.do",
    "engines/spark/fake/parts.py:FakePools.set",
)
EVENT_TO_DECISION = (
    "engines/spark/jvm/listener.py:QueryEvents.onQueryProgress",
    "engines/spark/watch/progress.py:parse_batch",
    "engines/spark/watch/take.py:_committed",
    "engines/hand.py:Within.do",
    "engines/spark/watch/track.py:Track.figures",
    "analysis/assess.py:assess",
    "planning/arbiter/policy.py:Arbiter.decide",
)
WALKS = {
    "From an intent in YAML to a pool of Spark": INTENT_TO_POOL,
    "From an event to a decision": EVENT_TO_DECISION,
}
# Real Spark's place is taken by the fake's.
STANDS_FOR = {
    "engines/spark/fake/parts.py:FakePools.set": "engines/spark/jvm/pools.py:FairPools.set",
}
# They are given no value: they carry a call to another thread, or say that it is time for a round or for news.
NO_STAYS = {
    "From an intent in YAML to a pool of Spark": (
        "engines/hand.py:",
        "threads.py:",
        "governing/controller.py:Controller._run",
        "loop.py:drive",
    ),
    "From an event to a decision": (
        "engines/hand.py:",
        "threads.py:",
        "governing/controller.py:Controller._run",
        "loop.py:drive",
        "engines/spark/engine.py:SparkEngine.tend",
        "engines/spark/rounds/hearing.py:Hearing.look_about",
    ),
}
# Other ways to the same place: an intent is tried as its file is checked, pools are set as an engine opens, and a hand
# does more than the walk is about.
OTHER_WAYS = {
    "From an intent in YAML to a pool of Spark": {
        "config/intents.py:that_hold",
        "governing/controller.py:Controller.start",
        "loop.py:Loop.start",
    },
    "From an event to a decision": {"loop.py:Loop.start", "loop.py:Loop._act"},
}
FILE = """
jobs:
  - {name: ads, job: "jobs:ads", intent: {latency: 2s, utility: 35}}
"""


@dataclass(slots=True)
class Seen:
    """The stacks that led to some functions, each function as `file:Class.function`."""

    ends: tuple[str, ...]
    other_ways: set[str]
    stacks: set[tuple[str, ...]] = field(default_factory=set)

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        """As `sys.setprofile` calls it."""
        if event == "call" and frame.f_code.co_filename.startswith(str(SOURCE)) and _name(frame) in self.ends:
            stack = tuple(dict.fromkeys(_package(frame)))[::-1]
            if self.other_ways.isdisjoint(stack):
                self.stacks.add(stack)

    def stays(self, but: tuple[str, ...]) -> set[str]:
        """All functions on them, but those."""
        found = {one for stack in self.stacks for one in stack if not one.startswith(but)}
        return {STANDS_FOR.get(one, one) for one in found}

    def climbs(self, but: tuple[str, ...]) -> set[str]:
        """Calls from one stay to the next that lead to a floor above."""
        ways = [[STANDS_FOR.get(one, one) for one in stack if not one.startswith(but)] for stack in self.stacks]
        return {
            f"{caller} calls {called}"
            for way in ways
            for caller, called in pairwise(way)
            if calls_upwards(caller, called)
        }


def _package(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        if frame.f_code.co_filename.startswith(str(SOURCE)):
            yield _name(frame)
        frame = frame.f_back


def _name(frame: FrameType) -> str:
    """What is written inside a function is part of it."""
    file = Path(frame.f_code.co_filename).relative_to(SOURCE)
    return f"{file}:{frame.f_code.co_qualname.partition('.<locals>')[0]}"


@contextmanager
def seeing(walk: str) -> Iterator[Seen]:
    """Stacks of this thread, and of those that begin meanwhile."""
    seen, before = Seen(WALKS[walk], OTHER_WAYS[walk]), sys.getprofile()
    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        yield seen
    finally:
        sys.setprofile(before)
        threading.setprofile(cast(Any, None))


@dataclass(frozen=True, slots=True)
class Turning:
    """Asks penstock's policy, and gives the job three slots whatever that decides: how much it has seen is chance."""

    asked: Policy
    name: str = "turning"

    def start(self) -> PolicyMemory:
        return self.asked.start()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, PolicyMemory]:
        plan, memory = self.asked.decide(view, memory)
        had = view.job("ads").figures.threads
        decision = Decision(Reason.RECONFIGURED, (Slots("ads", had, 3),), "to be seen", view.at_s, view.utility)
        return replace(plan, decisions=(decision,)), memory


def walked(walk: str, place: Path) -> Seen:
    """A file is checked, and its tenant is governed on the fake until its pool is another and it has had batches."""
    (place / "jobs.py").write_text("def ads(spark):\n    return spark.writer()\n", encoding="utf-8")
    (place / "tenants.yaml").write_text(FILE, encoding="utf-8")
    spark = FakeSpark(slots=4)
    with seeing(walk) as seen:
        tenants = check_tenants(place / "tenants.yaml")
        engine = SparkEngine(spark, [Job("ads")], clocks=spark.clocks)
        governed = Governed(tenants.asked(), Turning(decider("penstock")), settings=LoopSettings(interval_s=0.01))
        with Controller(engine, governed) as controller:
            spark.start_foreign("ads")
            spark.commit("ads")
            eventually(lambda: spark.pools.shares["ads"].weight == 3)
            eventually(lambda: any(view.job("ads").figures.working_rps for view in controller.views))
        QueryEvents.onQueryProgress(cast(Any, Heard()), Heard())
    return seen


class Heard:
    """What a listener is handed, and the queue that it puts it into: a JVM calls it with nothing else."""

    def __init__(self) -> None:
        self.heard = list[object]()

    def progress(self) -> "Heard":
        return self

    def json(self) -> str:
        return "{}"


def told(heading: str) -> list[str]:
    """The functions of a walk as the page has them."""
    page = (ROOT / "docs" / "results" / "house.md").read_text(encoding="utf-8")
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| \d+ \| `([^`]+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize("walk", WALKS)
def test_the_page_has_all_functions_that_a_value_passes_and_no_others(walk: str, tmp_path: Path) -> None:
    rows = told(walk)
    assert len(rows) == len(set(rows))
    assert set(rows) == walked(walk, tmp_path).stays(NO_STAYS[walk])


@pytest.mark.parametrize("walk", WALKS)
def test_no_call_of_the_run_leads_to_a_floor_above(walk: str, tmp_path: Path) -> None:
    assert walked(walk, tmp_path).climbs(NO_STAYS[walk]) == set()
