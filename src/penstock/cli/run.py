"""`penstock run`: real tenants on real Spark, governed."""

import atexit
import signal
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from penstock.calls.driver_environment import seen, unseen
from penstock.cli.completing import policy_names
from penstock.cli.coordinators import coordinator_options, files_of
from penstock.cli.ending import end_as_by_ctrl_c
from penstock.cli.engine_run import run_engine_file
from penstock.cli.governed import console_of_run, end_as, notify_option, with_table
from penstock.cli.out_file import check_out_file
from penstock.cli.recorded import store_option
from penstock.cli.serving import dashboard_over, web_options
from penstock.core.units import positive_seconds
from penstock.engines.spark.jvm.unstarted import spark_unstarted
from penstock.errors import ConfigError
from penstock.governing.last_word import LAST_WORD
from penstock.local.following import Follower
from penstock.running.not_yet_told import NotYetTold

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.config.document import Document
    from penstock.config.tenants import TenantsFile
    from penstock.governing.run import RunOptions
    from penstock.governing.story import RunStory

# The options that a run is started with, as RunOptions has them.
_OF_RUN = (
    *("policy", "master", "dry_run", "run_id", "down_since_s", "age_s"),
    *("heartbeat", "starts_within_s", "coordinator", "notify"),
)

# Of these, those that say something to an engine other than Spark, and those that do not.
_OF_ENGINE = ("policy", "dry_run", "notify")
_OF_SPARK = ("master", "heartbeat", "coordinator")

EXAMPLE = """
\b
Examples:
  penstock run tenants.yaml --for 10m
  penstock run tenants.yaml --dry-run
  penstock run tenants.yaml --watch
  penstock run tenants.yaml --restart --standby
  penstock run tenants.yaml --notify lines:decisions.jsonl
  penstock run tenants.yaml --master spark://127.0.0.1:7077 --policy henge
"""


@click.command(epilog=EXAMPLE)
@click.argument("tenants", type=click.Path(path_type=Path))
@click.option("--policy", shell_complete=policy_names, help="Policy that decides; see `penstock policies`.")
@click.option("--for", "for_", help="How long to run, such as 10m. Default: until Ctrl-C.")
@click.option("--dry-run", is_flag=True, help="Print decisions, but do not carry them out.")
@click.option("--master", help="Spark's master: local[8], spark://host:port, yarn. Default: as in the file.")
@click.option("--only", metavar="JOBS", help="Start only these jobs of the file, separated by commas.")
@click.option(
    "--executors", type=click.IntRange(1, 100_000), help="Maximum number of executors, instead of the file's."
)
@click.option("--restart", is_flag=True, help="Restart the driver if its process dies, with all that was learned.")
@click.option("--standby", is_flag=True, help="Keep a second driver warm. It takes over if the first one dies.")
@click.option("--watch", is_flag=True, help="Apply changes of the file while running, or say why not.")
@click.option("--run-id", hidden=True, help="The run to go on with.")
@click.option("--down-since", "down_since_s", type=float, hidden=True, help="When the last one died, in epoch seconds.")
@click.option("--run-age", "age_s", type=float, default=0.0, hidden=True, help="How old that run is, in seconds.")
@click.option("--starts-within", "starts_within_s", type=float, hidden=True, help="Its start may take so many seconds.")
@click.option("--awaits", type=click.Path(path_type=Path), hidden=True, help="Stand by, with this file of life.")
@click.option("--supervisor", type=int, hidden=True, help="The process that watches over this one and ends with it.")
@click.option(
    "--heartbeat",
    type=click.Path(path_type=Path),
    help="Touch this file every second while all is well, for liveness probes.",
)
@coordinator_options
@notify_option
@store_option
@click.option(
    "--json", "json_out", metavar="FILE", help="Write the results as JSON to this file; - is standard output."
)
@click.option("--dashboard", is_flag=True, help="Also serve the run's pages; see `penstock serve`.")
@web_options
def run(
    tenants: Path,
    for_: str | None,
    only: str | None,
    executors: int | None,
    restart: bool,
    standby: bool,
    awaits: Path | None,
    watch: bool,
    store: str | None,
    json_out: str | None,
    dashboard: bool,
    **given: Any,
) -> None:
    """Start all tenants of the file TENANTS (YAML) in one Spark application and govern them."""
    end_as_by_ctrl_c()
    supervisor = given.pop("supervisor")
    _follow(supervisor)
    of_run = {name: given.pop(name) for name in _OF_RUN}
    supervised_by = None if supervisor is None else of_run["heartbeat"]
    if awaits is None:
        _last_word(supervised_by)
    console = console_of_run()
    of_run["coordinator_tls"] = files_of(given)  # what is left is of the pages
    of_run["supervised"] = supervisor is not None
    document, pages = _document(tenants), given if dashboard else None
    if isinstance(document.values.get("engine"), dict):  # of a package; a file without it is Spark's
        of_spark = {"--only": only, "--executors": executors, "--restart": restart, "--standby": standby}
        asked = {"--for": for_, "--store": store, "--json": json_out, **_named(of_run, _OF_ENGINE)}
        refused = {**of_spark, "--watch": watch, **_named(of_run, _OF_SPARK)}
        run_engine_file(document, asked, refused, console, pages)
        return
    # In a later life a module that is broken by now is its tenant's trouble alone; who supervises imports nothing.
    first_life = of_run["down_since_s"] is None and awaits is None and not restart
    file = _apart(_checked(document, tenants, of_run, first_life), only, executors)
    for_s = float("inf") if for_ is None else positive_seconds(for_, "--for")
    if first_life and store is not None:
        _check_store(store)
    if first_life or restart:
        _check_files(of_run["heartbeat"], json_out)
    if standby and not restart:
        raise ConfigError("--standby", True, "add --restart: a standby takes over only from a supervised driver")
    if restart:
        _supervised(console, standby, of_run["heartbeat"], of_run["run_id"], unseen(store, of_run["notify"]))
    options = _options(tenants, store, watch, for_s, of_run)
    if awaits is not None:
        options = _stood_by(tenants, file, options, awaits)
        _last_word(supervised_by)
    atexit.register(_leave_no_jvm)
    story = _driven(file, options, console, store, pages)
    end_as(story, console, json_out)


def _follow(supervisor: int | None) -> None:
    """End when it is gone: somebody may start another driver over our checkpoints."""
    if supervisor is not None:
        # It has us end by Ctrl-C, also where a shell had that ignored for what a script starts with `&`.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        Follower(supervisor).start()


def _last_word(heartbeat: Path | None) -> None:
    """Say to a supervisor, beside that file, how the driver ends: from now on this process is the driver."""
    if heartbeat is not None:
        LAST_WORD.wanted(heartbeat)


def _leave_no_jvm() -> None:
    """Of those that were asked to end, a JVM is the only one that may stay when we are gone."""
    from penstock.engines.spark.jvm.process import end_jvm

    end_jvm()


def _document(tenants: Path) -> "Document":
    from penstock.config.document import read_document

    return read_document(tenants, "tenants file")


def _named(of_run: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """What was given, by the options' names."""
    return {f"--{field.replace('_', '-')}": of_run[field] for field in fields}


def _checked(document: "Document", tenants: Path, of_run: Mapping[str, Any], first_life: bool) -> "TenantsFile":
    from penstock.config.checking import CheckOptions, check_tenants

    modules = spark_unstarted if first_life else None
    return check_tenants(tenants, CheckOptions(of_run["policy"], of_run["master"], modules), document)


def _apart(file: "TenantsFile", only: str | None, executors: int | None) -> "TenantsFile":
    """The file, or what of it is to be an application of its own."""
    from penstock.config import application_parts

    return application_parts.part(file, [] if only is None else _names(only), executors, "--executors")


def _names(jobs: str) -> list[str]:
    names = [name for name in (word.strip() for word in jobs.split(",")) if name]
    if not names:
        raise ConfigError("--only", jobs, "name one of the file's jobs, or several with commas")
    return names


def _check_store(store: str) -> None:
    """Where nothing can be recorded is said now, not after an hour of governing."""
    from penstock.store.open import check_writable  # the database takes half a second to import

    check_writable(store, "--store")


def _check_files(heartbeat: Path | None, json_out: str | None) -> None:
    """The same of what is written meanwhile and afterwards."""
    from penstock.governing.pulse import check_heartbeat

    check_heartbeat(heartbeat, "--heartbeat")
    if json_out is not None:
        check_out_file(json_out, "--json")


def _options(tenants: Path, store: str | None, watch: bool, for_s: float, of_run: Mapping[str, Any]) -> "RunOptions":
    from penstock.governing.remembering import DEFAULT_STORE  # pyspark takes a second to import
    from penstock.governing.run import RunOptions

    code, watched = tenants.absolute().parent, tenants if watch else None
    return RunOptions(for_s=for_s, code=code, store=store or DEFAULT_STORE, watch=watched, **of_run)


def _driven(
    file: "TenantsFile", options: "RunOptions", console: "Console", store: str | None, pages: dict[str, Any] | None
) -> "RunStory":
    """All of the file's tenants, by this very process, and the pages over them where these are wanted."""
    from penstock.governing.run import run_tenants

    begins, untold = options.run_id is None, NotYetTold()
    options = replace(options, troubles=untold.taken)
    with nullcontext() if pages is None else dashboard_over(store, pages, begins, untold.add):
        return with_table(console, file.name, lambda show: run_tenants(file, options, show))


def _stood_by(tenants: Path, file: "TenantsFile", options: "RunOptions", life: Path) -> "RunOptions":
    """As the driver that the one before left behind, once that has died."""
    from penstock.governing.standing import stand_by

    word = stand_by(tenants.absolute(), file, options, life)
    starts_within_s = word.starts_within_s or options.starts_within_s
    return replace(options, down_since_s=word.down_since_s, age_s=word.age_s, starts_within_s=starts_within_s)


def _supervised(
    console: "Console", standby: bool, heartbeat: Path | None, run_id: str | None, environment: Mapping[str, str]
) -> NoReturn:
    """This very command without --restart, as a child that is started again when it dies."""
    from penstock.governing.standby import ARCHIVES
    from penstock.governing.supervise import Supervised, signalled, supervise

    given = [argument for argument in seen(sys.argv[1:]) if argument not in ("--restart", "--standby")]
    command = [sys.executable, "-m", "penstock.cli.main", *given]

    def tell(text: str) -> None:
        console.print(f"the driver {text}", style="yellow", markup=False)

    what = Supervised(
        command, run_id=run_id, heartbeat=heartbeat, standby=standby, helper=ARCHIVES, environment=environment
    )
    sys.exit(supervise(what, tell, signalled()))
