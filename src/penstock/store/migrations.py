"""From one version of the schema to the next, where a column that may be null does not do; see columns.py.

Who writes brings an older database up to date as it opens it, in one transaction: others see it as it was, or as it is
to be. A step is never changed once it was released: databases are there that took it.
"""

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from penstock.store import tables

STEPS: Sequence[Callable[[sa.Connection], None]] = ()  # the first one leads from version 1 to version 2


def newest() -> int:
    """The version that this penstock writes.

    >>> newest()
    1
    """
    return 1 + len(STEPS)


def migrate(connection: sa.Connection, found: int) -> None:
    """Take all steps from the version that was found."""
    for step in STEPS[found - 1 :]:
        step(connection)
    if found != newest():
        connection.execute(tables.schema.update().values(version=newest()))
