"""What a shell may put in place of a word that was begun: names of recorded runs, and of policies.

Who presses Tab waits for it: a store that has not answered after a second has no names.
"""

from collections.abc import Callable, Sequence
from contextlib import closing

import click

from penstock.core.safe_text import visible
from penstock.engines.hand import Hand
from penstock.errors import PenstockError

MOST_RUNS = 30  # the newest: a shell shows them in columns
_WITHIN_S = 1.0


def run_names(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Recorded runs that begin so, the newest first, and "last"; none where no store can be read."""
    from penstock.store.open import open_store  # the database takes half a second to import

    def read() -> Sequence[str]:
        with closing(open_store(ctx.params.get("store"), create=False)) as store:
            return [run.id for run in reversed(store.runs())][:MOST_RUNS]

    return [visible(name) for name in ("last", *names_within(_WITHIN_S, read)) if name.startswith(begun)]


def names_within(within_s: float, read: Callable[[], Sequence[str]]) -> Sequence[str]:
    """What is read; nothing where it cannot be, or takes longer."""
    try:
        return Hand().do("reading names", read, within_s)
    except PenstockError:
        return ()


def policy_names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Policies that begin so, also after a comma."""
    from penstock.planning.registry import policies

    before, comma, last = begun.rpartition(",")
    return [f"{before}{comma}{name}" for name in policies() if name.startswith(last)]
