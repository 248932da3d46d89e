"""Governing, in this process: `penstock run`, `attach` and `demo` as calls. They return when it is over."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from penstock.config import application_parts
from penstock.config.checking import CheckOptions, check_tenants
from penstock.config.document import read_document
from penstock.config.engine_file import check_engine_file, names_engine
from penstock.config.wanted_file import read_wanted
from penstock.core.seen.view import View
from penstock.core.units import positive_seconds
from penstock.engines.applications.link import AgentTls
from penstock.engines.spark.jvm.beside.door import find_door, folder
from penstock.engines.spark.jvm.unstarted import spark_unstarted
from penstock.governing.attach import AttachOptions
from penstock.governing.attach import attach as attach_to
from penstock.governing.comparison import TrialResult, record_trials
from penstock.governing.demo import run_demo
from penstock.governing.on_engine import EngineRunOptions, refuse_options, run_on_engine
from penstock.governing.remembering import DEFAULT_STORE
from penstock.governing.run import RunOptions, run_tenants
from penstock.governing.story import RunStory
from penstock.store.open import check_writable, open_store

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
    """Start all tenants of a file in one application and govern them: for so long ("10m"), or until Ctrl-C.

    Then they are stopped. `only` are those of the file's jobs that are wanted; `executors` are the most, instead
    of the file's; `watch` takes over what changes in the file meanwhile; `heartbeat` is a file that is written every
    second while all is well; `on_view` sees each round. `store=None` records nothing.
    """
    path = Path(tenants)
    document = read_document(path, "tenants file")
    if names_engine(document):
        file_of_engine = check_engine_file(document, policy)
        launched: Mapping[str, object] = {"master": master, "only": only, "executors": executors, "watch": watch}
        told = {"heartbeat": heartbeat, "coordinator": coordinator}
        refuse_options({**launched, **told}, file_of_engine.engine_name)
        how = EngineRunOptions(policy, _seconds(for_s), dry_run, store, tuple(notify))
        return run_on_engine(file_of_engine, how, on_view)
    file = check_tenants(path, CheckOptions(policy, master, spark_unstarted), document)
    options = RunOptions(
        policy, master, _seconds(for_s), dry_run, path.absolute().parent, store, coordinator=coordinator
    )
    options = replace(options, notify=tuple(notify), watch=path if watch else None, heartbeat=heartbeat)
    options = options if coordinator_tls is None else replace(options, coordinator_tls=coordinator_tls)
    return run_tenants(application_parts.part(file, list(only), executors, "executors"), options, on_view)


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


def demo(say: Callable[[str], None] = lambda text: None, *, store: str | Path | None = None) -> Sequence[TrialResult]:
    """Four tenants with different intents on real Spark, embedded: under FIFO, under FAIR, then governed.

    A `store` has the three as runs, for `ps.report` and `ps.diff`.
    """
    if store is not None:
        check_writable(str(store), "store")
    results = run_demo(say, lambda title, view: None, lambda record: None)
    if store is not None:
        with closing(open_store(store)) as opened:
            record_trials(results, "demo", opened)
    return results


def _seconds(given: object) -> float:
    return _FOR_EVER if given is None else positive_seconds(given, "for_s")
