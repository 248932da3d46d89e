"""Nexmark queries 0 to 8 and 11 over the benchmark's one stream of people, auctions and bids."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

import penstock as ps
from penstock.errors import ConfigError
from penstock.workloads.sinks import written
from penstock.workloads.sources import parsed, record_lines

SCHEMA = (
    "event string, event_ms long, id long, name string, city string, state string, "
    "item string, initial_bid long, reserve long, expires_ms long, seller long, category long, "
    "auction long, bidder long, price long, channel string"
)
LATE = "2 seconds"
EUROS = 0.908
CLOSED = "category long, seller long, price long, closed_ms long, closed_at timestamp"


def query(
    spark: SparkSession,
    source: Mapping[str, Any],
    number: int,
    sink: Mapping[str, Any] | None = None,
    trigger: str = "1 second",
) -> DataStreamWriter:
    """One of the benchmark's queries by its number."""
    if number not in QUERIES:
        raise ConfigError("number", number, f"choose one of {', '.join(map(str, QUERIES))}")
    events = ps.measured(parsed(record_lines(spark, source, "nexmark"), SCHEMA), "arrived")
    return written(QUERIES[number](events.withWatermark("event_time", LATE)), "append", sink, trigger)


def pass_through(events: DataFrame) -> DataFrame:
    """0: all bids as they are."""
    return events.where("event = 'bid'").select("auction", "bidder", "price", "channel", "event_ms")


def in_euros(events: DataFrame) -> DataFrame:
    """1: bids with their price in euros."""
    return pass_through(events).withColumn("price", F.col("price") * EUROS)


def of_some_auctions(events: DataFrame) -> DataFrame:
    """2: bids on every 123rd auction."""
    return events.where("event = 'bid' AND auction % 123 = 0").select("auction", "price")


def local_items(events: DataFrame) -> DataFrame:
    """3: who in Oregon, Idaho or California sells something of category 10."""
    people = events.where("event = 'person' AND state IN ('OR', 'ID', 'CA')").select("id", "name", "city", "state")
    auctions = events.where("event = 'auction' AND category = 10").select(F.col("id").alias("item_id"), "seller")
    return people.join(auctions, people["id"] == auctions["seller"]).select("name", "city", "state", "item_id")


def price_by_category(events: DataFrame) -> DataFrame:
    """4: the mean of the winning bids of closed auctions, by category; a row whenever it changes."""
    result = "category long, auctions long, mean_price double"
    return _closed(events).groupBy("category").transformWithStateInPandas(MeanPrice(), result, "Append", "EventTime")


def hot_items(events: DataFrame) -> DataFrame:
    """5: the auctions with the most bids in the last ten seconds, every two seconds."""
    bids = events.where("event = 'bid'").groupBy(F.window("event_time", "10 seconds", "2 seconds"), "auction")
    listed = F.collect_list(F.struct("bids", "auction"))
    by_window = (
        bids.agg(F.count("*").alias("bids")).groupBy("window").agg(listed.alias("all"), F.max("bids").alias("most"))
    )
    hottest = by_window.select("window", "most", F.explode(F.expr("filter(all, x -> x.bids = most)")).alias("hot"))
    return hottest.select(F.col("window.start").alias("window_start"), F.col("hot.auction").alias("auction"), "most")


def price_by_seller(events: DataFrame) -> DataFrame:
    """6: the mean of the winning bids of each seller's last ten closed auctions; a row for every auction closed."""
    result = "seller long, closed_ms long, mean_price double"
    return _closed(events).groupBy("seller").transformWithStateInPandas(LastTen(), result, "Append", "EventTime")


def highest_bid(events: DataFrame) -> DataFrame:
    """7: the highest bid of every ten seconds; of equal ones that on the latest auction."""
    best = F.max(F.struct("price", "auction", "bidder")).alias("best")
    windowed = events.where("event = 'bid'").groupBy(F.window("event_time", "10 seconds")).agg(best)
    return windowed.select(F.col("window.start").alias("window_start"), "best.price", "best.auction", "best.bidder")


def new_sellers(events: DataFrame) -> DataFrame:
    """8: who came and put something up for auction within the same ten seconds."""
    window = F.window("event_time", "10 seconds")
    people = events.where("event = 'person'").select("id", "name", window.alias("came"))
    auctions = events.where("event = 'auction'").select("seller", "reserve", window.alias("sold"))
    both = people.join(auctions, (people["id"] == auctions["seller"]) & (people["came"] == auctions["sold"]))
    return both.select("id", "name", "reserve")


def sessions(events: DataFrame) -> DataFrame:
    """11: the bids of each bidder until there is a pause of ten seconds."""
    session = F.session_window("event_time", "10 seconds")
    counts = events.where("event = 'bid'").groupBy(session, "bidder").agg(F.count("*").alias("bids"))
    start, end = F.col("session_window.start").alias("start"), F.col("session_window.end").alias("end")
    return counts.select("bidder", start, end, "bids")


QUERIES = {
    0: pass_through,
    1: in_euros,
    2: of_some_auctions,
    3: local_items,
    4: price_by_category,
    5: hot_items,
    6: price_by_seller,
    7: highest_bid,
    8: new_sellers,
    11: sessions,
}


def _closed(events: DataFrame) -> DataFrame:
    """Auctions with a bid, when they close, with what was paid."""
    either = events.where("event != 'person'").withColumn("auction", F.coalesce("auction", "id"))
    columns = ("auction", "event", "event_ms", "event_time", "expires_ms", "seller", "category", "price")
    return (
        either.select(*columns)
        .groupBy("auction")
        .transformWithStateInPandas(Auction(), CLOSED, "Append", "EventTime", eventTimeColumnName="closed_at")
    )


class Auction(StatefulProcessor):
    """One auction: it opens, takes bids until it expires, and closes when the watermark passes that time."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._open = handle.getValueState("open", "category long, seller long, expires_ms long, best long")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N802
        """Events in the order of their time."""
        state = self._open.get()
        for event in pd.concat(rows).sort_values("event_ms", kind="stable").itertuples():
            if event.event == "auction":
                state = (int(event.category), int(event.seller), int(event.expires_ms), 0)
                self._handle.registerTimer(int(event.expires_ms))
            elif state is not None and event.event_ms <= state[2]:
                state = (*state[:3], max(state[3], int(event.price)))
        if state is not None:
            self._open.update(state)
        yield from ()

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:  # noqa: N802
        """It is over; nobody hears of an auction without a bid."""
        category, seller, expires_ms, best = self._open.get() or (0, 0, 0, 0)
        self._open.clear()
        if best > 0:
            closed = {"category": category, "seller": seller, "price": best, "closed_ms": expires_ms}
            yield pd.DataFrame({**closed, "closed_at": pd.to_datetime([expires_ms], unit="ms", utc=True)})

    def close(self) -> None:
        """Nothing is held."""


class MeanPrice(StatefulProcessor):
    """One category: how many auctions closed, and what they brought."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._sum = handle.getValueState("sum", "auctions long, total long")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N802
        """The mean so far."""
        auctions, total = self._sum.get() or (0, 0)
        for closed in rows:
            auctions, total = auctions + len(closed), total + int(closed["price"].sum())
        self._sum.update((auctions, total))
        yield pd.DataFrame({"category": [key[0]], "auctions": [auctions], "mean_price": [total / auctions]})

    def close(self) -> None:
        """Nothing is held."""


class LastTen(StatefulProcessor):
    """One seller: what the last ten auctions brought, in the order in which they closed."""

    KEEP = 10

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._last = handle.getValueState("last", "prices array<long>")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N802
        """A mean for each auction."""
        closed = pd.concat(rows).sort_values(["closed_ms", "price"])
        prices = list((self._last.get() or ([],))[0])
        means = []
        for price in closed["price"].tolist():
            prices = [*prices, price][-self.KEEP :]
            means.append(sum(prices) / len(prices))
        self._last.update((prices,))
        yield pd.DataFrame({"seller": key[0], "closed_ms": closed["closed_ms"].to_numpy(), "mean_price": means})

    def close(self) -> None:
        """Nothing is held."""
