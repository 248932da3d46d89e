"""Stores of one kind share what SQLAlchemy made of their statements; those of another kind do not."""

from pathlib import Path

from sqlalchemy import Engine, MetaData, Table, create_engine, literal, select

from tests.harness.compiled import Compiled


def cache_of(engine: Engine) -> object:
    with engine.connect() as connection:
        connection.execute(select(literal("ads")))
        cache = connection.get_execution_options()["compiled_cache"]
    engine.dispose()
    return cache


def test_every_store_of_a_run_takes_the_statements_of_the_one_before(tmp_path: Path) -> None:
    first, second = (cache_of(create_engine(f"sqlite:///{tmp_path / name}")) for name in ("a", "b"))
    assert isinstance(first, Compiled)
    assert first is second


def test_statements_are_those_of_one_kind_of_database() -> None:
    compiled, statement = Compiled(), select(Table("runs", MetaData()))
    first, second, other = (create_engine(url).dialect for url in ("sqlite://", "sqlite://", "postgresql+psycopg://"))
    compiled[first, statement] = "made"
    assert compiled[second, statement] == "made"
    assert (other, statement) not in compiled
