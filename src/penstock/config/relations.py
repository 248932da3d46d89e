"""Fields of a tenants file that do not go together, each right by itself.

They are read as they were written, so that one wrong field does not hide the next mistake.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from penstock.config import deploy_mode
from penstock.config.document import Document
from penstock.config.fields import LONGEST_S
from penstock.core.units import positive_seconds, seconds, text_of_seconds
from penstock.errors import ABSENT, ConfigError, did_you_mean

NumberedJob = tuple[int, dict[Any, Any]]  # its number in the list

MOST_JOBS = 1000  # of one application
_NAMED_AT_MOST = 12
_INTERVAL_S, _WINDOW_S, _BACKOFF_S = 10.0, 60.0, 1.0  # where the file does not say
_LOCAL = re.compile(r"local(\[(\*|\d+)\s*(,\s*\d+)?\])?")
_ELSEWHERE = ("yarn", "k8s://", "spark://", "local-cluster[")


def disagreements(document: Document) -> list[ConfigError]:
    """All of them, wherever Spark runs."""
    jobs = jobs_of(document)
    return [
        *names_twice(document),
        *_named_jobs(document, jobs),
        *_grouped_jobs(document, jobs),
        *_short_window(document),
        *_few_executors(document, jobs),
        *(error for job in jobs for error in _never_met(document, job)),
    ]


def wrong_at(document: Document, master: str | None = None) -> list[ConfigError]:
    """What does not go with the place where Spark runs: `master`, or the one that the file names."""
    found = master_of(document, master)
    wrong = list(_cluster_mode(document, found))
    if _LOCAL.fullmatch(found):
        return [*wrong, *_no_executors(document, found), *_promises(document, found)]
    if found.startswith(_ELSEWHERE):
        return wrong
    remedy = "write local[4], spark://host:port, yarn or k8s://..."
    return [*wrong, ConfigError("--master", found, remedy) if master else document.error(("master",), found, remedy)]


def master_of(document: Document, master: str | None = None) -> str:
    """Where Spark runs: as an option says, or the file, or on all cores of this machine."""
    written = document.values.get("master")
    return master or (written if isinstance(written, str) else "local[*]")


def jobs_of(document: Document) -> list[NumberedJob]:
    """The jobs of a tenants file as they were written, with their numbers in the list."""
    written = document.values.get("jobs")
    listed = written[:MOST_JOBS] if isinstance(written, list) else []
    return [(number, job) for number, job in enumerate(listed) if isinstance(job, dict)]


def names_twice(document: Document) -> Iterator[ConfigError]:
    """Jobs that have the name of another."""
    seen: set[str] = set()
    for number, job in jobs_of(document):
        name = job.get("name")
        if isinstance(name, str):
            if name in seen:
                yield document.error(("jobs", number, "name"), name, "give each job a name of its own")
            seen.add(name)


def _named_jobs(document: Document, jobs: list[NumberedJob]) -> Iterator[ConfigError]:
    names = [str(job.get("name")) for _, job in jobs]
    for field in ("profiles", "models"):
        named = document.values.get(field)
        for name in named if isinstance(named, dict) and names else ():
            if name not in names:
                yield document.error((field, name), name, _a_job(name, names), at_key=True)


def _grouped_jobs(document: Document, jobs: list[NumberedJob]) -> Iterator[ConfigError]:
    """Jobs that are to share a driver: they are there, and each is in one group."""
    names = [str(job.get("name")) for _, job in jobs]
    seen: set[str] = set()
    for path, name in _grouped_names(document):
        if names and name not in names:
            yield document.error(path, name, _a_job(name, names))
        elif name in seen:
            yield document.error(path, name, "name each job in one group, once")
        seen.add(name)


def _grouped_names(document: Document) -> Iterator[tuple[tuple[Any, ...], str]]:
    written = document.values.get("together")
    for place, group in enumerate(written if isinstance(written, list) else ()):
        if isinstance(group, str):
            yield ("together", place), group
        for inner, name in enumerate(group if isinstance(group, list) else ()):
            if isinstance(name, str):
                yield ("together", place, inner), name


def _a_job(name: str, names: list[str]) -> str:
    meant = did_you_mean(name, names)
    some = names if len(names) <= _NAMED_AT_MOST else [*names[:_NAMED_AT_MOST], "..."]
    return f"name a job: {', '.join(some)}" + (f"; {meant}" if meant else "")


def _short_window(document: Document) -> Iterator[ConfigError]:
    interval_s = _number(document, ("interval",), positive_seconds, _INTERVAL_S)
    window_s = _number(document, ("window",), positive_seconds, _WINDOW_S)
    if interval_s is not None and window_s is not None and window_s < interval_s:
        field = "window" if "window" in document.values else "interval"
        least = f"the interval is {text_of_seconds(interval_s)}, and figures are over the window"
        remedy = f"write {text_of_seconds(interval_s)} or more: {least}"
        if field == "interval":
            remedy = f"write a window too, of {text_of_seconds(interval_s)} or more: without one it is 60s"
        yield document.error((field,), document.values[field], remedy)


def _few_executors(document: Document, jobs: list[NumberedJob]) -> Iterator[ConfigError]:
    executors = document.values.get("executors")
    if isinstance(executors, int) and executors < len(jobs):
        yield document.error(("executors",), executors, f"write at least one for each job: {len(jobs)}")


def _no_executors(document: Document, master: str) -> Iterator[ConfigError]:
    for field in ("executors", "executor_memory"):
        if document.values.get(field) is not None:
            remedy = f"leave it out at master {master}: it has no executors"
            yield document.error((field,), document.values[field], remedy)


def _cluster_mode(document: Document, master: str) -> Iterator[ConfigError]:
    at = ("conf", deploy_mode.SETTING)
    written = document.value_at(at)
    remedy = deploy_mode.refused(written, master)
    if remedy is not None:
        yield document.error(at, written, remedy)


def _promises(document: Document, master: str) -> Iterator[ConfigError]:
    """More slots promised than there are."""
    counted = re.match(r"local\[(\d{1,6})\D", master)
    there = int(counted.group(1)) if counted else None
    promised = [(number, job["min_slots"]) for number, job in jobs_of(document) if _whole(job.get("min_slots"))]
    total = sum(slots for _, slots in promised)
    if there is not None and total > there:
        number, slots = max(promised, key=lambda one: (one[1], one[0]))
        remedy = f"promise less: min_slots come to {total} in all, and {master} has {there} slots"
        yield document.error(("jobs", number, "min_slots"), slots, remedy)


def _never_met(document: Document, job: NumberedJob) -> Iterator[ConfigError]:
    """Targets that no share of the slots can meet."""
    number, fields = job
    stated = fields.get("intent")
    listed = stated if isinstance(stated, list) else [stated]
    trigger_s = _number(document, ("jobs", number, "trigger"), seconds, 0.0)
    backoff_s = _number(document, ("jobs", number, "restart", "backoff"), positive_seconds, _BACKOFF_S)
    for place, part in enumerate(listed):
        if not isinstance(part, dict):
            continue
        at = ("jobs", number, "intent", *((place,) if isinstance(stated, list) else ()))
        yield from _too_fast(document, (*at, "latency"), part.get("percentile"), trigger_s)
        recovery_s = _number(document, (*at, "recovery"), positive_seconds, None)
        if recovery_s is not None and backoff_s is not None and recovery_s < backoff_s:
            remedy = f"write more than {text_of_seconds(backoff_s)}: a query is down for so long before it starts again"
            yield document.error((*at, "recovery"), part["recovery"], remedy)


def _too_fast(
    document: Document, at: tuple[Any, ...], percentile: Any, trigger_s: float | None
) -> Iterator[ConfigError]:
    """Rows come at any time between two triggers: on average they wait for half of it, at p95 for 95 % of it."""
    latency_s = _number(document, at, positive_seconds, None)
    is_share = isinstance(percentile, int | float) and 0 < percentile < 100
    waited_s = None if trigger_s is None else trigger_s * (percentile / 100 if is_share else 0.5)
    if latency_s is not None and waited_s is not None and latency_s < waited_s:
        remedy = (
            f"write more than {text_of_seconds(waited_s)}, or a shorter trigger: with one of "
            f"{text_of_seconds(trigger_s or 0.0)} rows wait for so long before their batch begins"
        )
        yield document.error(at, document.value_at(at), remedy)


def _number(
    document: Document, path: tuple[Any, ...], read: Callable[[object], float], absent: float | None
) -> float | None:
    """What is written there in seconds, `absent` where nothing is, None for what cannot be used by itself."""
    written = document.value_at(path)
    if written is ABSENT or written is None:
        return absent
    try:
        found = read(written)
    except ConfigError:
        return None
    return found if found <= LONGEST_S else None


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
