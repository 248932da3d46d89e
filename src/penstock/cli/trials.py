"""The demo's runs, recorded, and the address at which the page has them side by side."""

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from penstock.cli.output import say
from penstock.extras import installed

if TYPE_CHECKING:
    from penstock.core.run import RunInfo
    from penstock.governing.comparison import TrialResult
    from penstock.store.sql import SqlStore

SERVED_AT = "http://127.0.0.1:7373/"  # by `penstock serve` as it comes


def compare_address(site: str, runs: "Sequence[RunInfo]") -> str:
    """Where a site compares the runs: the first beside the last, and one between as well.

    >>> from penstock.core.run import RunInfo
    >>> compare_address("http://here/", [RunInfo(name, name, name, "spark") for name in ("fifo", "fair", "ours")])
    'http://here/#/compare?run=ours&a=fifo&b=ours&c=fair'
    """
    query = {"run": runs[-1].id, "a": runs[0].id, "b": runs[-1].id, **({"c": runs[1].id} if len(runs) > 2 else {})}
    return f"{site}#/compare?{urlencode(query)}"


def show_trials(results: "Sequence[TrialResult]", store: str | None, serve: bool) -> None:
    """Record the trials and say where they are compared; with `serve` the pages are there until Ctrl-C."""
    from penstock.governing.comparison import record_trials
    from penstock.store.archive import StoreError
    from penstock.store.open import open_store

    with closing(open_store(store)) as opened:
        try:
            runs = record_trials(results, "demo", opened)
        except StoreError as error:
            say(f"the three runs are not recorded: {error}", err=True)
            return
        if serve and installed("web"):
            _serve(opened, runs)
            return
    where = "" if store is None else f" --store {store}"
    say(f"the three runs side by side: penstock serve{where}, then {compare_address(SERVED_AT, runs)}", err=True)


def _serve(store: "SqlStore", runs: "Sequence[RunInfo]") -> None:
    from penstock.web.server import Site  # a web server takes half a second to import
    from penstock.web.settings import WebSettings

    site = Site(store, WebSettings(port=0), lambda line: say(line, err=True))
    say(f"the three runs side by side, until Ctrl-C: {compare_address(site.url, runs)}", err=True)
    site.run()
