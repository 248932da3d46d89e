"""`penstock run` on an engine that a package brings: all jobs of a file, governed for a while."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

from penstock.config.engine_file import EngineFile
from penstock.core.run import RunInfo
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.governing.controller import Controller
from penstock.governing.governable import PlainWorld
from penstock.governing.governed import Governed
from penstock.governing.remembering import DEFAULT_STORE, remember_run
from penstock.governing.story import RunStory, story_of
from penstock.loop import LoopSettings
from penstock.notifying.notifiers import notifier_of
from penstock.notifying.post import Post
from penstock.planning.registry import DEFAULT
from penstock.running.session import decider


@dataclass(frozen=True, slots=True)
class EngineRunOptions:
    """How such a file is run; None leaves a choice to the file."""

    policy: str | None = None
    for_s: float = float("inf")
    dry_run: bool = False
    store: str | Path | None = DEFAULT_STORE
    notify: tuple[str, ...] = ()
    troubles: Callable[[], Sequence[str]] = tuple  # what else rounds are to tell of, in words, each once


def refuse_options(given: Mapping[str, object], engine: str) -> None:
    """Those that are about an application of Spark."""
    for option, value in given.items():
        if value:
            raise ConfigError(option, value, f"leave it out: it is about Spark, and the file's engine is {engine}")


def run_on_engine(file: EngineFile, options: EngineRunOptions, on_view: Callable[[View], None]) -> RunStory:
    """Start every job and govern them until the time is over or Ctrl-C; then end them all."""
    chosen = options.policy or file.policy or DEFAULT
    policy = decider(chosen, file.settings.get(chosen))
    approval = frozenset(part.name for part in file.jobs if part.approval)
    settings = LoopSettings(file.interval, dry_run=options.dry_run, approval=approval)
    world, post = PlainWorld(file.world()), Post([notifier_of(target) for target in options.notify])
    run = RunInfo(f"{file.name}-{uuid4().hex[:12]}", file.name, policy.name, file.engine_name, started_at_s=time.time())
    kept = remember_run(options.store, run, settings)
    governed = Governed(
        file.asked(),
        policy,
        kept,
        settings,
        options.for_s,
        post=post,
        at_end=post.close,
        troubles=options.troubles,
    )
    controller = Controller(world, governed, on_view)
    begun = RunStory(file.name, policy.name, file.engine_name, options.dry_run, (), ())
    return story_of(controller, partial(controller.run_jobs, world.end_jobs), begun)
