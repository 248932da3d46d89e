"""Statements that SQLite's engines share, and what they do not."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import CacheStats

ITEMS = sa.Table("items", sa.MetaData(), sa.Column("name", sa.Text), sa.Column("price", sa.Integer))


def how(place: Path, wanted: sa.Executable) -> tuple[CacheStats, list[tuple[object, ...]]]:
    """Whether a new engine had to put it into words, and what came of it."""
    engine = sa.create_engine(f"sqlite:///{place}")
    try:
        with engine.begin() as connection:
            ITEMS.create(connection)
            connection.execute(ITEMS.insert().values(name=place.stem, price=3))
            found = connection.execute(wanted)
            return found.context.cache_hit, [tuple(row) for row in found]
    finally:
        engine.dispose()


def test_the_second_engine_has_the_words_of_the_first_and_the_rows_of_its_own(tmp_path: Path) -> None:
    wanted = sa.select(ITEMS.c.name, ITEMS.c.price + 17)
    how(tmp_path / "first", wanted)
    assert how(tmp_path / "second", wanted) == (CacheStats.CACHE_HIT, [("second", 20)])


def test_a_statement_of_another_shape_has_words_of_its_own(tmp_path: Path) -> None:
    how(tmp_path / "first", sa.select(ITEMS.c.price - 18))
    assert how(tmp_path / "second", sa.select(ITEMS.c.price - 18, ITEMS.c.name)) == (
        CacheStats.CACHE_MISS,
        [(-15, "second")],
    )
    assert how(tmp_path / "third", sa.select(ITEMS.c.price - 19)) == (CacheStats.CACHE_HIT, [(-16,)])
