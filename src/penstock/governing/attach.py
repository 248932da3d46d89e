"""`penstock attach`: a driver that somebody else started is governed from beside it, until it ends or we let go."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pyspark.sql import SparkSession

from penstock.config.wanted import WantedFile
from penstock.core.asked.price import Price
from penstock.core.seen.view import View
from penstock.engines.spark.application.shares import Sharing
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.beside.context import BesideContext, beside, session_of
from penstock.engines.spark.jvm.beside.door import DriverDoor
from penstock.engines.spark.jvm.beside.spark import BesideSpark
from penstock.engines.spark.jvm.lineage import ApplicationRun
from penstock.engines.spark.port import Spark
from penstock.engines.spark.settings import SparkSettings, lease_for
from penstock.errors import OutageError
from penstock.governing.controller import Controller
from penstock.governing.governed import Governed
from penstock.governing.remembering import DEFAULT_STORE, remember
from penstock.governing.story import RunStory, story_of
from penstock.loop import LoopSettings
from penstock.notifying.notifiers import notifier_of
from penstock.notifying.post import Post
from penstock.planning.registry import DEFAULT
from penstock.running.session import decider

_SESSION_WITHIN_S = 300.0  # a driver may read tables and models before it makes its session
_LOOK_EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class AttachOptions:
    """How a driver is governed; None leaves a choice to the tenants file."""

    policy: str | None = None
    for_s: float = float("inf")
    dry_run: bool = False
    store: str | None = DEFAULT_STORE
    notify: tuple[str, ...] = ()
    troubles: Callable[[], Sequence[str]] = tuple  # what else rounds are to tell of, in words, each once


def attach(door: DriverDoor, wanted: WantedFile, options: AttachOptions, on_view: Callable[[View], None]) -> RunStory:
    """Govern that driver's queries until the time is over, the driver has ended, or Ctrl-C; they run on."""
    post = Post([notifier_of(target) for target in options.notify])
    try:
        with beside(door) as context:
            return _attached(context, wanted, options, post, on_view)
    finally:
        post.close()


def _attached(
    context: BesideContext, wanted: WantedFile, options: AttachOptions, post: Post, on_view: Callable[[View], None]
) -> RunStory:
    session = _awaited(context)
    post.within(ApplicationRun(session))
    spark = BesideSpark(session, [part.name for part in wanted.jobs])
    governed = governed_by(spark, wanted, options, post)
    jobs = [Job(part.name, limits=part.limits()) for part in wanted.jobs]
    engine = SparkEngine(spark, jobs, _engine_settings(_policy_of(wanted, options), wanted))
    story = RunStory(spark.name, governed.policy.name, spark.master, options.dry_run, (), ())
    controller = Controller(engine, governed, on_view)
    return story_of(controller, partial(_wait, controller), story)


def governed_by(spark: Spark, wanted: WantedFile, options: AttachOptions, post: Post | None = None) -> Governed:
    """What a controller of that application serves, by the file and the options."""
    name = _policy_of(wanted, options)
    policy, price = decider(name, wanted.settings.get(name)), _slot_price(spark, wanted)
    approval = frozenset(part.name for part in wanted.jobs if part.approval)
    settings = LoopSettings(interval_s=wanted.interval, dry_run=options.dry_run, approval=approval)
    kept = remember(options.store, spark, spark.name, policy.name, settings, price=price)
    return Governed(
        intents=wanted.asked(),
        policy=policy,
        remembering=kept,
        settings=settings,
        until_s=options.for_s + (0.0 if kept is None else kept.already_s),
        post=post,
        slot_price=price,
        troubles=options.troubles,
    )


def _policy_of(wanted: WantedFile, options: AttachOptions) -> str:
    return options.policy or wanted.policy or DEFAULT


def _slot_price(spark: Spark, wanted: WantedFile) -> Price | None:
    """What an hour of one slot costs, where the file says so; an executor's is that of as many as those here have."""
    if wanted.price is None:
        return None
    there = spark.executor_list()
    slots = sum(one.slots for one in there) / len(there) if there else spark.slots_each
    return wanted.price.of_slots(slots)


def _awaited(context: BesideContext) -> SparkSession:
    """The driver's session, as soon as it has made one."""
    until_s = time.monotonic() + _SESSION_WITHIN_S
    while (found := session_of(context)) is None:
        if time.monotonic() > until_s:
            raise OutageError(f"{context.appName} has made no SparkSession yet; attach once it has queries")
        time.sleep(_LOOK_EVERY_S)
    return found


def _engine_settings(policy: str, wanted: WantedFile) -> SparkSettings:
    lease_s = lease_for(wanted.interval)
    return SparkSettings(wanted.window, Sharing.of_policy(policy), pin_routes=False, lease_s=lease_s)


def _wait(controller: Controller) -> None:
    with controller:
        controller.wait()
