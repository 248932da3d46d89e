"""A job reads elsewhere and does not know it."""

from pathlib import Path

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.diverted import DivertedSession, Source


def lines_in(place: Path, *lines: str) -> str:
    place.mkdir()
    (place / "rows.txt").write_text("\n".join(lines))
    return str(place)


def test_the_rows_of_another_directory_come_out_of_the_same_calls(spark: SparkSession, tmp_path: Path) -> None:
    live, replayed = lines_in(tmp_path / "live", "live"), lines_in(tmp_path / "replayed", "a", "b")
    seen: list[Source] = []

    def divert(source: Source) -> Source:
        seen.append(source)
        return source.from_directory(replayed)

    rows = DivertedSession(spark, divert).readStream.option("maxFilesPerTrigger", 1).text(live)
    query = rows.writeStream.format("memory").queryName("diverted").trigger(availableNow=True).start()
    query.awaitTermination()
    assert sorted(row.value for row in spark.table("diverted").collect()) == ["a", "b"]
    assert seen == [Source("text", {"maxFilesPerTrigger": "1"}, live)]


def test_a_topic_is_read_from_the_same_broker_with_the_same_settings_from_its_end_on() -> None:
    options = {
        "kafka.bootstrap.servers": "b:1",
        "subscribe": "live",
        "startingOffsets": "earliest",
        "minPartitions": "8",
    }
    found = Source("kafka", options).from_topic("replayed")
    assert found.options == {
        "kafka.bootstrap.servers": "b:1",
        "minPartitions": "8",
        "subscribe": "replayed",
        "startingOffsets": "latest",
    }
    assert found.option("SUBSCRIBE") == "replayed"
