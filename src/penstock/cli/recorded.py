"""Finding the recorded run that a command is about."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from penstock.core.run import Run

store_option = click.option(
    "--store",
    metavar="PATH|URL",
    envvar="PENSTOCK_STORE",
    help="Where runs are recorded, if not at the default path: a SQLite file, or postgresql://user@host/database.",
)


def read_recorded(name: str, store: str | None) -> "Run":
    """The run of that name or id, the last one, or the last one of the file at that path."""
    from penstock.store.open import find_run, open_store  # the database takes half a second to import

    target, wanted = (name, "last") if Path(name).is_file() else (store, name)
    with closing(open_store(target, create=False)) as archive:
        return archive.read_run(find_run(archive, wanted).id)
