"""`penstock run` of a file whose engine a package brings."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from penstock.cli.governed import end_as, with_table
from penstock.cli.serving import dashboard_over
from penstock.core.units import positive_seconds
from penstock.running.not_yet_told import NotYetTold

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.config.document import Document


def run_engine_file(
    document: "Document",
    given: Mapping[str, Any],
    of_spark: Mapping[str, object],
    console: "Console",
    pages: dict[str, Any] | None,
) -> None:
    """Govern its jobs. `given` is the command line, by option; `pages` what its pages are served with, if they are.

    What is `of_spark` alone says nothing to another engine: a ConfigError where it is given.
    """
    from penstock.config.engine_file import check_engine_file
    from penstock.governing.on_engine import EngineRunOptions, refuse_options, run_on_engine
    from penstock.governing.remembering import DEFAULT_STORE
    from penstock.store.open import check_writable

    refuse_options(of_spark, next(iter(document.values["engine"]), ""))
    file = check_engine_file(document, given["--policy"])
    store = given["--store"] or DEFAULT_STORE
    if given["--store"] is not None:
        check_writable(store, "--store")
    for_s = float("inf") if given["--for"] is None else positive_seconds(given["--for"], "--for")
    untold = NotYetTold()
    how = (given["--policy"], for_s, given["--dry-run"], store, given["--notify"], untold.taken)
    options = EngineRunOptions(*how)
    with nullcontext() if pages is None else dashboard_over(store, pages, begins=True, tell=untold.add):
        story = with_table(console, file.name, lambda show: run_on_engine(file, options, show))
    end_as(story, console, given["--json"])
