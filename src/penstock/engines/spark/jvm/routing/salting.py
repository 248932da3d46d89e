"""A row's salt: by one call of our own class where this Spark takes it, else by terms that give the same number."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, functions

from penstock.engines.spark.jvm.routing.entries import found_at, hashes_of
from penstock.engines.spark.jvm.routing.lookup import moment_of, slot_at, text_of
from penstock.engines.spark.jvm.routing.salt_call import SaltCall, salt_call
from penstock.engines.spark.routing.salts import salt_of

_HASH, _OTHER_HASH = "__penstock_hash", "__penstock_other_hash"
_MOMENT, _SLOT, _WORDS = "__penstock_moment", "__penstock_slot", "__penstock_words"
_BEFORE_ALL_US = -(2**62)  # the oldest table begins later than that by its number, and is that of no time at all


@dataclass(frozen=True, slots=True)
class Salting:
    """What a salt is made of: the columns that Spark hashes, `keys` among them, and the table's cell."""

    name: str
    columns: tuple[Column, ...]
    keys: tuple[Column, ...]
    cell: Column  # of the operator
    window_start: Column | None


def with_salt(rows: DataFrame, salting: Salting) -> DataFrame:
    """The rows with the salt that sends their columns where the table wants their keys."""
    call = salt_call(rows.sparkSession)
    return by_terms(rows, salting) if call is None else by_call(call, rows, salting)


def by_call(call: SaltCall, rows: DataFrame, salting: Salting) -> DataFrame:
    """As one expression, which names each column once."""
    start = salting.window_start
    text, hashed = text_of(list(salting.keys)), functions.hash(*salting.columns)
    salt = call.of(salting.cell, *(() if start is None else (_micros(start),)), text, hashed)
    return rows.withColumn(salting.name, salt)


def by_terms(rows: DataFrame, salting: Salting) -> DataFrame:
    """The same for whatever Spark.

    In columns, one made of the other, where something is named more than once: written as one expression, each part of
    it would be worked out many times a row. Else in few steps, for Spark plans them anew for each batch.
    """
    cell, start = salting.cell, salting.window_start
    text = text_of(list(salting.keys))
    first, second = hashes_of(text)
    hashed = {_HASH: functions.hash(*salting.columns), _OTHER_HASH: second}
    if start is None:
        slotted, number = rows.withColumns(hashed), functions.lit(1)
    else:
        timed = rows.withColumns({**hashed, _MOMENT: moment_of(start)})
        slotted, number = timed.withColumn(_SLOT, slot_at(cell, functions.col(_MOMENT))), functions.col(_SLOT)
    slot = functions.element_at(cell["slots"], number)
    found = found_at(slot["entries"], slot["size"], first, functions.col(_OTHER_HASH))
    listed = functions.when(text.isNotNull(), functions.coalesce(*(functions.get(slot["aims"], one) for one in found)))
    unlisted = functions.get(slot["aims"], functions.pmod(_HASH, slot["partitions"]) + 1)
    words = functions.coalesce(listed, unlisted).bitwiseXOR(functions.col(_HASH).cast("bigint"))
    salted = slotted.withColumn(_WORDS, words).withColumn(salting.name, salt_of(functions.col(_WORDS)))
    return salted.drop(_HASH, _OTHER_HASH, _MOMENT, _SLOT, _WORDS)


def _micros(start: Column) -> Column:
    """A number even where there is no time: Java's own numbers know no NULL."""
    return functions.coalesce(functions.unix_micros(start.cast("timestamp")), functions.lit(_BEFORE_ALL_US))
