"""`penstock advise` as a call: what a run without penstock had, out of Spark's event log."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from penstock.config.wanted import WantedFile
from penstock.config.wanted_file import read_wanted
from penstock.core.asked.intent_hours import holding
from penstock.core.asked.intents import Intent
from penstock.core.asked.price import Price
from penstock.engines.spark.history.events import Logged, logged
from penstock.engines.spark.history.files import lines_of, log_at
from penstock.engines.spark.history.replay import History, queries_in, replayed
from penstock.engines.spark.history.server import download, is_address
from penstock.engines.spark.jobs.job import Job
from penstock.errors import ConfigError
from penstock.whatif.from_log import Advice
from penstock.whatif.from_log import advise as advice_of


def advise(
    history: str | Path, tenants: str | Path, *, minutes: float = 10.0, within_s: float = 120.0
) -> tuple[History, Advice]:
    """What a run without penstock had of its intents, and what would have done better, out of Spark's event log.

    `history` is an event log, a folder of them, or a history server's address, and of these the newest log is taken;
    `minutes` are those of its end.
    """
    wanted = read_wanted(Path(tenants))
    found, intents = replayed_of(events_of(history), wanted)
    return found, advice_of(found, intents, 60.0 * minutes, within_s, slot_price_of(found, wanted))


def queries(history: str | Path) -> Sequence[str]:
    """The queries of a run by name, or by id where they have none, out of Spark's event log: what intents may name."""
    return queries_in(events_of(history))


def events_of(place: str | Path) -> list[Logged]:
    """What Spark wrote down."""
    if not is_address(str(place)):
        return _events_in(log_at(Path(place)))
    with tempfile.TemporaryDirectory(prefix="penstock-log-") as folder:
        return _events_in(log_at(download(str(place), Path(folder))))


def _events_in(log: Path) -> list[Logged]:
    """At least one: a driver's log of text, or a packed one without its ending, would be a run without queries."""
    found = list(logged(lines_of(log)))
    if not found:
        remedy = (
            "no event of Spark is in it: give what spark.eventLog.enabled=true writes, packed ones with their ending"
        )
        raise ConfigError("--history", str(log), remedy)
    return found


def slot_price_of(history: History, wanted: WantedFile) -> Price | None:
    """What an hour of one slot costs, where the file says so; an executor's price is that of the slots it had."""
    return None if wanted.price is None else wanted.price.of_slots(history.executor_slots)


def replayed_of(events: Sequence[Logged], wanted: WantedFile) -> tuple[History, dict[str, Intent]]:
    """The run as it was, and what is wanted of those of its queries that the file names."""
    there = queries_in(events)
    present = [part for part in wanted.jobs if part.name in there]
    if not present:
        names = ", ".join(there) or "none"
        raise ConfigError("jobs", wanted.jobs[0].name, f"name queries of the run; it has: {names}")
    asked = {name: holding(intent) for name, intent in wanted.asked().items() if name in there}
    return replayed(events, [Job(part.name, limits=part.limits()) for part in present]), asked
