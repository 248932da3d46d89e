"""Murmur3 and the salts made of it, checked against Spark's own hash()."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pyspark.sql import SparkSession, functions

from penstock.core.seen.pairs import Key
from penstock.engines.spark.routing.aims import aims
from penstock.engines.spark.routing.murmur import C1, C2, ColumnType, Hashes, hash_keys, partitions_of
from penstock.engines.spark.routing.salts import salt_of
from penstock.errors import ConfigError

TEXTS = ["", "a", "ab", "abc", "abcd", "abcde", "Asia", "#java", "naïve", "日本語", "\x7f\x80", "x" * 37]
INTS = [0, 1, -1, 7, 2**31 - 1, -(2**31)]
LONGS = [*INTS, 2**31, 2**63 - 1, -(2**63), 1_600_000_000_000_000]
KEYS: list[tuple[tuple[ColumnType, ...], list[Key]]] = [
    (("string",), list(TEXTS)),
    (("int",), list(INTS)),
    (("bigint",), list(LONGS)),
    (("string", "bigint"), [(text, number) for text in TEXTS for number in LONGS]),
    (("int", "string", "int"), [(number, text, -number // 2) for text in TEXTS for number in INTS]),
]


def spark_hashes(spark: SparkSession, kinds: tuple[ColumnType, ...], keys: list[Key]) -> list[int]:
    names = [f"part_{number}" for number in range(len(kinds))]
    schema = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))
    rows = [key if isinstance(key, tuple) else (key,) for key in keys]
    frame = spark.createDataFrame(rows, schema)
    return [row[0] for row in frame.select(functions.hash(*names)).collect()]


def salts_to(hashes: Hashes, partitions: NDArray[np.int64]) -> NDArray[np.int32]:
    """The salt that sends each key, hashed without it, to its partition; worked out beside the query."""
    words = np.array(aims(int(partitions.max(initial=0)) + 1), dtype=np.uint32)[partitions] ^ hashes
    words = words * np.uint32(pow(C2, -1, 2**32))
    words = (words >> np.uint32(15)) | (words << np.uint32(17))
    return (words * np.uint32(pow(C1, -1, 2**32))).view(np.int32)


@pytest.mark.parametrize(("kinds", "keys"), KEYS, ids=lambda value: " ".join(map(str, value))[:24])
def test_the_hash_of_a_key_is_the_one_that_spark_computes(
    spark: SparkSession, kinds: tuple[ColumnType, ...], keys: list[Key]
) -> None:
    assert hash_keys(keys, kinds).view(np.int32).tolist() == spark_hashes(spark, kinds, keys)


TYPED = [
    ("boolean", ["true", "false"]),
    ("date", ["1970-01-01", "1969-12-31", "2024-02-29", "0001-01-01", "9999-12-31"]),
    ("tinyint", ["-128", "127", "0"]),
    ("smallint", ["-32768", "32767"]),
    ("decimal(9,2)", ["0", "-0.01", "1234567.89", "-9999999.99"]),
    ("decimal(18,0)", ["999999999999999999", "-1"]),
    ("decimal(38,10)", ["0", "1", "-1", "1e-10", "1234567890123456789012345678.0123456789", "-0.0000000128"]),
]


@pytest.mark.parametrize(("kind", "values"), TYPED, ids=[kind for kind, _ in TYPED])
def test_the_hash_of_a_key_s_text_is_the_one_that_spark_computes_of_its_value(
    spark: SparkSession, kind: ColumnType, values: list[str]
) -> None:
    typed = spark.createDataFrame([(value,) for value in values], "value string").select(
        functions.col("value").cast(kind)
    )
    rows = typed.select(functions.col("value").cast("string").alias("text"), functions.hash("value").alias("hash"))
    found = rows.collect()
    assert hash_keys([row["text"] for row in found], [kind]).view(np.int32).tolist() == [row["hash"] for row in found]


@given(st.lists(st.text(), min_size=1, max_size=20), st.integers(1, 1000), st.integers(0, 10**6))
def test_a_salt_sends_every_key_to_the_partition_that_was_wanted(texts: list[str], partitions: int, seed: int) -> None:
    texts = [text.encode(errors="replace").decode() for text in texts]
    wanted = np.random.default_rng(seed).integers(0, partitions, len(texts))
    salts = salts_to(hash_keys(texts, ["string"]), wanted)
    salted: list[Key] = [(text, int(salt)) for text, salt in zip(texts, salts, strict=True)]
    assert partitions_of(hash_keys(salted, ["string", "int"]), partitions).tolist() == wanted.tolist()


def test_spark_works_out_the_same_salt_and_hashes_the_row_to_the_partition(spark: SparkSession) -> None:
    partitions = 7
    keys = spark.range(500).select(
        functions.col("id").cast("string").alias("key"), (functions.col("id") % 7).alias("p")
    )
    aim = functions.element_at(functions.lit(list(aims(partitions))), functions.col("p").cast("int") + 1)
    salt = salt_of(functions.hash("key").cast("bigint").bitwiseXOR(aim))
    salted = keys.withColumn("salt", salt)
    rows = salted.withColumn("to", functions.pmod(functions.hash("key", "salt"), functions.lit(partitions))).collect()
    assert [row["to"] for row in rows] == [row["p"] for row in rows]
    hashes = hash_keys([row["key"] for row in rows], ["string"])
    assert [row["salt"] for row in rows] == salts_to(hashes, np.array([row["p"] for row in rows])).tolist()


def test_a_key_with_parts_missing_is_refused() -> None:
    with pytest.raises(ConfigError, match="has 2 parts"):
        hash_keys([("a", 1), "b"], ["string", "int"])
