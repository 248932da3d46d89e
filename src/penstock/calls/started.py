"""Governing, in this process: `penstock run`, `attach` and `demo` as calls. They return when it is over."""

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from penstock.config import apart
from penstock.config.checking import CheckOptions, check_tenants
from penstock.config.wanted_file import read_wanted
from penstock.core.units import positive_seconds
from penstock.core.view import View
from penstock.engines.applications.link import AgentTls
from penstock.engines.spark.jvm.beside.door import find_door, folder
from penstock.governing.attach import AttachOptions
from penstock.governing.attach import attach as attach_to
from penstock.governing.comparison import TrialResult
from penstock.governing.demo import run_demo
from penstock.governing.remembering import DEFAULT_STORE
from penstock.governing.run import RunOptions, run_tenants
from penstock.governing.story import RunStory

_FOR_EVER = float("inf")


def run(
    tenants: str | Path,
    *,
    for_s: object = None,
    policy: str | None = None,
    master: str | None = None,
    dry_run: bool = False,
    only: Collection[str] = (),
    executors: int | None = None,
    watch: bool = False,
    store: str | None = DEFAULT_STORE,
    notify: Collection[str] = (),
    coordinator: str | None = None,
    coordinator_tls: AgentTls | None = None,
    heartbeat: Path | None = None,
    on_view: Callable[[View], None] = lambda view: None,
) -> RunStory:
    """Start all tenants of a file in one Spark application and govern them: for so long ("10m"), or until Ctrl-C.

    Then they are stopped. `only` are those of the file's jobs that are wanted; `executors` are the most, instead
    of the file's; `watch` takes over what changes in the file meanwhile; `heartbeat` is a file that is written every
    second while all is well; `on_view` sees each round. `store=None` records nothing.
    """
    path = Path(tenants)
    file = check_tenants(path, CheckOptions(policy, master))
    options = RunOptions(
        policy, master, _seconds(for_s), dry_run, path.absolute().parent, store, coordinator=coordinator
    )
    options = replace(options, notify=tuple(notify), watch=path if watch else None, heartbeat=heartbeat)
    options = options if coordinator_tls is None else replace(options, coordinator_tls=coordinator_tls)
    part = apart.only(file, list(only)) if only else file
    part = part if executors is None else apart.with_executors(part, executors, "executors")
    return run_tenants(part, options, on_view)


def attach(
    tenants: str | Path,
    application: str | None = None,
    *,
    for_s: object = None,
    policy: str | None = None,
    dry_run: bool = False,
    store: str | None = DEFAULT_STORE,
    notify: Collection[str] = (),
    on_view: Callable[[View], None] = lambda view: None,
) -> RunStory:
    """Govern a driver that somebody else started with penstock's plugin, from beside it, until it or the time ends.

    `application` is its id or name, or the file that its plugin wrote; the only one there is by default.
    """
    wanted, door = read_wanted(Path(tenants)), find_door(application, folder(os.environ))
    options = AttachOptions(policy, _seconds(for_s), dry_run, store, tuple(notify))
    return attach_to(door, wanted, options, on_view)


def demo(say: Callable[[str], None] = lambda text: None) -> Sequence[TrialResult]:
    """Four tenants with different intents on real Spark, embedded: under FIFO, under FAIR, then governed."""
    return run_demo(say, lambda title, view: None, lambda record: None)


def _seconds(given: object) -> float:
    return _FOR_EVER if given is None else positive_seconds(given, "for_s")
