"""A scenario in real time: a simulated cluster behind the real loop, recorded as it goes, open to requests."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from uuid import uuid4

from penstock.core.run import RunInfo
from penstock.loop import LoopSettings
from penstock.planning.registry import DEFAULT
from penstock.running.session import Session, decider
from penstock.simulation.jobs import intents_of
from penstock.simulation.run import cluster_of
from penstock.simulation.schema import ScenarioFile
from penstock.store.control import DeskControl, Standing
from penstock.store.sql import SqlStore

_TICK_S = 0.2


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """How a scenario is lived through: `speed` simulated seconds in each real one."""

    policy: str | None = None
    speed: float = 1.0
    approval: frozenset[str] = frozenset()
    base: Path = Path()
    dry_run: bool = False


class LiveClock:
    """Simulated time that passes in proportion to real time."""

    def __init__(self, advance_to: Callable[[float], None], speed: float, stop: Event) -> None:
        self._advance_to = advance_to
        self._speed = speed
        self._stop = stop
        self._started_s = time.monotonic()
        self._lived_to_s = 0.0  # simulated

    def now(self) -> float:
        """Simulated seconds since the start."""
        return (time.monotonic() - self._started_s) * self._speed

    def wait_until(self, at_s: float) -> bool:
        """Wait, then let the cluster live up to it; False as soon as the run is told to stop."""
        while (left_s := (at_s - self.now()) / self._speed) > 0:
            if self._stop.wait(min(_TICK_S, left_s)):
                return False
        while self._lived_to_s < at_s:  # by seconds: a cluster that is slower than time must hear that it is to stop
            if self._stop.is_set():
                return False
            self._lived_to_s = min(at_s, self._lived_to_s + 1.0)
            self._advance_to(self._lived_to_s)
        return not self._stop.is_set()


def begin_live(store: SqlStore, scenario: ScenarioFile, options: LiveOptions) -> RunInfo:
    """Begin the run in the store."""
    policy = options.policy or DEFAULT
    run_id = f"{scenario.name} {policy} {uuid4().hex[:6]}"
    run = store.begin(RunInfo(run_id, scenario.name, policy, "simulator", "live", time.time()))
    _control(store, run, scenario, options).arrive()
    return run


def live(store: SqlStore, run: RunInfo, scenario: ScenarioFile, options: LiveOptions, stop: Event) -> None:
    """Govern the scenario's jobs until it is over, or `stop` is set."""
    cluster = cluster_of(scenario, options.base, scenario.seed, run.policy)
    settings = LoopSettings(scenario.interval, scenario.govern_from, dry_run=options.dry_run, approval=options.approval)
    policy, control = decider(run.policy, scenario.settings.get(run.policy)), _control(store, run, scenario, options)
    intents = intents_of(scenario)
    session = Session(lambda: intents, policy, store, settings, control, scenario.duration)
    session.live_through(cluster, LiveClock(cluster.advance_to, options.speed, stop))
    control.leave()


def _control(store: SqlStore, run: RunInfo, scenario: ScenarioFile, options: LiveOptions) -> DeskControl:
    standing = Standing(scenario.interval / options.speed, options.dry_run, options.approval)
    return DeskControl(store.desk, run.id, standing)
