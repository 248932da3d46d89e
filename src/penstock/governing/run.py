"""`penstock run`: all tenants of a file in one application, each in its own pool, governed for a while."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from penstock.config.checking import CheckOptions
from penstock.config.tenants import TenantPart, TenantsFile
from penstock.core.known.job_models import JobModels
from penstock.core.ports import Policy
from penstock.core.seen.view import View
from penstock.engines.applications.link import AgentTls
from penstock.engines.spark.application.shares import Sharing
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.commit_offsets import commit_offsets
from penstock.engines.spark.jvm.executors import take_allocation
from penstock.engines.spark.jvm.heap import memory_mib
from penstock.engines.spark.jvm.lineage import ApplicationRun
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.process import Jvm
from penstock.engines.spark.jvm.single_writer import OWNERS, RUN_CONF
from penstock.engines.spark.launch.application import start_application, start_jvm
from penstock.engines.spark.settings import SparkSettings, lease_for
from penstock.errors import ConfigError
from penstock.governing.controller import Controller
from penstock.governing.coordinated import Coordinated, agent_of
from penstock.governing.ending import end_queries
from penstock.governing.governed import Governed
from penstock.governing.lives import Applications, Life, MemoryWish, StartedApplication
from penstock.governing.named_routes import routed
from penstock.governing.pulse import STARTS_WITHIN_S, Heart
from penstock.governing.remembering import DEFAULT_STORE, left_behind, remember
from penstock.governing.small_first import begin_small
from penstock.governing.standby import ARCHIVES, Nobody
from penstock.governing.story import RunStory, story_of
from penstock.governing.watching import TenantsWatch
from penstock.local.spark import class_archive
from penstock.loop import LoopSettings
from penstock.notifying.notifiers import notifier_of
from penstock.notifying.post import Post
from penstock.planning.combined import first_slots
from penstock.planning.registry import DEFAULT, policies
from penstock.planning.routing_settings import RoutingSettings
from penstock.running.session import decider

_NEW_FOR_S = 60.0  # so long the code of a driver is new, and wants all the cores that there are
_PINNED_WAIT = "3s"  # how long a task waits for the executor that its partition is pinned to


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a file's tenants are run; None leaves a choice to the file."""

    policy: str | None = None
    master: str | None = None
    for_s: float = float("inf")
    dry_run: bool = False
    code: Path | None = None  # the directory of the tenants' modules
    store: str | None = DEFAULT_STORE  # a path, a URL, or None to remember nothing after the run
    run_id: str | None = None  # of the run to go on with, where this driver takes the place of one that died
    down_since_s: float | None = None  # when that one died, in seconds since the epoch
    age_s: float = 0.0  # of the run to go on with, as far as whoever watches over it knows
    heartbeat: Path | None = None  # a file that is written every second while all is well
    starts_within_s: float | None = None  # longer than that a start is not taken for well; None: as usual
    coordinator: str | None = None  # where coordinators of a fleet are, who say how many executors this file gets
    coordinator_tls: AgentTls = AgentTls()  # whom of them to believe, and what to show them
    notify: tuple[str, ...] = ()  # targets of notifiers, see notifying/notifiers.py
    watch: Path | None = None  # the file itself, where what changes in it is to be taken over
    troubles: Callable[[], Sequence[str]] = tuple  # what else rounds are to tell of, in words, each once
    supervised: bool = False  # somebody starts another driver when this one dies, and sees to it that it starts soon


def run_tenants(tenants: TenantsFile, options: RunOptions, on_view: Callable[[View], None]) -> RunStory:
    """Start every tenant and govern them until the time is over or Ctrl-C; then stop them all."""
    coordinated = _coordinated(tenants, options)
    if coordinated is not None:
        coordinated.link().close()  # what is wrong with it is said before Spark starts
    notifiers = [notifier_of(target) for target in options.notify]
    heart = Heart(options.heartbeat, options.starts_within_s or STARTS_WITHIN_S)
    post = Post(notifiers)
    beside = Nobody() if options.supervised else archiver()

    def seen(view: View) -> None:
        beside.look(governs=True)
        on_view(view)

    heart.start()
    try:
        return _run_tenants(tenants, _filled(tenants, options), heart, post, seen)
    finally:
        beside.end()
        heart.stop()
        post.close()


def _run_tenants(
    tenants: TenantsFile, options: RunOptions, heart: Heart, post: Post, on_view: Callable[[View], None]
) -> RunStory:
    models = tenants.read_models(options.code or Path())
    watch = None if options.watch is None else _watch(options.watch, tenants, options)
    governed = Governed(
        intents=tenants.asked(),
        policy=policy_of(tenants, options),
        settings=_loop_settings(tenants, options),
        until_s=options.for_s,
        models=models,
        heart=heart,
        post=post,
        look=(lambda: None) if watch is None else watch.look,
        slot_price=tenants.slot_price(),
        troubles=options.troubles,
    )
    applications = Applications(_start(tenants, options), _conf(tenants, options))
    left = left_behind(options.store, options.run_id)
    jobs, had = _jobs(tenants, models, left.slots), sum(left.slots.values())
    life: Life | None = Life(jobs, left.memory_mib, slots=had, run_id=options.run_id)
    story = _story(tenants, options)
    try:
        while life is not None:
            with applications.started(life) as application:
                lived = _Lived(tenants if watch is None else watch.running, options, life, application)
                story, life = lived.governed(governed, MemoryWish(applications.not_given), on_view)
    except KeyboardInterrupt:  # while an application was started or ended
        if not story.views:
            raise
        return replace(story, interrupted=True)
    finally:
        OWNERS.let_go()
    return story


def archiver() -> Nobody:
    """Beside a driver that nobody supervises: it has Spark's classes archived, where they are not and there is room."""
    return Nobody((*ARCHIVES, class_archive.IF_ROOM) if class_archive.is_lacking() else (), _NEW_FOR_S)


def start_jvm_for(tenants: TenantsFile, options: RunOptions) -> Jvm:
    """The JVM that `run_tenants` will find and use in this process."""
    master = options.master or tenants.master
    return start_jvm(tenants.name, master, _conf(tenants, options), options.code, tenants.kafka)


def _watch(path: Path, tenants: TenantsFile, options: RunOptions) -> TenantsWatch:
    # Modules are not imported again: a job goes on with the function that it began with.
    asked = CheckOptions(options.policy, options.master)
    return TenantsWatch(path, tenants, asked, lambda file: policy_of(file, options))


def _start(tenants: TenantsFile, options: RunOptions) -> Callable[[Mapping[str, object]], SparkSession]:
    master = options.master or tenants.master
    return lambda conf: start_application(tenants.name, master, conf, options.code, tenants.kafka)


def _conf(tenants: TenantsFile, options: RunOptions) -> Mapping[str, object]:
    conf: dict[str, object] = {**tenants.all_conf, **_executors_conf(tenants, options)}
    if options.run_id is not None:
        conf[RUN_CONF] = options.run_id
    if tenants.checkpoints is not None:
        conf.setdefault("spark.sql.streaming.checkpointLocation", tenants.checkpoints)
    if any(part.route is not None for part in tenants.jobs):
        conf.setdefault("spark.locality.wait", _PINNED_WAIT)
    return conf


@dataclass(frozen=True, slots=True)
class _Lived:
    """One life of the application: governed until the run is over, or until executors are to get other memory."""

    tenants: TenantsFile
    options: RunOptions
    life: Life
    application: StartedApplication

    def governed(
        self, governed: Governed, wish: MemoryWish, on_view: Callable[[View], None]
    ) -> tuple[RunStory, Life | None]:
        """What the run came to so far, and the next life, if there is to be one."""
        spark, life, name = self.application.spark, self.life, self.tenants.name
        live = LiveSpark(spark)
        kept = remember(
            self.options.store,
            live,
            name,
            governed.policy.name,
            governed.settings,
            life.run_id,
            self.options.age_s,
            self.tenants.slot_price(),
        )
        self.application.slots_came()
        if self.options.coordinator is not None:
            take_allocation(spark.sparkContext)
        had_mib = memory_mib(spark.sparkContext)
        engine = self._engine(live, wish, had_mib)
        if governed.post is not None:
            governed.post.within(ApplicationRun(spark))
        agent = agent_of(_coordinated(self.tenants, self.options), spark.sparkContext)
        governed = governed if life.earlier is None else life.earlier.governed
        controller = Controller(engine, replace(governed, remembering=kept, agent=agent), on_view, life.earlier)
        wish.ends = controller.end
        with _commits(self.tenants, spark):
            story = story_of(
                controller,
                partial(controller.run_jobs, partial(end_queries, spark)),
                _story(self.tenants, self.options),
            )
        over = story.interrupted or story.error is not None or controller.left_s <= self.tenants.interval
        if wish.mib is None or over:
            return story, None
        slots = sum(executor.slots for executor in ExecutorReader(spark.sparkContext).read())
        return story, Life(engine.jobs, wish.mib, had_mib, slots, story.run_id, controller)

    def _engine(self, live: LiveSpark, wish: MemoryWish, had_mib: int) -> SparkEngine:
        """For the jobs of this life; its record tells what is not as the file wants it."""
        life, settings = self.life, _engine_settings(self.tenants, self.options)
        if life.earlier is not None:
            settings = replace(settings, down_since_s=None)  # nothing has failed
        jobs, missing = routed(life.jobs, self.tenants)
        engine = SparkEngine(live, jobs, settings, ask_memory=wish.ask)
        for why in missing:
            engine.note("a route is not followed", why)
        if self.application.instead is not None and life.memory_mib != had_mib:
            engine.note(f"executor memory {life.memory_mib:,} -> {had_mib:,} MiB", self.application.instead)
        return engine


def _commits(tenants: TenantsFile, spark: SparkSession) -> AbstractContextManager[object]:
    """A group for each job, which no other job's consumers are likely to be in."""
    return commit_offsets(spark, f"{tenants.name}-{{query}}") if tenants.commit_offsets else nullcontext()


def _loop_settings(tenants: TenantsFile, options: RunOptions) -> LoopSettings:
    approval = frozenset(part.name for part in tenants.jobs if part.approval)
    return LoopSettings(interval_s=tenants.interval, dry_run=options.dry_run, approval=approval)


def _filled(tenants: TenantsFile, options: RunOptions) -> RunOptions:
    return replace(options, policy=options.policy or tenants.policy or DEFAULT, master=options.master or tenants.master)


def policy_of(tenants: TenantsFile, options: RunOptions) -> Policy:
    """The policy with its settings, and with what was profiled of jobs where it can use that."""
    for known in tenants.settings:
        if known not in policies():
            raise ConfigError("settings", known, f"choose one of {', '.join(policies())}")
    name = options.policy or DEFAULT
    profiles = tenants.read_profiles(options.code or Path())
    routing = None if tenants.routing == "off" else RoutingSettings(tenants.routing)
    return decider(name, tenants.settings.get(name), lambda: profiles, routing)


def _engine_settings(tenants: TenantsFile, options: RunOptions) -> SparkSettings:
    return SparkSettings(
        tenants.window,
        Sharing.of_policy(options.policy or DEFAULT),
        pin_routes=not options.dry_run,
        small_first=_small_first(tenants, options),
        route_window_s=tenants.routing_window,
        route_memory_s=tenants.routing_memory,
        executors=tenants.executors if options.coordinator is None else _first_executors(tenants),
        holds_executors=options.coordinator is not None,
        down_since_s=options.down_since_s,
        lease_s=lease_for(tenants.interval),
    )


def _small_first(tenants: TenantsFile, options: RunOptions) -> frozenset[str]:
    approval = [part.name for part in tenants.jobs if part.approval]
    return begin_small(options.policy or DEFAULT, (part.name for part in tenants.jobs), approval, options.dry_run)


def _executors_conf(tenants: TenantsFile, options: RunOptions) -> dict[str, Any]:
    """What Spark must be told for executors that come and go: one slot each unless the file says otherwise."""
    master = options.master or tenants.master
    for field in ("executors", "executor_memory"):
        if getattr(tenants, field) is not None and master.startswith("local"):
            remedy = f"leave it out at master {master}: it has no executors"
            raise ConfigError(field, getattr(tenants, field), remedy)
    if tenants.executors is None:
        if options.coordinator is not None:
            raise ConfigError("executors", None, "write the most that this application may hold, for its coordinator")
        return {}
    cores = int(tenants.conf.get("spark.executor.cores", 1))
    found = {"spark.executor.cores": cores, "spark.cores.max": cores * tenants.executors}
    return found if options.coordinator is None else {**found, **_beginning_with(_first_executors(tenants))}


def _beginning_with(executors: int) -> dict[str, Any]:
    """So many executors at first, until the coordinator says otherwise: without this a standalone master gives all."""
    return {
        "spark.dynamicAllocation.enabled": True,
        "spark.dynamicAllocation.shuffleTracking.enabled": True,
        "spark.dynamicAllocation.minExecutors": executors,
        "spark.dynamicAllocation.initialExecutors": executors,
    }


def _first_executors(tenants: TenantsFile) -> int:
    """For the slots that the jobs begin with, as far as the file says; one else."""
    cores = int(tenants.conf.get("spark.executor.cores", 1))
    slots = sum(part.slots or 0 for part in tenants.jobs)
    return max(1, min(tenants.executors or 1, -(-slots // cores)))


def _coordinated(tenants: TenantsFile, options: RunOptions) -> Coordinated | None:
    if options.coordinator is None:
        return None
    return Coordinated(options.coordinator, tenants.name, most=tenants.executors or 1, tls=options.coordinator_tls)


def _story(tenants: TenantsFile, options: RunOptions) -> RunStory:
    policy, master = options.policy or DEFAULT, options.master or tenants.master
    return RunStory(tenants.name, policy, master, options.dry_run, (), ())


def _jobs(tenants: TenantsFile, models: Mapping[str, JobModels], had: Mapping[str, int]) -> list[Job]:
    """Each with the slots it had before a restart, or those its tenant wants, or those its models ask for."""
    first = {name: first_slots(models[name], part.rate) for name, part in tenants.models.items()}
    return [_job(part, had.get(part.name) or part.slots or first.get(part.name)) for part in tenants.jobs]


def _job(part: TenantPart, slots: int | None) -> Job:
    return Job(
        name=part.name,
        function=partial(_call, part),
        limits=part.limits(),
        slots=slots,
        restart=part.restart.policy(),
        max_rows_per_batch=part.max_rows_per_batch,
        max_files_per_batch=part.max_files_per_batch,
        trigger_s=part.trigger,
        partitions=part.partitions,
        real_time=part.mode(),
    )


def _call(part: TenantPart, spark: SparkSession) -> Any:
    # Looked up at every start: a module that cannot be imported is this tenant's trouble, not the others'.
    return part.function()(spark, **part.params)
