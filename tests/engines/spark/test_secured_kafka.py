"""A broker that wants a login: asked by the query's own options, whose secrets nobody is shown."""

import logging
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

import penstock as ps
from penstock.core.seen.figures import JobFigures
from penstock.engines.kafka.topics import make_topics
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.kafka_admin import BrokerAdmin, Login, login_of
from penstock.engines.spark.jvm.kafka_sources import kafka_sources
from penstock.engines.spark.settings import SparkSettings
from penstock.errors import EngineError
from tests.engines.spark.committed import committed
from tests.engines.spark.helpers import observed
from tests.engines.spark.kafka_jobs import send
from tests.patience import eventually, patience_s
from tests.real_spark import OpenEngine
from tests.secured_kafka import PARTITIONS, PASSWORD, STORE_PASSWORD, Secured, secured

__all__ = ["secured"]
pytestmark = pytest.mark.jvm
SECRETS = (PASSWORD, STORE_PASSWORD)


@pytest.fixture
def topic(secured: Secured) -> str:
    name = f"topic_{uuid.uuid4().hex[:8]}"
    make_topics(secured.plain, [name], PARTITIONS)
    return name


def passing(secured: Secured, topic: str):  # type: ignore[no-untyped-def]
    """A job that reads and drops; its batches are so rare that only the broker says what came since."""

    def job(spark: SparkSession):  # type: ignore[no-untyped-def]
        options = {**secured.options(), "subscribe": topic, "startingOffsets": "earliest"}
        rows = spark.readStream.format("kafka").options(**options).load()
        return rows.writeStream.format("noop").trigger(processingTime="1 hour")

    return job


def test_arrivals_and_backlog_are_seen_through_its_login(
    engine: OpenEngine, secured: Secured, topic: str, name: str
) -> None:
    send(secured.plain, topic, 1000)
    watched = engine(Job(name, passing(secured, topic)), settings=SparkSettings(window_s=3600.0))
    observed(watched, name, lambda figures: figures.backlog_rows == 0)
    send(secured.plain, topic, 5000)

    def all_wait(figures: JobFigures) -> bool:
        return figures.backlog_rows == 5000 and (figures.arrival_rps or 0.0) > 0

    observed(watched, name, all_wait)


def test_its_secrets_are_in_no_log_no_record_and_no_message(
    spark: SparkSession, secured: Secured, topic: str, name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    send(secured.plain, topic, 10)
    wanted = {name: ps.Intent(ps.Latency("2s"))}
    with ps.govern(spark, wanted, store=tmp_path / "runs.sqlite", interval=0.5) as governed:
        query = passing(secured, topic)(spark).queryName(name).start()
        with caplog.at_level(logging.DEBUG):  # with all that goes between Python and the JVM
            (source,) = eventually(lambda: kafka_sources(query)) or ()
            eventually(lambda: governed.views and governed.views[-1].job(name).figures.backlog_rows == 0)
        shown = repr((source, governed.views, governed.decisions, governed._repr_html_()))
    query.stop()
    assert (source.bootstrap, source.topics, source.login is None) == (secured.bootstrap, (topic,), False)
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for secret in SECRETS:
        assert secret not in caplog.text
        assert secret not in shown
        assert secret.encode() not in written


def test_offsets_are_committed_through_its_login(spark: SparkSession, secured: Secured, topic: str, name: str) -> None:
    send(secured.plain, topic, 30)
    query = passing(secured, topic)(spark).queryName(name).start()
    with ps.commit_offsets(spark, "shop-{query}"):
        eventually(lambda: committed(secured.plain, f"shop-{name}", topic, PARTITIONS) == 30)
    query.stop()


def login(spark: SparkSession, options: dict[str, str]) -> Login:
    jvm: Any = spark.sparkContext._jvm
    found = login_of(jvm.org.apache.spark.sql.util.CaseInsensitiveStringMap(options))
    assert found is not None
    return found


@pytest.mark.parametrize("way", ["options", "with_token", "with_certificate"])
def test_all_ways_to_log_in_pass_through_as_they_are(
    spark: SparkSession, secured: Secured, topic: str, way: str
) -> None:
    send(secured.plain, topic, 10)
    options = getattr(secured, way)()
    broker = BrokerAdmin(options["kafka.bootstrap.servers"], login(spark, options), within_s=patience_s())
    ends = broker.read_each([topic])[topic]
    broker.close()
    assert not isinstance(ends, EngineError)
    assert (sum(ends.values()), len(ends)) == (10, PARTITIONS)


def test_a_topic_that_is_not_there_leaves_the_ends_of_the_others_known(
    spark: SparkSession, secured: Secured, topic: str
) -> None:
    send(secured.plain, topic, 10)
    broker = BrokerAdmin(secured.bootstrap, login(spark, secured.options()), within_s=patience_s())
    ends = broker.read_each([topic, "nobodys"])
    alone = broker.read_each(["nobodys"])
    broker.close()
    assert sum(cast(Mapping[int, int], ends[topic]).values()) == 10
    assert [str(ends["nobodys"]), str(alone["nobodys"])] == [
        f"the broker at {secured.bootstrap} does not say: there is no such topic; make it, or mend subscribe"
    ] * 2


def test_what_only_consumers_know_is_not_passed(spark: SparkSession, secured: Secured) -> None:
    options = {**secured.options(), "subscribe": "rows", "kafka.max.poll.records": "5", "maxOffsetsPerTrigger": "9"}
    found, same = login(spark, options), login(spark, secured.options())
    assert set(found.settings) == {name.removeprefix("kafka.") for name in secured.options()}
    assert found == same  # one connection for both
    assert found != login(spark, secured.options("not-" + PASSWORD))
    assert repr(found) == "Login()"


def test_a_login_that_is_refused_is_told_with_the_option_to_mend(
    spark: SparkSession, secured: Secured, topic: str
) -> None:
    wrong = login(spark, secured.options("not-" + PASSWORD))
    broker = BrokerAdmin(secured.bootstrap, wrong, within_s=patience_s())
    told = f"{secured.bootstrap} does not say: it refuses the login; mend kafka.sasl.jaas.config of the query's source"
    with pytest.raises(EngineError, match=told):
        broker.read_each([topic])
    broker.close()


def test_a_store_that_is_not_there_is_told(spark: SparkSession, secured: Secured, tmp_path: Path) -> None:
    gone = login(spark, {**secured.options(), "kafka.ssl.truststore.location": str(tmp_path / "none.p12")})
    with pytest.raises(EngineError, match=r"a file is not there; mend kafka.ssl.truststore.location or"):
        BrokerAdmin(secured.bootstrap, gone, within_s=1.0)


def test_a_store_with_another_password_is_told(spark: SparkSession, secured: Secured) -> None:
    shut = login(spark, secured.with_certificate("not-" + STORE_PASSWORD))
    with pytest.raises(EngineError, match=r"a store has another password; mend kafka.ssl.truststore.password or"):
        BrokerAdmin(secured.by_certificate, shut, within_s=1.0)


def test_a_broker_that_does_not_know_the_client_is_told(spark: SparkSession, secured: Secured, topic: str) -> None:
    options = secured.with_certificate()
    nobody = {name: value for name, value in options.items() if "keystore" not in name}
    broker = BrokerAdmin(secured.by_certificate, login(spark, nobody), within_s=patience_s())
    with pytest.raises(EngineError, match=r"do not trust each other; mend kafka.ssl.truststore.\*, and"):
        broker.read_each([topic])
    broker.close()


def test_a_broker_that_is_away_has_so_long_for_all_questions_together(spark: SparkSession, secured: Secured) -> None:
    options = {**secured.options(), "kafka.bootstrap.servers": "127.0.0.1:1"}
    broker = BrokerAdmin("127.0.0.1:1", login(spark, options), within_s=0.3)
    with pytest.raises(EngineError, match=r"the broker at 127.0.0.1:1 does not say: it did not answer in time; see"):
        broker.read_each(["a", "b", "c"])
    broker.close()


def test_a_source_without_a_login_has_none(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    options = jvm.org.apache.spark.sql.util.CaseInsensitiveStringMap({"kafka.bootstrap.servers": "broker:9092"})
    assert login_of(options) is None
