"""An application that a coordinator gives its executors: what its agent reports, and how orders are carried out."""

import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Protocol

from pyspark import SparkContext

from penstock.core.cycle import Cycle
from penstock.core.seen.figures import LatencyFigures
from penstock.core.seen.view import JobView, View
from penstock.engines.applications.agent import Agent
from penstock.engines.applications.link import AgentTls, Link
from penstock.engines.applications.wire import NAME, Order, SaidExecutors, SaidLatency, SaidState, SaidTenant
from penstock.engines.spark.jvm.doctor import FAILURES, settings_of_cluster
from penstock.engines.spark.jvm.executors import DECOMMISSION
from penstock.engines.spark.jvm.heap import memory_mib
from penstock.errors import ConfigError, EngineError
from penstock.governing.state_need import ExecutorSize, StateNeed

TOKEN = "PENSTOCK_COORDINATOR_TOKEN"  # the environment variable that holds it
_CORES = "spark.executor.cores"
_MOST_SAID, _MOST_JUICE = 1e18, 1e6
_COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128)  # executors whose worth is told

_log = logging.getLogger("penstock.agent")


class ExecutorHolder(Protocol):
    """What an agent asks of an application's controller, and has it do."""

    @property
    def newest(self) -> Cycle | None:
        """The last round; None before there is one."""

    def look(self) -> View:
        """All jobs as they are now."""

    def worth(self, slots: Sequence[int]) -> tuple[float, ...]:
        """What all jobs would have together with so many slots each; empty while nobody can say."""

    def executors(self) -> tuple[int, int]:
        """How many executors live, and how many are wanted."""

    def hold(self, executors: int) -> None:
        """Have so many executors from now on."""


@dataclass(frozen=True, slots=True)
class Coordinated:
    """Where the coordinators are (several with commas), who this application is, and the executors that it may hold.

    The token is that of `penstock coordinate --new-token`, by default from the environment: a token on a command line
    is seen by all. `tls` is for a coordinator that this machine does not trust, or that wants certificates of agents.
    """

    url: str
    application: str
    least: int = 1
    most: int = 100
    token: str | None = None
    tls: AgentTls = AgentTls()

    def __post_init__(self) -> None:
        if re.fullmatch(NAME, self.application) is None:
            remedy = "give a Coordinated with a name of letters, digits, dots, _, - and / for this application"
            raise ConfigError("coordinator", self.application, remedy)
        if not 1 <= self.least <= self.most:
            raise ConfigError("executors", (self.least, self.most), "write the least and the most, at least 1")

    def check(self, context: SparkContext) -> None:
        """A ConfigError for an application whose executors are not of one size that its settings tell.

        What else its settings lack that a fleet needs is only logged: it is governed all the same.
        """
        if str(context.master).startswith("spark://") and context.getConf().get(_CORES) is None:
            remedy = "set it where the session is made: without it each executor has all cores of its worker"
            raise ConfigError(_CORES, None, remedy)
        conf = {name: context.getConf().get(name) for name in (DECOMMISSION, FAILURES)}
        for setting in settings_of_cluster(str(context.master), conf):
            if setting.change is not None:
                _log.warning("%s", setting.change)

    def check_tenants(self, names: Iterable[str]) -> None:
        """A ConfigError for one whose name no coordinator takes: its application would be silent for ever."""
        for name in names:
            if re.fullmatch(NAME, name) is None:
                remedy = "with a coordinator name queries with up to 200 letters, digits, dots, _, - and /"
                raise ConfigError("intents", name, remedy)

    def agent(self, controller: ExecutorHolder, context: SparkContext) -> Agent:
        """The agent of an application."""
        each = ExecutorSize(_cores_each(context), memory_mib(context), _keeps_state_in_heap(context))
        governed = OnSpark(controller, self, each, str(context.applicationId))
        return Agent(self.application, governed, self.link())

    def link(self) -> Link:
        """The way there; a ConfigError without a token, or where the URL or a file cannot be used."""
        token = (self.token or os.environ.get(TOKEN, "")).strip()  # of a file or a secret, with its end of line
        if not token:
            remedy = f"set {TOKEN} to what `penstock coordinate FLEET.yaml --new-token {self.application}` showed"
            raise ConfigError(TOKEN, token, remedy)
        if not (token.isascii() and token.isprintable()):  # whatever refused it later would show it
            raise ConfigError(
                TOKEN, f"{len(token)} characters", "set it to the token alone, a line of letters and digits"
            )
        return Link(self.url.split(","), token, tls=self.tls)


def agent_of(how: Coordinated | None, context: SparkContext) -> "partial[Agent] | None":
    """What makes the agent of a controller; None without a coordinator."""
    return None if how is None else partial(how.agent, context=context)


class OnSpark:
    """What an agent sees of a real application."""

    def __init__(self, controller: ExecutorHolder, how: Coordinated, each: ExecutorSize, cluster_id: str) -> None:
        self._controller = controller
        self._how = how
        self._each = each
        self._cluster_id = cluster_id
        self._seen = 0
        self._seen_at_s: float | None = None
        self._worth: list[tuple[int, float]] = []
        self._need = StateNeed()
        self._unnamed: set[str] = set()  # tenants of whom nobody can be told

    def state(self) -> SaidState:
        """As of the last round, with the executors of now; before the first round, which is 10 s away, as it looks.

        Nothing is known of what executors are worth by then, but its share by what it counts for is.
        """
        newest = self._controller.newest
        view = self._controller.look() if newest is None else newest.view
        if view.at_s != self._seen_at_s:
            self._seen, self._seen_at_s = self._seen + 1, view.at_s
            self._worth = self._told_worth()
        now, wanted = self._controller.executors()
        self._need = self._need.after(now, wanted, {job.name: job.figures.state_bytes for job in view.jobs})
        needs = min(self._how.most, self._need.executors(self._each))
        return SaidState(
            executors=SaidExecutors(
                now=now,
                wanted=wanted,
                least=max(self._how.least, min(now, needs)),
                needs=needs,
                most=self._how.most,
                cores=self._each.cores,
                memory_mib=self._each.memory_mib,
            ),
            tenants=self._tenants(view),
            worth=self._worth,
            cluster_id=self._cluster_id,
            seen=self._seen,
        )

    def give(self, order: Order) -> None:
        """Hold so many executors."""
        if not self._how.least <= order.executors <= self._how.most:
            raise EngineError(f"{order.executors} executors are not within {self._how.least} to {self._how.most}")
        self._controller.hold(order.executors)

    def _tenants(self, view: View) -> dict[str, SaidTenant]:
        """Those whose names a fleet can have: a report with another one would be refused whole, and with it all."""
        wrong = {job.name for job in view.jobs if re.fullmatch(NAME, job.name) is None}
        for name in sorted(wrong - self._unnamed):
            remedy = "name its query in up to 200 letters, digits, dots, _, - and /"
            _log.warning("%s; the coordinator is not told of it", ConfigError("tenant", name, remedy))
        self._unnamed = wrong
        return {job.name: _tenant(job) for job in view.jobs if job.name not in wrong}

    def _told_worth(self) -> list[tuple[int, float]]:
        how = self._how
        counts = sorted({how.least, *(n for n in _COUNTS if how.least <= n <= how.most), min(how.most, _COUNTS[-1])})
        found = self._controller.worth([count * self._each.cores for count in counts])
        known = [(count, _said(utility)) for count, utility in zip(counts, found, strict=False)]
        return [(count, round(utility, 4)) for count, utility in known if utility is not None]


def _tenant(job: JobView) -> SaidTenant:
    figures, which = job.figures.measured, job.figures.trouble_id
    known: Mapping[str, float | None] = {
        "arrival_rps": figures.arrival_rps,
        "processed_rps": figures.processed_rps,
        "backlog_rows": figures.backlog_rows,
        "busy": max((op.capacity for op in figures.operators if op.capacity is not None), default=None),
        "up_s": figures.up_s,
        "juice": None if figures.juice is None else min(figures.juice, _MOST_JUICE),
    }
    return SaidTenant(
        intent=job.stated,  # the coordinator's own ledger makes it count for more, once
        age_s=_said(figures.age_s) or 0.0,
        latency=None if figures.latency is None else _said_latency(figures.latency),
        settling=figures.settling,
        trouble=None if figures.trouble is None else figures.trouble[:500],
        trouble_kind=None if which is None else which.kind,
        trouble_cause="" if which is None else which.cause[:500],
        **{name: None if (said := _said(value)) is None else float(f"{said:.4g}") for name, value in known.items()},
    )


def _said_latency(latency: LatencyFigures) -> SaidLatency:
    told = [(percent, _said(seconds)) for percent, seconds in latency.quantiles[:20]]
    quantiles = [(percent, seconds) for percent, seconds in told if seconds is not None]
    return SaidLatency(mean_s=_said(latency.mean_s) or 0.0, quantiles=quantiles, estimated=latency.estimated)


def _said(value: float | None) -> float | None:
    """As a report may have it: one figure that does not fit would have all of it refused."""
    return None if value is None or not isfinite(value) else min(max(0.0, value), _MOST_SAID)


def _keeps_state_in_heap(context: SparkContext) -> bool:
    return "RocksDB" not in (context.getConf().get("spark.sql.streaming.stateStore.providerClass", "") or "")


def _cores_each(context: SparkContext) -> int:
    return int(context.getConf().get(_CORES, "1") or 1)
