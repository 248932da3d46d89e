"""Finding the recorded run that a command is about."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from penstock.core.counterfactual import Counterfactual
    from penstock.core.run import Run

SIMULATED_WITHIN_S = 60.0
store_option = click.option(
    "--store",
    metavar="PATH|URL",
    envvar="PENSTOCK_STORE",
    help="Where runs are recorded, if not at the default path: a SQLite file, or postgresql://user@host/database.",
)


without_option = click.option(
    "--without",
    is_flag=True,
    help="Simulate how it would have gone without each of the newest 20 judged decisions (a minute at most).",
)
json_option = click.option(
    "--json", "json_out", metavar="FILE", help="Write it as JSON to this file; - is standard output."
)


def read_recorded(name: str, store: str | None) -> "Run":
    """The run of that name or id, the last one, or the last one of the file at that path."""
    from penstock.store.open import find_run, open_store  # the database takes half a second to import

    target, wanted = (name, "last") if Path(name).is_file() else (store, name)
    with closing(open_store(target, create=False)) as archive:
        return archive.read_run(find_run(archive, wanted).id)


def read_tried(name: str, store: str | None) -> "tuple[Counterfactual, ...]":
    """How the run would have gone without its newest decisions, as many as there is time for."""
    from penstock.store.gallery import Gallery
    from penstock.store.open import find_run, open_store
    from penstock.web.counterfactuals import settled, tried

    target, wanted = (name, "last") if Path(name).is_file() else (store, name)
    with closing(open_store(target, create=False)) as archive:
        gallery = Gallery(archive.database, find_run(archive, wanted).id)
        return tried(gallery, settled(gallery.decisions()), SIMULATED_WITHIN_S)
