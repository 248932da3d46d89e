"""`penstock submit`: the tenants of one file as several applications, a driver for each."""

import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.cli.completing import policy_names
from penstock.cli.output import say
from penstock.cli.recorded import store_option
from penstock.core.units import positive_seconds
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from penstock.config.apart import ApplicationPart
    from penstock.config.tenants import TenantsFile
    from penstock.planning.drivers import DriverAdvice, TenantUse

EXAMPLE = """
\b
Examples:
  penstock submit tenants.yaml --master spark://127.0.0.1:7077 --dry-run
  penstock submit tenants.yaml --coordinator http://127.0.0.1:7474
  penstock submit tenants.yaml --stop                  what runs still
\b
Tenants that are to share a driver are named in the file:
  together: [ads, bots]
"""
_CHECKPOINTS = "spark.sql.streaming.checkpointLocation"
_IMAGE = "spark.kubernetes.container.image"


@click.command(epilog=EXAMPLE)
@click.argument("tenants", type=click.Path(path_type=Path))
@click.option("--master", help="The cluster: spark://host:port, yarn or k8s://URL; the file's own by default.")
@click.option("--coordinator", metavar="URL", help="Who moves executors between them; see `penstock coordinate`.")
@click.option("--policy", shell_complete=policy_names, help="The policy that decides within each of them.")
@click.option("--for", "for_", help="How long, such as 10m; until Ctrl-C by default.")
@click.option("--restart/--no-restart", default=True, show_default=True, help="Start a driver again when it dies.")
@click.option("--logs", type=click.Path(path_type=Path, file_okay=False), help="Where each driver's log goes.")
@click.option("--dry-run", is_flag=True, help="Print the commands, and start nothing.")
@click.option("--stop", is_flag=True, help="End what was submitted from this file here and runs still, and end.")
@store_option
def submit(
    tenants: Path,
    master: str | None,
    coordinator: str | None,
    policy: str | None,
    for_: str | None,
    restart: bool,
    logs: Path | None,
    dry_run: bool,
    stop: bool,
    store: str | None,
) -> None:
    """Start an application for each tenant of the file TENANTS, and end them all at Ctrl-C.

    Those that the file names under `together` share one. Each is a `penstock run` of its own on this machine, with
    its executors on the cluster, its own log, and a run of its own in the store. Where --store has records of these
    tenants, it is said which could share a driver and which should not.

    When it is killed itself (kill -9), its drivers go on: --stop ends them, and until then a second one is refused.
    """
    from penstock.governing import submission

    if stop:
        submission.stop(tenants, lambda text: say(text, err=True))
        return
    from penstock.config import apart
    from penstock.config.checking import CheckOptions, check_tenants

    place = _cluster(tenants, master)
    file = check_tenants(tenants, CheckOptions(policy, master))
    if for_ is not None:
        positive_seconds(for_, "--for")
    parts = apart.applications(file, coordinator is not None)
    _check(file, place)
    given = _given({"--master": place, "--coordinator": coordinator, "--policy": policy, "--for": for_}, store, restart)
    commands = [[str(tenants), *_of(part), *given] for part in parts]
    for line in _advice(file, parts, store):
        say(line, err=True)
    if dry_run:
        for command in commands:
            say(shlex.join(["penstock", "run", *command]))
        return
    submission.refuse_second(tenants)
    _reach(place, coordinator, parts)
    sys.exit(_drive(tenants, parts, commands, logs or _logs(file.name)))


def _given(options: dict[str, str | None], store: str | None, restart: bool) -> list[str]:
    """What all of them are given."""
    told = [
        word for name, value in {**options, "--store": store}.items() if value is not None for word in (name, value)
    ]
    return [*told, *(["--restart"] if restart else [])]


def _of(part: "ApplicationPart") -> list[str]:
    return ["--only", ",".join(part.jobs), "--executors", str(part.executors)]


def _cluster(tenants: Path, master: str | None) -> str:
    """The master that is asked for; a local one is refused before what in the file does not go with it."""
    from penstock.config.document import read_document
    from penstock.config.relations import master_of

    found = master_of(read_document(tenants, "tenants file"), master)
    if found.startswith("local"):
        remedy = "write spark://host:port, yarn or k8s://...; on one machine `penstock run` has all in one application"
        raise ConfigError("--master", found, remedy)
    return found


def _check(file: "TenantsFile", master: str) -> None:
    """What one driver of several needs beside what any driver does."""
    if file.checkpoints is None and _CHECKPOINTS not in file.conf:
        raise ConfigError("checkpoints", None, "write a directory that drivers and executors reach: restarts need it")
    if master.startswith("yarn") and not os.environ.get("HADOOP_CONF_DIR") and not os.environ.get("YARN_CONF_DIR"):
        remedy = "set it to the directory of yarn-site.xml; `penstock cluster up --yarn` says which"
        raise ConfigError("HADOOP_CONF_DIR", os.environ.get("HADOOP_CONF_DIR"), remedy)
    if master.startswith("k8s://") and _IMAGE not in file.conf:
        raise ConfigError(f"conf.{_IMAGE}", None, "write the image that executors begin with")


def _reach(master: str, coordinator: str | None, parts: "Sequence[ApplicationPart]") -> None:
    """A token that is missing, or a master that is away, is said once, and not in each log."""
    from penstock.governing.application import check_master
    from penstock.governing.coordinated import Coordinated

    check_master(master)
    if coordinator is not None:
        for part in parts:
            Coordinated(coordinator, part.name, most=part.executors).link().close()


def _drive(tenants: Path, parts: "Sequence[ApplicationPart]", commands: Sequence[Sequence[str]], logs: Path) -> int:
    from penstock.governing import submission
    from penstock.governing.drivers import INTERRUPTED, DriverProcess, drive

    drivers = [
        DriverProcess(
            part.name, [sys.executable, "-m", "penstock.cli.main", "run", *command], logs / f"{part.name}.log"
        )
        for part, command in zip(parts, commands, strict=True)
    ]
    say(f"Ctrl-C ends all of them, and so does `penstock submit {tenants} --stop`", err=True)
    with submission.noted(tenants, drivers) as started:
        code = drive(drivers, lambda text: say(text, err=True), started)
    if code == INTERRUPTED:
        raise click.Abort
    return code


def _logs(name: str) -> Path:
    from penstock.store.open import default_path

    return default_path().parent / "logs" / name


def _advice(file: "TenantsFile", parts: "Sequence[ApplicationPart]", store: str | None) -> list[str]:
    """Which tenants could share a driver and do not, or should not and do, by what is recorded of them."""
    if store is None:
        return []
    from penstock.planning.drivers import compared, who_can_share

    names = {job.name for job in file.jobs}
    uses = _uses(file.name, names, store)
    driver_of = {name: part.name for part in parts for name in part.jobs}
    found = compared(who_can_share(uses, _slots_each(file)), driver_of)
    unseen = sorted(names - {use.tenant for use in uses})
    told = [] if not unseen else [f"advice: nothing is recorded of {', '.join(unseen)}"]
    return [_told(sharing) for sharing in found] + told


def _uses(file: str, names: "set[str]", store: str) -> "Sequence[TenantUse]":
    from penstock.store.open import check_writable, open_store
    from penstock.telling.uses import uses_in

    check_writable(store, "--store")
    try:
        with closing(open_store(store, create=False)) as archive:
            return uses_in(archive, {file, *(f"{file}.{name}" for name in names)}, names)
    except ConfigError:  # nothing was recorded there yet
        return ()


def _slots_each(file: "TenantsFile") -> int:
    """The slots of an executor; one where the file does not say, as `penstock run` has it."""
    cores = str(file.conf.get("spark.executor.cores", 1))
    return max(1, int(cores)) if cores.isdecimal() else 1


def _told(sharing: "DriverAdvice") -> str:
    names = ", ".join(sharing.tenants)
    if len(sharing.tenants) > 1:
        return f"advice: {names} could share a driver (together: [{names}]): {sharing.why}"
    return f"advice: {names} should have a driver of its own: {sharing.why}"
