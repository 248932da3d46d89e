"""Which group a test is of, by its marks and fixtures."""

from collections import OrderedDict
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.harness.spread import ALONE, group_of, in_turn, unit_of


def a_test(*marks: str, uses: tuple[str, ...] = (), **parameters: str) -> pytest.Item:
    """As pytest collects it."""
    item: Any = SimpleNamespace(fixturenames=uses, callspec=SimpleNamespace(params=parameters))
    item.get_closest_marker = lambda name: name if name in marks else None
    return cast(pytest.Item, item)


def test_what_uses_the_one_spark_is_shared_whatever_else_it_starts() -> None:
    assert group_of(a_test("real", "jvm", uses=("tmp_path", "spark"))) == "spark"
    assert group_of(a_test("real", "jvm", "browser", uses=("spark", "browser"))) == "spark"
    assert group_of(a_test("real", "jvm", world="on_spark")) == "spark"


@pytest.mark.parametrize("broker", ["kafka_state", "secured"])
def test_what_reads_a_broker_is_apart_with_a_spark_of_its_own(broker: str) -> None:
    assert group_of(a_test("real", "jvm", uses=("spark", broker))) == "kafka"
    assert group_of(a_test("real", "jvm", uses=(broker,))) == "kafka"


def test_what_starts_its_own_jvm_or_cluster_is_apart_from_it_also_where_it_needs_a_database() -> None:
    assert group_of(a_test("real", "jvm")) == "own"
    assert group_of(a_test("real", "cluster")) == group_of(a_test("real", "jvm", "cluster", "server")) == "cluster"
    assert group_of(a_test("real", "jvm", "server", uses=("postgres",))) == "own"


def test_what_needs_the_one_database_or_the_one_browser_and_no_jvm_is_a_group_too() -> None:
    assert group_of(a_test("real", "server", store="postgresql")) == "server"
    assert group_of(a_test("real", "browser")) == group_of(a_test("real", "browser", "server")) == "browser"


def test_what_is_python_alone_is_of_no_group_and_what_waits_for_servers_goes_wherever_room_is() -> None:
    assert group_of(a_test(uses=("tmp_path",))) is None
    assert group_of(a_test("sockets", uses=("tmp_path",))) == ALONE
    assert group_of(a_test("sockets", "real", "server")) == "server"


def test_tests_of_a_file_are_one_workers_unless_each_is_alone() -> None:
    assert unit_of("tests/core/test_a.py::test_b[c::d]", None) == "tests/core/test_a.py"
    assert unit_of("tests/web/test_a.py::test_b[c]", ALONE) == "tests/web/test_a.py::test_b[c]"
    assert unit_of("tests/web/test_a.py::test_b", "browser") == "browser"


def test_groups_come_first_and_the_longest_then_tests_that_wait_then_files_as_they_stand() -> None:
    waiting = OrderedDict.fromkeys(["big.py", "kafka", "small.py", "x.py::test_a", "own", "browser", "x.py::test_b"])
    in_turn(waiting)
    assert list(waiting) == ["browser", "own", "kafka", "x.py::test_a", "x.py::test_b", "big.py", "small.py"]
