"""`penstock report --incident`: one tenant in one part of a run, in the terminal, as a page to print, or as JSON."""

import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from penstock.cli.output import say, write_json, write_text
from penstock.core.units import seconds
from penstock.errors import ConfigError

_OPTIONS = {"job": "--tenant", "until": "--to"}  # what a report's mistakes are called on the command line
_CLOCK = re.compile(r"(\d{1,6}):([0-5]?\d)(?::([0-5]?\d(?:\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class IncidentOptions:
    """What the options say."""

    tenant: str | None
    since: str | None
    until: str | None


def moment(text: str | None, option: str) -> float | None:
    """An instant on a run's clock, as it is written or as pages and reports show it.

    >>> moment("10m", "--from"), moment("0:10:00", "--from"), moment("1:02", "--from"), moment(None, "--to")
    (600.0, 600.0, 3720.0, None)
    """
    if text is None:
        return None
    found = _CLOCK.fullmatch(text.strip())
    if found is not None:
        return int(found[1]) * 3600.0 + int(found[2]) * 60.0 + float(found[3] or 0.0)
    try:
        return float(text) if text.strip().replace(".", "", 1).isdecimal() else seconds(text, option)
    except ConfigError:
        raise ConfigError(option, text, "write a time since the run's start, such as 10m, 0:10:00 or 600") from None


def tell_incident(run: str, store: str | None, wanted: IncidentOptions, html: str | None, json_out: str | None) -> None:
    """The report, wherever it is wanted."""
    from penstock.store.gallery import Gallery  # the database takes half a second to import
    from penstock.store.open import find_run, open_store
    from penstock.telling.incident import lines
    from penstock.telling.incident_page import page
    from penstock.web.feed import plain
    from penstock.web.incidents import incident_of, incident_out

    between = moment(wanted.since, "--from"), moment(wanted.until, "--to")
    target, name = (run, "last") if Path(run).is_file() else (store, run)
    with closing(open_store(target, create=False)) as opened:
        gallery = Gallery(opened.database, find_run(opened, name).id)
        tenant = wanted.tenant or _only(opened.jobs(gallery.info.id))
        try:
            found = incident_of(gallery, tenant, *between)
        except ConfigError as wrong:
            raise ConfigError(_OPTIONS.get(wrong.field, wrong.field), wrong.value, wrong.remedy) from None
    if json_out is not None:
        write_json(json_out, plain(incident_out(found)))
    if json_out != "-":
        say("\n".join(lines(found)))
    if html is not None:
        write_text(html, page(found), "--html")
        say(f"The page is at {html}", err=True)


def _only(tenants: tuple[str, ...]) -> str:
    if len(tenants) != 1:
        raise ConfigError("--tenant", None, f"name one of {', '.join(tenants) or 'none: the run has no tenant'}")
    return tenants[0]
