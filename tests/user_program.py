"""A user's own program: tests run it, and have mypy and pyright look at it as they would on the user's machine.

It imports of penstock only what is public, and the calls.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession

import penstock as ps
from penstock.calls import files, recorded

TENANTS = """\
name: shop
jobs:
  - {name: fraud, job: "shop_jobs:fraud", intent: {latency: 2s, utility: 40}}
  - {name: visits, job: "shop_jobs:visits", intent: {juice: 0.9, utility: 10}}
"""


@dataclass(frozen=True, slots=True)
class FrugalSettings:
    """With so many slots anybody has enough."""

    most: int = 1


@dataclass(frozen=True, slots=True)
class FrugalMemory:
    """How often each had more."""

    had_more: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Frugal:
    """A policy: whoever has more than so many slots gets so many."""

    settings: FrugalSettings = FrugalSettings()
    name: str = "frugal"

    def start(self) -> FrugalMemory:
        return FrugalMemory()

    def decide(self, view: ps.View, memory: FrugalMemory) -> tuple[ps.Plan, FrugalMemory]:
        moves = [move for job in view.jobs for move in self._moves(job)]
        why = f"{self.settings.most} will do"
        reduced = [ps.Decision(ps.Reason.REDUCED, (move,), why, view.at_s, view.utility) for move in moves]
        had_more = {move.job: memory.had_more.get(move.job, 0) + 1 for move in moves}
        return ps.Plan(tuple(reduced)), FrugalMemory({**memory.had_more, **had_more})

    def _moves(self, job: ps.JobView) -> Iterator[ps.Move]:
        for unit in job.figures.operators:
            if unit.threads > self.settings.most:
                yield ps.thread_move(job.name, unit.name, unit.threads, self.settings.most)


# What a package would name as its entry point, and a policy as whoever takes one says it.
ENTRY = ps.PolicyEntry("nobody has more than one slot", Frugal, FrugalSettings)
POLICY: ps.Policy[FrugalMemory] = Frugal()


class Paper:
    """A notifier: it writes down what it is sent."""

    def __init__(self) -> None:
        self.wants = frozenset({ps.HappeningKind.DECISION, ps.HappeningKind.MISSING})
        self.lines: list[str] = []

    def send(self, message: ps.Message) -> None:
        self.lines.append(message.text)


def in_a_block(
    spark: SparkSession | ps.FakeSpark, folder: Path, work: Callable[[ps.Controller], None], paper: ps.Notifier
) -> list[str]:
    """Govern what a file asks for while `work` lasts; then what was decided, of the controller and of the record."""
    file, store = folder / "tenants.yaml", folder / "runs.sqlite"
    file.write_text(TENANTS, encoding="utf-8")
    asked = files.intents(file)
    with ps.govern(spark, asked, POLICY, store=store, limits={"fraud": (1, 4)}, interval=0.01, notify=[paper]) as g:
        work(g)
    said = [f"{record.decision.reason.value}: {record.decision.why}" for record in g.decisions]
    said += [move.text for record in g.decisions for move in record.decision.moves if isinstance(move, ps.Slots)]
    said += [f"{job.name}: {job.intent.text()}" for job in g.views[-1].jobs]
    return [*said, *told(store)]


def told(store: Path) -> list[str]:
    """What the record says of the newest run, in words and as values."""
    report = recorded.report("last", store)
    outcomes = [record.verdict.text for record in report.run.decisions if record.verdict is not None]
    met = [f"{job.name} met it {job.met.count(True)} times" for job in report.run.jobs]
    return [*report.sentences, *outcomes, *met, recorded.explain("last", store), str(ps.present("last", store)["run"])]


def without_a_block(spark: SparkSession | ps.FakeSpark, work: Callable[[ps.Controller], None]) -> tuple[float, ...]:
    """Govern until `work` is done, by the default policy with settings; the utility of each round."""
    intent = ps.Intent(ps.Latency("2s", percentile=95, utility=40), recovery="60s")
    parts = {"henge": ps.HengeSettings(reduction=0.7), "arbiter": {"least_gain": 0.02}}
    governed = ps.govern(spark, {"fraud": intent}, ps.policy_named("penstock", parts), store=None, interval="10ms")
    work(governed)
    governed.stop()
    return tuple(view.utility for view in governed.views)


def mistakes(spark: SparkSession) -> None:
    """What type checkers find before anything runs: each of these is refused, or its comment would be needless."""
    ps.govern(spark, {"fraud": "2s"})  # type: ignore[dict-item]
    ps.govern(spark, {}, policy=FrugalSettings())  # type: ignore[arg-type]
    ps.govern(spark, {}, limits={"fraud": 2})  # type: ignore[dict-item]
    ps.Latency("2s", percentil=95)  # type: ignore[call-arg]
    ps.governs(spark, {})  # type: ignore[attr-defined]
    ps.Plan(None)  # type: ignore[arg-type]
