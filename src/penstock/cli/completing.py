"""What a shell may put in place of a word that was begun: names of recorded runs, and of policies."""

from contextlib import closing

import click

from penstock.core.safe_text import visible
from penstock.errors import PenstockError

MOST_RUNS = 30  # the newest: a shell shows them in columns


def run_names(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Recorded runs that begin so, the newest first, and "last"; none where no store can be read."""
    from penstock.store.open import open_store  # the database takes half a second to import

    try:
        with closing(open_store(ctx.params.get("store"), create=False)) as store:
            found = [run.id for run in reversed(store.runs())][:MOST_RUNS]
    except PenstockError:
        found = []
    return [visible(name) for name in ("last", *found) if name.startswith(begun)]


def policy_names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Policies that begin so, also after a comma."""
    from penstock.planning.registry import policies

    before, comma, last = begun.rpartition(",")
    return [f"{before}{comma}{name}" for name in policies() if name.startswith(last)]
