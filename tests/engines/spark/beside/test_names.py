"""Tenants' names and queries' names."""

from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.fake.parts import FakePools
from penstock.engines.spark.jvm.beside.names import Names
from penstock.engines.spark.jvm.beside.spark import NamedPools


def names(*tenants: str) -> Names:
    return Names(frozenset(tenants))


def test_a_flow_is_governed_by_the_last_parts_of_its_querys_name() -> None:
    found = names("orders", "eu.clicks")
    assert found.tenant("spark_catalog.default.orders") == "orders"
    assert found.tenant("spark_catalog.eu.clicks") == "eu.clicks"
    assert found.query("orders") == "spark_catalog.default.orders"


def test_a_query_that_is_nobodys_keeps_its_name() -> None:
    found = names("orders")
    assert (found.tenant("reorders"), found.tenant(None), found.query("orders")) == ("reorders", None, "orders")


def test_a_second_query_that_answers_to_a_tenant_is_not_governed_for_it() -> None:
    found = names("orders")
    assert found.tenant("a.orders") == "orders"
    assert found.tenant("b.orders") == "b.orders"
    assert found.tenant("a.orders") == "orders"  # started again
    assert found.query("orders") == "a.orders"


def test_the_tenant_that_says_more_of_the_name_has_the_query() -> None:
    found = names("orders", "eu.orders")
    assert (found.tenant("c.eu.orders"), found.tenant("c.us.orders")) == ("eu.orders", "orders")


def test_a_querys_own_name_comes_before_one_that_ends_alike() -> None:
    found = names("orders")
    found.tenant("a.orders")
    assert found.tenant("orders") == "orders"
    assert found.query("orders") == "orders"
    assert found.tenant("a.orders") == "a.orders"


def test_a_tenant_has_the_pool_of_its_query_and_a_pool_that_nobody_set_is_none() -> None:
    names, there = Names(frozenset({"orders", "clicks"})), FakePools()
    names.tenant("spark_catalog.default.orders")
    pools = NamedPools(there, names)
    pools.set({"orders": PoolShare(3, 2), "clicks": PoolShare(1, 0)})
    assert there.shares == {"spark_catalog.default.orders": PoolShare(3, 2), "clicks": PoolShare(1, 0)}
    assert (pools.share("orders"), pools.share("clicks")) == (PoolShare(3, 2), None)
