"""A trial of tenants on real Spark, judged by one yardstick, with what else used the machine: the record of one run."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from machine_use import MachineUse, read_machine, use_between
from pyspark.sql import SparkSession
from trial_meter import Measured, Meter, Moment, Topics

from penstock.config.tenants import TenantsFile
from penstock.core.asked.intents import Intent
from penstock.governing.comparison import PolicyTurn, Tenants, TrialResult, run_trial

SETTLED_FROM_S = 30.0  # from here on an urgent tenant is to have its target


@dataclass(frozen=True, slots=True)
class Case:
    """What ran: a case of a benchmark under one policy, or with what was set by hand, and in which turn."""

    name: str
    policy: str
    turn: int
    urgent: str  # the tenant whose SLO matters most
    about: Mapping[str, Any] = field(default_factory=dict)  # for the record


@dataclass(frozen=True, slots=True)
class Judged:
    """One run, judged second by second."""

    case: Case
    result: TrialResult
    intents: Mapping[str, Intent]
    measured: Measured
    start_s: float  # since the epoch
    machine: MachineUse
    moments: Sequence[Moment]

    @property
    def counted_from_s(self) -> float:
        """Before this nothing counts."""
        return self.result.trial.measure_from_s

    @property
    def late_s(self) -> float:
        """Where the last third begins."""
        return self.result.trial.seconds * 2 / 3

    def utility(self, from_s: float | None = None) -> float:
        """The mean share of the maximum from then on; of all that counts when nothing is said."""
        return _mean([moment.utility for moment in self.since(from_s)])

    def since(self, from_s: float | None = None) -> list[Moment]:
        """The seconds from then on."""
        first = self.counted_from_s if from_s is None else from_s
        return [moment for moment in self.moments if moment.at_s > first]

    def share(self, name: str) -> float:
        """The mean share of one tenant's maximum."""
        return _mean([moment.had[name].utility for moment in self.since()]) / self.intents[name].max_utility

    def met(self, from_s: float = SETTLED_FROM_S) -> float:
        """The share of time that the urgent tenant had what it asked for."""
        return _mean([float(moment.had[self.case.urgent].met) for moment in self.since(from_s)])

    def latency_s(self, name: str, from_s: float = SETTLED_FROM_S) -> float | None:
        """The mean over time; None where nobody knows."""
        known = [had.latency_s for m in self.since(from_s) if (had := m.had[name]).latency_s is not None]
        return _mean(known) if known else None

    @property
    def steps_at_s(self) -> list[float]:
        """When something was turned."""
        return [told.decision.at_s for told in self.result.decisions if told.carried_out and told.decision.moves]

    def off_by(self) -> float | None:
        """How far off the policy's foretold utilities were, as a share of the maximum; None where none was compared."""
        told = [found for found in self.result.run.prediction_errors if found.of]
        compared = [(found.share, self.intents[found.job].max_utility) for found in told]
        worth = sum(most for _, most in compared)
        return sum(share * most for share, most in compared) / worth if compared else None

    def line(self) -> str:
        """The run in one line, as soon as it is over."""
        latency_s = self.latency_s(self.case.urgent)
        latency = "not known" if latency_s is None else f"{latency_s:.1f} s"
        off_by = self.off_by()
        foretold = "" if off_by is None else f" foretold utilities off by {off_by:.1%} of the maximum;"
        return (
            f"{self.case.name}, {self.case.policy}: utility {self.utility():.3f} after {self.counted_from_s:g} s, "
            f"{self.utility(SETTLED_FROM_S):.3f} after 30 s, {self.utility(self.late_s):.3f} in the last third; "
            f"{self.case.urgent} in its target {self.met():.0%} after 30 s, {latency};{foretold} {self.machine.text()}"
        )

    def document(self) -> dict[str, Any]:
        """All of it, for a file."""
        decisions = self.result.decisions
        return {
            "case": asdict(self.case),
            "trial": asdict(self.result.trial),
            "start_s": self.start_s,
            "utility": {
                "counted": round(self.utility(), 4),
                "after_30_s": round(self.utility(SETTLED_FROM_S), 4),
                "last_third": round(self.utility(self.late_s), 4),
                "as_the_policy_saw_it": round(self.result.utility_share, 4),
            },
            "urgent": {
                "in_its_target_after_30_s": round(self.met(), 4),
                "latency_s_after_30_s": _rounded(self.latency_s(self.case.urgent)),
                "latency_s_last_third": _rounded(self.latency_s(self.case.urgent, self.late_s)),
            },
            "tenants": {name: self._tenant(name) for name in self.intents},
            "decisions": [{"at_s": told.decision.at_s, "text": told.text()} for told in decisions],
            "first_step_s": min(self.steps_at_s, default=None),
            "last_step_s": max(self.steps_at_s, default=None),
            "prediction_errors": [asdict(found) for found in self.result.run.prediction_errors],
            "notes": [asdict(note) for note in self.result.run.notes],
            "errors": [asdict(note) for note in self.result.run.errors],
            "machine": asdict(self.machine),
            "timeline": {
                "at_s": [moment.at_s for moment in self.moments],
                "utility": [round(moment.utility, 4) for moment in self.moments],
                "latency_s": {name: [_rounded(m.had[name].latency_s) for m in self.moments] for name in self.intents},
            },
        }

    def _tenant(self, name: str) -> dict[str, Any]:
        batches = self.measured.batches.get(name, [])
        juices = [had.juice for m in self.since(SETTLED_FROM_S) if (had := m.had[name]).juice is not None]
        return {
            "utility": round(self.share(name), 4),
            "latency_s_after_30_s": _rounded(self.latency_s(name)),
            "juice_after_30_s": _rounded(_mean(juices)) if juices else None,
            # When each began and ended since the start, and its rows.
            "batches": [
                (round(b.started_s - self.start_s, 2), round(b.committed_s - self.start_s, 2), round(b.rows))
                for b in batches
            ],
        }


@dataclass(frozen=True, slots=True)
class Watched:
    """What is looked at beside the trial itself: our own other processes by name, and topics that tenants read."""

    names: Mapping[int, str] = field(default_factory=dict)
    topics: Topics | None = None


def trial_as_run(policy: str, seconds: float, measure_from_s: float) -> PolicyTurn:
    """A policy with default settings, in rounds and windows as `penstock run` has them when nobody says."""
    fields = TenantsFile.model_fields
    interval_s, window_s = float(fields["interval"].default), float(fields["window"].default)
    return PolicyTurn(policy, seconds, measure_from_s, interval_s, window_s)


def in_turn(policies: Sequence[str], turn: int) -> list[str]:
    """One of each, each turn beginning with another: whoever comes first meets the coldest code.

    >>> in_turn(["fair", "henge", "penstock"], 1)
    ['henge', 'penstock', 'fair']
    """
    first = turn % len(policies)
    return [*policies[first:], *policies[:first]]


def judged_trial(spark: SparkSession, tenants: Tenants, trial: PolicyTurn, case: Case, watched: Watched) -> Judged:
    """Run the trial, with the meter beside it."""
    names = {os.getpid(): "penstock", pid_of(spark): "spark", **watched.names}
    before, start_s = read_machine(names), time.time()
    with Meter(spark, watched.topics) as meter:
        result = run_trial(spark, tenants, trial)
    machine = use_between(before, read_machine(names))
    moments = meter.measured.moments(tenants.intents, start_s, trial.seconds)
    return Judged(case, result, tenants.intents, meter.measured, start_s, machine, moments)


def keep(judged: Judged, out: Path | None) -> None:
    """One more line in a file of records."""
    if out is not None:
        with out.open("a", encoding="utf-8") as file:
            print(json.dumps(judged.document(), allow_nan=False), file=file)


def pid_of(spark: SparkSession) -> int:
    """The process of the application's driver."""
    jvm = spark._jvm
    assert jvm is not None
    return int(jvm.java.lang.ProcessHandle.current().pid())


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
