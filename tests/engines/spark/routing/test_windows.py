"""Windows of key pairs: closed when they are due, told until the next one is, whoever looks and however often."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.routing.share_cell import ShareCell
from penstock.engines.spark.routing import pair_draw
from penstock.engines.spark.routing.book import Change
from penstock.engines.spark.routing.reroute import Routed
from penstock.engines.spark.routing.route import Routing
from penstock.engines.spark.routing.watch import RouteWatch
from penstock.engines.spark.watch.drawn_pairs import DrawnPairs
from penstock.engines.spark.watch.progress import Batch


class TwoPartitions:
    """As much of a session as a book of tables asks."""

    class conf:  # noqa: N801
        @staticmethod
        def get(name: str, default: Any = None) -> Any:
            return "2" if name == "spark.sql.shuffle.partitions" else default


@pytest.fixture
def watch(tmp_path: Path) -> RouteWatch:
    """Over windows of ten seconds, half of which is forgotten after twenty, of a query that counts the left keys."""
    route = Routing("tweets", left="region", right="hashtag", checkpoint=tmp_path)
    route.windowed["left"] = False
    return RouteWatch(Routed(cast(SparkSession, TwoPartitions()), Job("tweets"), route), window_s=10.0, memory_s=20.0)


class Asked:
    """As much of a cell as a window of pairs asks: it keeps what it was asked for."""

    def __init__(self) -> None:
        self.one_in: list[int] = []

    def draw_one_in(self, one_in: int) -> None:
        self.one_in.append(one_in)


def a_batch(at_s: float, rows: int) -> Batch:
    drawn = DrawnPairs((PairCounts.exact({("Asia", "#java"): rows}),), "draw of a test")
    return Batch("run", int(at_s), at_s, at_s + 1.0, rows, drawn=drawn)


def rows_told(watch: RouteWatch) -> float:
    assert watch.told is not None
    return watch.told.newest["left", "right"].rows


def test_a_window_is_told_from_its_end_to_the_end_of_the_next(watch: RouteWatch) -> None:
    watch.add(a_batch(100.0, 3))
    watch.close_window(109.0, None)
    assert watch.told is None
    watch.close_window(110.0, None)
    first = watch.told
    watch.add(a_batch(112.0, 5))
    watch.close_window(119.0, None)
    assert watch.told is first
    assert rows_told(watch) == 3
    watch.close_window(120.0, None)
    assert rows_told(watch) == 5


def test_what_was_counted_and_what_partitions_got_of_it_fade_by_a_half_life_of_their_own(watch: RouteWatch) -> None:
    for at_s, rows in ((100.0, 8), (112.0, 4), (124.0, 2)):
        watch.add(a_batch(at_s, rows))
        watch.close_window(at_s + 10.0, None)
    assert watch.told is not None
    fade = 0.5 ** (12.0 / 20.0)
    assert watch.told.basis["left", "right"].rows == pytest.approx((8 * fade + 4) * fade + 2)
    assert [sum(rows) for rows in watch.told.got.values()] == pytest.approx(
        [watch.told.basis["left", "right"].rows] * 2
    )


def test_what_a_table_promised_is_told_while_that_one_is_in_force(watch: RouteWatch) -> None:
    book = watch.routed.route.book(watch.routed.spark)
    made = RoutingTable(2, {"left": {"Asia": 1}, "right": {}}, locality=0.7, imbalance=1.1)
    promises = []
    for number in (1, 2):
        watch.add(a_batch(100.0 * number, 3))
        book.record(Change(number, book.add(made), batch=number))
        watch.promised = replace(made, version=1)
        watch.close_window(100.0 * number + 10.0, None)
        assert watch.told is not None
        assert watch.told.table is not None
        promises.append((watch.told.table.locality, watch.told.table.imbalance))
    assert promises == [(0.7, 1.1), (0.0, 1.0)]  # of a table that somebody else put into force nothing is known


def test_the_numbers_of_windows_rise_also_when_the_clock_goes_back_and_when_another_driver_counts(
    watch: RouteWatch,
) -> None:
    numbers = []
    for at_s in (110.0, 120.0, 50.0):
        watch.opened_s = at_s - 20.0
        watch.close_window(at_s, None)
        assert watch.told is not None
        numbers.append(watch.told.window)
    after_a_restart = RouteWatch(watch.routed, 10.0, 20.0, opened_s=130.0)
    after_a_restart.close_window(140.0, None)
    assert after_a_restart.told is not None
    assert numbers[0] < numbers[1] < numbers[2] < after_a_restart.told.window


def test_what_is_drawn_of_a_window_is_spread_over_its_batches(
    watch: RouteWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Asked()
    monkeypatch.setitem(pair_draw._CELLS, "draw of a test", cast(ShareCell, cell))
    for at_s in (100.0, 101.0, 102.0, 102.1):
        watch.add(a_batch(at_s, 64_000))
    # Nobody knows yet: 5,000 or more; a tenth of a window, and of 20,000: 2,000; a hundredth: 500 or more.
    assert cell.one_in == [8, 32, 32, 128]
