"""`penstock.govern`: two lines in somebody's driver, and its queries are governed."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from penstock.core.asked.intents import Intent
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.known.job_models import JobModels
from penstock.core.ports import Policy
from penstock.core.units import positive_seconds
from penstock.engines.spark.application.shares import Sharing
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.features import check_session
from penstock.engines.spark.jvm.lineage import ApplicationRun
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.routing.route import Routing
from penstock.engines.spark.settings import SparkSettings, lease_for
from penstock.errors import ConfigError
from penstock.governing.controller import Controller
from penstock.governing.divided import divided_by
from penstock.governing.governed import Governed
from penstock.governing.remembering import DEFAULT_STORE, remember
from penstock.governing.small_first import begin_small
from penstock.loop import LoopSettings
from penstock.notifying.notifiers import Notifier, notifier_of
from penstock.notifying.post import Post
from penstock.planning.registry import DEFAULT
from penstock.planning.routing_settings import RoutingMode, RoutingSettings
from penstock.running.session import decider
from penstock.store.archive import Archive

if TYPE_CHECKING:
    from penstock.governing.coordinated import Coordinated

Limits = Mapping[str, tuple[int, int | None]]

_log = logging.getLogger("penstock")


def govern(
    spark: SparkSession | FakeSpark,
    intents: Mapping[str, Intent],
    policy: str | Policy = DEFAULT,
    dry_run: bool = False,
    store: Archive | str | Path | None = DEFAULT_STORE,
    *,
    limits: Limits | None = None,
    approval: Collection[str] = (),
    interval: object = 10.0,
    window: object = 60.0,
    routes: Mapping[str, Routing] | None = None,
    routing: RoutingSettings | str = RoutingMode.OFF,
    models: Mapping[str, str | Path] | None = None,
    coordinator: "Coordinated | str | None" = None,
    notify: Collection[str | Notifier] = (),
) -> Controller:
    """Govern the named queries of this application from now on: while the `with` block lasts, or until `stop()`.

    What nobody stops lets go when the interpreter ends, as does a block that is interrupted; the queries run on with
    the shares that they have. Call it before the queries start: each then runs in a pool of its name. Queries that run
    already are seen, and their shares can move after their next start. `limits` holds (min_slots, max_slots) by query;
    `approval` names those whose tenants are asked before anything is done to them. `store` is where the run is
    recorded: a SQLite file's path, a PostgreSQL URL, the file in the user's state directory by default, or None.
    `routes` holds the `Routing` by query; `routing` says whether routes are left alone ("off"), advised on ("advise")
    or changed ("act"). `models` holds, by query, the file of `penstock plan` that says what its operators can do: the
    Henge policy's first step for it. `coordinator` is where a coordinator says how many executors this application
    holds: its URL, or a `Coordinated` with the application's name (else that of Spark) and bounds. `notify` says who
    is told of what happens, such as "slack:https://…": the targets of `penstock run --notify`, or a `Notifier` of
    yours. A `FakeSpark` is governed without a JVM, in time of its own: to try a policy in a test.

    with ps.govern(spark, {"orders": ps.Intent(ps.Latency("2s", percentile=95))}) as g:
        query = orders.writeStream.queryName("orders").start()
        query.awaitTermination()
    """
    if not isinstance(spark, FakeSpark):
        check_session(spark)
    _check(intents, {"limits": limits, "approval": approval, "routes": routes, "models": models})
    read = _models(models or {})
    interval_s = positive_seconds(interval, "interval")
    window_s = positive_seconds(window, "window")
    settings = LoopSettings(interval_s, dry_run=dry_run, approval=frozenset(approval), window_s=window_s)
    by_route = routing if isinstance(routing, RoutingSettings) else RoutingSettings(routing)
    decides = decider(policy, routing=by_route)
    live, clocks = (spark, spark.clocks) if isinstance(spark, FakeSpark) else (LiveSpark(spark), Clocks())
    divided = divided_by(coordinator, spark, live.name, intents)
    how = replace(
        _how(settings, window_s, decides.name, divided.executors),
        small_first=begin_small(decides.name, intents, approval, dry_run),
    )
    engine = SparkEngine(live, _jobs(intents, limits or {}, routes or {}), how, clocks)
    post = _post(notify, spark)
    remembering = remember(store, live, live.name, decides.name, settings)
    governed = Governed(dict(intents), decides, remembering, settings, models=read, agent=divided.agent, post=post)
    return Controller(engine, governed if post is None else replace(governed, at_end=post.close)).start()


def _check(intents: Any, by_query: Mapping[str, Collection[str] | None]) -> None:
    """Intents by name, and what else is said of queries, of nobody but them."""
    for name, intent in _checked(intents).items():
        _log.info("%s: %s", name, intent.text())
    for field, names in by_query.items():
        _refuse_unknown(field, names or (), intents)


def _models(files: Mapping[str, str | Path]) -> Mapping[str, JobModels]:
    if not files:
        return {}
    from penstock.config.job_models import ModelsPart  # with all that reads files: 5 MiB in somebody's driver

    return {name: ModelsPart(plan=str(path)).read(Path(), f"models.{name}") for name, path in files.items()}


def _how(settings: LoopSettings, window_s: float, policy: str, executors: int | None) -> SparkSettings:
    """`executors` are those that it holds until a coordinator says otherwise; None without one."""
    return SparkSettings(
        window_s,
        Sharing.of_policy(policy),
        pin_routes=not settings.dry_run,
        lease_s=lease_for(settings.interval_s),
        executors=executors,
        holds_executors=executors is not None,
    )


def _post(notify: Collection[str | Notifier], spark: SparkSession | FakeSpark) -> Post | None:
    """Who is told of what happens, if anybody is to be."""
    if not notify:
        return None
    post = Post([notifier_of(one) if isinstance(one, str) else one for one in notify])
    if not isinstance(spark, FakeSpark):
        post.within(ApplicationRun(spark))
    return post


def _jobs(names: Collection[str], limits: Limits, routes: Mapping[str, Routing]) -> list[Job]:
    bounds = {name: SlotLimits(*pair) for name, pair in limits.items()}
    return [Job(name, limits=bounds.get(name, SlotLimits()), route=routes.get(name)) for name in names]


def _checked(intents: Any) -> Mapping[str, Intent]:
    if not isinstance(intents, Mapping) or not intents:
        raise ConfigError("intents", intents, "give at least one query's name with its Intent")
    for name, intent in intents.items():
        if not isinstance(name, str) or not name:
            raise ConfigError("intents", name, "name each query as in queryName(...)")
        if not isinstance(intent, Intent):
            raise ConfigError(f"intents[{name!r}]", intent, "give an Intent, such as Intent(Latency('2s'))")
    return intents


def _refuse_unknown(field: str, names: Collection[str], intents: Mapping[str, Intent]) -> None:
    for name in names:
        if name not in intents:
            raise ConfigError(f"{field}[{name!r}]", name, f"name a query with an intent: {', '.join(sorted(intents))}")
