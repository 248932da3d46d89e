"""`penstock run --restart` as a call: the driver is a process of its own, which is started again when it dies."""

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from uuid import uuid4

from penstock.calls.driver_environment import unseen
from penstock.calls.words import RUN, logs_of, of_coordinator, words
from penstock.config import application_parts
from penstock.config.checking import CheckOptions, check_tenants
from penstock.core.units import positive_seconds
from penstock.engines.applications.link import AgentTls
from penstock.errors import ConfigError, PenstockError
from penstock.governing.pulse import check_heartbeat
from penstock.governing.standby import ARCHIVES
from penstock.governing.supervise import Supervised
from penstock.governing.supervise import supervise as keep_alive
from penstock.store.open import check_writable

_SAID_AT_MOST = 300  # characters of a driver's last line
_LOOKED_AT = 1 << 16  # bytes of the log's end, for that line


@dataclass(frozen=True, slots=True)
class SupervisedRun:
    """What became of it: the last driver's exit code, the run for `ps.report`, and the log of all its drivers."""

    code: int
    run: str
    log: Path


def supervise(
    tenants: str | Path,
    *,
    standby: bool = False,
    for_s: object = None,
    policy: str | None = None,
    master: str | None = None,
    dry_run: bool = False,
    only: Collection[str] = (),
    executors: int | None = None,
    watch: bool = False,
    store: str | None = None,
    notify: Collection[str] = (),
    coordinator: str | None = None,
    coordinator_tls: AgentTls | None = None,
    heartbeat: Path | None = None,
    log: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> SupervisedRun:
    """Start all tenants of a file as `run` does, in a process of its own that is started again when it dies.

    Each driver goes on with the run of the one before. With `standby` a second one is kept warm, which takes over at
    once. What drivers print goes to the file `log`; `say` hears when one died, and what follows. Returns when the time
    is over, and ends the driver at Ctrl-C.
    """
    path = Path(tenants)
    file = check_tenants(path, CheckOptions(policy, master))  # a driver imports them, not this process
    application_parts.part(file, list(only), executors, "executors")  # what is wrong with them is said now
    _check_places(store, heartbeat)
    options = {
        "--for": None if for_s is None else f"{positive_seconds(for_s, 'for_s'):g}s",
        "--policy": policy,
        "--master": master,
        "--dry-run": dry_run,
        "--only": ",".join(only) or None,
        "--executors": executors,
        "--watch": watch,
        **of_coordinator(coordinator, coordinator_tls or AgentTls()),
    }
    command = [*RUN, str(path), *words(options)]
    driver = Supervised(command, heartbeat=heartbeat, standby=standby, environment=unseen(store, notify))
    return _kept(driver, log or logs_of(file.name) / "run.log", say)


def _check_places(store: str | None, heartbeat: Path | None) -> None:
    """Where nothing can be written is said now, and not by a driver in its log."""
    if store is not None:
        check_writable(store, "store")
    check_heartbeat(heartbeat, "heartbeat")


def _kept(driver: Supervised, log: Path, say: Callable[[str], None]) -> SupervisedRun:
    """One run by all of its lives."""
    run = uuid4().hex[:12]
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        words_of_all = log.open("ab")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError("log", str(log), f"give a file that can be written ({why})") from None
    with words_of_all:
        kept = replace(driver, run_id=run, helper=ARCHIVES, words=words_of_all.fileno())
        code = keep_alive(kept, say, Event())
    if code == PenstockError.exit_code:
        raise PenstockError(f"{_last_line(log)} ({log})")
    return SupervisedRun(code, run, log)


def _last_line(log: Path) -> str:
    with log.open("rb") as file:  # what drivers of many runs said may be gigabytes
        file.seek(max(0, file.seek(0, os.SEEK_END) - _LOOKED_AT))
        lines = file.read().decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("penstock: ")[:_SAID_AT_MOST] if lines else "the driver said nothing"
