"""`penstock submit` as a call: the tenants of one file as several applications, a driver for each."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile

from penstock.calls.driver_environment import unseen
from penstock.calls.words import RUN, OptionValue, logs_of, of_coordinator, words
from penstock.config import application_parts, deploy_mode
from penstock.config.application_parts import ApplicationPart
from penstock.config.checking import CheckOptions, check_tenants
from penstock.config.document import read_document
from penstock.config.relations import master_of
from penstock.config.tenants import TenantsFile
from penstock.core.units import positive_seconds
from penstock.engines.applications.link import AgentTls
from penstock.engines.spark.jvm.unstarted import spark_unstarted
from penstock.errors import ConfigError, choose
from penstock.governing import submission
from penstock.governing.drivers import DriverProcess, drive
from penstock.planning.drivers import DriverAdvice, TenantUse, compared, who_can_share
from penstock.store.open import check_writable, open_store
from penstock.telling.uses import uses_in

_CHECKPOINTS = "spark.sql.streaming.checkpointLocation"
_IMAGE = "spark.kubernetes.container.image"
_IMAGES = (_IMAGE, "spark.kubernetes.executor.container.image")


@dataclass(frozen=True, slots=True)
class Submitting:
    """How; None leaves a choice to the file, or to whoever runs. Those in `standby` have a second driver, warm.

    Drivers run here: of the deploy modes of Spark's only `client` is taken.
    """

    master: str | None = None
    coordinator: str | None = None
    policy: str | None = None
    for_: str | None = None
    restart: bool = True
    logs: Path | None = None
    store: str | None = None
    tls: AgentTls = AgentTls()
    standby: Sequence[str] = ()
    deploy_mode: str = "client"


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """The applications of a file, each with the words after `penstock run`, and what is advised of them.

    `environment` is what each has beside ours, instead of words that anybody on the machine would see.
    """

    path: Path
    name: str
    master: str
    parts: Sequence[ApplicationPart]
    commands: Sequence[Sequence[str]]
    advice: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


def would_submit(tenants: str | Path, how: Submitting = Submitting()) -> SubmittedFile:
    """What `submit` would start, checked; nothing is started."""
    return applications_of(Path(tenants), how)


def submit(tenants: str | Path, how: Submitting = Submitting(), say: Callable[[str], None] = lambda text: None) -> int:
    """Start an application for each tenant of a file and wait until all have ended, or Ctrl-C; the worst exit code.

    Those that the file names under `together` share one. `say` hears what is advised, and what becomes of each.
    """
    applications = applications_of(Path(tenants), how)
    for line in applications.advice:
        say(line)
    return driven(applications, how, say)


def stop_submitted(tenants: str | Path, say: Callable[[str], None] = lambda text: None) -> None:
    """End what was submitted from this file here and runs still."""
    submission.stop(Path(tenants), say)


def applications_of(tenants: Path, how: Submitting) -> SubmittedFile:
    """What is to be started, checked; nothing is started."""
    place = _cluster(tenants, how.master)
    deploy_mode.check(how.deploy_mode, place)
    file = check_tenants(tenants, CheckOptions(how.policy, how.master, spark_unstarted))
    if how.for_ is not None:
        positive_seconds(how.for_, "--for")
    _check_standby(how, [job.name for job in file.jobs])
    parts = application_parts.applications(file, how.coordinator is not None)
    _check(file, place)
    given = {
        "--master": place,
        **of_coordinator(how.coordinator, how.tls),
        "--policy": how.policy,
        "--for": how.for_,
        "--restart": how.restart,
    }
    commands = [[str(tenants), *words({**_of(part), **given, **_standby(part, how.standby)})] for part in parts]
    advice = _advice(file, parts, how.store)
    return SubmittedFile(tenants, file.name, place, parts, commands, advice, unseen(how.store))


def driven(applications: SubmittedFile, how: Submitting, say: Callable[[str], None]) -> int:
    """Start them, and wait until all have ended; the exit code that says most."""
    tenants, logs = applications.path, how.logs or logs_of(applications.name)
    _check_logs(logs)
    submission.refuse_second(tenants)
    _reach(applications.master, how.coordinator, how.tls, applications.parts)
    drivers = [
        DriverProcess(part.name, [*RUN, *command], logs / f"{part.name}.log", applications.environment)
        for part, command in zip(applications.parts, applications.commands, strict=True)
    ]
    say(f"Ctrl-C ends all of them, and so does `penstock submit {tenants} --stop`")
    with submission.noted(tenants, drivers) as started:
        return drive(drivers, say, started)


def _of(part: ApplicationPart) -> Mapping[str, OptionValue]:
    return {"--only": ",".join(part.jobs), "--executors": part.executors}


def _standby(part: ApplicationPart, standby: Sequence[str]) -> Mapping[str, OptionValue]:
    """One driver for all that are in the application: whoever of them is to have a second one has it for all."""
    return {"--standby": bool(set(part.jobs).intersection(standby))}


def _check_standby(how: Submitting, jobs: Sequence[str]) -> None:
    unknown = next((name for name in how.standby if name not in jobs), None)
    if unknown is not None:
        raise ConfigError("--standby", unknown, choose(unknown, jobs))
    if how.standby and not how.restart:
        raise ConfigError("--standby", ",".join(how.standby), "leave --no-restart out: who restarts sees that one died")


def _cluster(tenants: Path, master: str | None) -> str:
    """The master that is asked for; a local one is refused before what in the file does not go with it."""
    found = master_of(read_document(tenants, "tenants file"), master)
    if found.startswith("local"):
        remedy = "write spark://host:port, yarn or k8s://...; on one machine `penstock run` has all in one application"
        raise ConfigError("--master", found, remedy)
    return found


def _check(file: TenantsFile, master: str) -> None:
    """What one driver of several needs beside what any driver does."""
    if file.checkpoints is None and _CHECKPOINTS not in file.conf:
        raise ConfigError("checkpoints", None, "write a directory that drivers and executors reach: restarts need it")
    if master.startswith("yarn") and not os.environ.get("HADOOP_CONF_DIR") and not os.environ.get("YARN_CONF_DIR"):
        remedy = "set it to the directory of yarn-site.xml; `penstock cluster up --yarn` says which"
        raise ConfigError("HADOOP_CONF_DIR", os.environ.get("HADOOP_CONF_DIR"), remedy)
    if master.startswith("k8s://") and not {*file.conf, *_spark_defaults(os.environ)}.intersection(_IMAGES):
        raise ConfigError(f"conf.{_IMAGE}", None, "write the image that executors begin with")


def _spark_defaults(environment: Mapping[str, str]) -> set[str]:
    """The names of the settings that Spark finds by itself; `cluster up --kubernetes` has written some of them."""
    place = environment.get("SPARK_CONF_DIR") or f"{environment.get('SPARK_HOME', '')}/conf"
    try:
        lines = Path(place, "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {re.split(r"[\s=:]", line.strip(), maxsplit=1)[0] for line in lines}


def _reach(master: str, coordinator: str | None, tls: AgentTls, parts: Sequence[ApplicationPart]) -> None:
    """A token or a file that is missing, or a master that is away, is said once, and not in each log."""
    from penstock.engines.spark.launch.application import check_master  # pyspark takes a second to import
    from penstock.governing.coordinated import Coordinated

    if coordinator is not None:
        for part in parts:
            Coordinated(coordinator, part.name, most=part.executors, tls=tls).link().close()
    check_master(master)


def _check_logs(folder: Path) -> None:
    """One that cannot be written is said before any driver starts."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        remedy = f"give a folder that can be written ({error.strerror})"
        raise ConfigError("--logs", str(folder), remedy) from None


def _advice(file: TenantsFile, parts: Sequence[ApplicationPart], store: str | None) -> list[str]:
    """Which tenants could share a driver and do not, or should not and do, by what is recorded of them."""
    if store is None:
        return []
    names = {job.name for job in file.jobs}
    uses = _uses(file.name, names, store)
    driver_of = {name: part.name for part in parts for name in part.jobs}
    found = compared(who_can_share(uses, _slots_each(file)), driver_of)
    unseen = sorted(names - {use.tenant for use in uses})
    told = [] if not unseen else [f"advice: nothing is recorded of {', '.join(unseen)}"]
    return [_told(sharing) for sharing in found] + told


def _uses(file: str, names: set[str], store: str) -> Sequence[TenantUse]:
    check_writable(store, "--store")
    try:
        with closing(open_store(store, create=False)) as archive:
            return uses_in(archive, {file, *(f"{file}.{name}" for name in names)}, names)
    except ConfigError:  # nothing was recorded there yet
        return ()


def _slots_each(file: TenantsFile) -> int:
    """The slots of an executor; one where the file does not say, as `penstock run` has it."""
    cores = str(file.conf.get("spark.executor.cores", 1))
    return max(1, int(cores)) if cores.isdecimal() else 1


def _told(sharing: DriverAdvice) -> str:
    names = ", ".join(sharing.tenants)
    if len(sharing.tenants) > 1:
        return f"advice: {names} could share a driver (together: [{names}]): {sharing.why}"
    return f"advice: {names} should have its own driver: {sharing.why}"
