"""Runs a scenario under a policy, in simulated time, and sums it up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from penstock.core.documents import decision_document, job_document
from penstock.core.ports import Store, World
from penstock.core.run import Run, RunInfo
from penstock.loop import LoopSettings
from penstock.running.session import Session, decider
from penstock.running.sim_clock import SimClock
from penstock.simulation.continuous import continuous_cluster, models_of
from penstock.simulation.jobs import intents_of
from penstock.simulation.micro_batch import MicroBatchSimulation
from penstock.simulation.recorder import SimulationRecorder
from penstock.simulation.scale_out import profiles_of, scale_out_cluster
from penstock.simulation.scenario_file import Variant
from penstock.simulation.schema import ScenarioFile

FULL = 0.99  # of the maximum utility: "at its maximum" as far as windows of counts can tell


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of one variant under one policy."""

    policy: str
    variant: Variant
    recorder: SimulationRecorder
    slot_seconds: float
    recoveries: tuple[dict[str, object], ...]
    measure_from_s: float
    max_utility: Mapping[str, float]  # by job

    def summary(self) -> dict[str, Any]:
        """The figures of `penstock simulate --json`."""
        at = np.array(self.recorder.at_s)
        chosen = at >= self.measure_from_s
        share = self.recorder.share()
        percentile = {f"utility_p{p}": float(np.percentile(share[chosen], p)) for p in (5, 15, 50, 90)}
        return {
            "policy": self.policy,
            **({"variant": dict(self.variant.values)} if self.variant.values else {}),
            "utility_mean": float(share[chosen].mean()),
            **percentile,
            "reconfigurations": len(self.recorder.decisions),
            "converged_at": self.converged_at(),
            "slot_seconds": self.slot_seconds,
            "recoveries": list(self.recoveries),
            "jobs": self._jobs(chosen),
            "decisions": [decision_document(record) for record in self.recorder.told()],
        }

    def run(self) -> Run:
        """The run as reports and stories tell it."""
        scenario = self.variant.scenario
        name = f"{scenario.name} {self.variant.label}".strip()
        info = RunInfo(f"{name} {self.policy}", name, self.policy, "simulator")
        return self.recorder.run(info, scenario.cluster.cores)

    def converged_at(self) -> float | None:
        """When utility had first been at its maximum for four rounds, as Henge asks before it rests."""
        full = self.recorder.share() >= FULL
        governed = np.array(self.recorder.at_s) >= self.variant.scenario.govern_from
        for start in np.flatnonzero(full & governed):
            if full[start : start + 4].all() and start + 4 <= len(full):
                return float(self.recorder.at_s[start])
        return None

    def _jobs(self, chosen: np.ndarray[Any, np.dtype[np.bool_]]) -> dict[str, dict[str, Any]]:
        utility, met = self.recorder.column("utility")[chosen], self.recorder.column("met")[chosen]
        result: dict[str, dict[str, Any]] = {}
        for place, name in enumerate(self.recorder.jobs):
            there = ~np.isnan(utility[:, place])
            shares = utility[there, place] / self.max_utility[name]
            result[name] = job_document(shares.tolist(), met[there, place].tolist())
        return result


def simulate(
    variant: Variant,
    policy_name: str,
    base: Path,
    seed: int | None = None,
    on_time: Callable[[float], None] = lambda now: None,
    also: Store | None = None,
) -> RunResult:
    """Run one variant under one policy; `base` is where its files are looked for, `also` a store to fill."""
    scenario = variant.scenario
    policy = decider(policy_name, scenario.settings.get(policy_name), lambda: profiles_of(scenario, base))
    cluster = cluster_of(scenario, base, scenario.seed if seed is None else seed, policy_name)
    intents = intents_of(scenario)
    asked = tuple(intent.text() for intent in intents.values())
    recorder = SimulationRecorder(tuple(intents), asked, tuple(i.max_utility for i in intents.values()), also)
    settings = LoopSettings(scenario.interval, scenario.govern_from, go_on=False)
    models = models_of(scenario, base, scenario.seed if seed is None else seed)
    session = Session(lambda: intents, policy, recorder, settings, until_s=scenario.duration, models=models)
    session.live_through(cluster, SimClock(cluster.advance_to), on_time)
    targets = {name: intent.recovery_s for name, intent in intents.items()}
    measured_from = scenario.govern_from if scenario.measure_from is None else scenario.measure_from
    return RunResult(
        policy=policy_name,
        variant=variant,
        recorder=recorder,
        slot_seconds=cluster.thread_seconds,
        recoveries=tuple(cluster.recovered(targets)),
        measure_from_s=measured_from,
        max_utility={name: intent.max_utility for name, intent in intents.items()},
    )


class SimulatedWorld(World, Protocol):
    """What a simulated cluster offers beyond the World port."""

    @property
    def thread_seconds(self) -> float:
        """Threads, or slots, that were held, times how long."""

    def advance_to(self, at_s: float) -> None:
        """Let simulated time pass."""

    def recovered(self, targets: Mapping[str, float | None]) -> list[dict[str, object]]:
        """The recoveries so far, as `simulate --json` reports them."""


def cluster_of(scenario: ScenarioFile, base: Path, seed: int, policy: str) -> SimulatedWorld:
    """The simulated cluster that a scenario describes."""
    if scenario.engine == "continuous":
        return continuous_cluster(scenario, base, seed)
    if scenario.engine == "scale-out":
        return scale_out_cluster(scenario, base, seed)
    return MicroBatchSimulation(scenario, base, seed, policy)
