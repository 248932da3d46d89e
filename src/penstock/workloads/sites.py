"""The database that PageLoad joins with: each page's site. SQLite or PostgreSQL, by URL."""

from collections.abc import Mapping, Sequence
from functools import cache

from sqlalchemy import Boolean, Column, Engine, MetaData, String, Table, create_engine, select
from sqlalchemy.exc import IntegrityError

from penstock.workloads.records.pages import sites_of_pages

_TABLES = MetaData()
_SITES = Table(
    "sites_of_pages",
    _TABLES,
    Column("page", String, primary_key=True),
    Column("site", String, nullable=False),
    Column("active", Boolean, nullable=False),
)
_CONNECTS_WITHIN_S = 10  # many tasks begin at once
_AT_ONCE = 500  # SQLite takes 999 parameters in one statement at the least


def make_sites(url: str) -> None:
    """The table with its rows, unless it is there; two that make it at once leave one."""
    engine = _engine(url)
    _TABLES.create_all(engine)
    try:
        with engine.begin() as connection:
            if connection.execute(select(_SITES.c.page).limit(1)).first() is None:
                connection.execute(_SITES.insert(), [dict(row) for row in sites_of_pages()])
    except IntegrityError:  # somebody else's rows came between the look and the insert; they are the same
        return


def sites_of(url: str, pages: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
    """Site and whether it is active, for those of the pages that the database knows."""
    wanted = sorted(set(pages))
    found: dict[str, tuple[str, bool]] = {}
    with _engine(url).connect() as connection:
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            rows = connection.execute(select(_SITES).where(_SITES.c.page.in_(some)))
            found |= {row.page: (row.site, row.active) for row in rows}
    return found


@cache  # one engine, with its connections, for each process
def _engine(url: str) -> Engine:
    if not url.startswith("postgresql"):
        return create_engine(url)
    # A driver with a version in its name is the one that is installed here.
    named, limits = url.replace("postgresql://", "postgresql+psycopg://", 1), {"connect_timeout": _CONNECTS_WITHIN_S}
    made = create_engine(named, connect_args=limits)
    from penstock.postgres_answers import impatient  # psycopg, which SQLite does without

    impatient(made)
    return made
