"""Looking keys up inside a query: the partition that a routing table gives a key, read anew for every batch.

The driver reads the table's file when a query is made and when another one is published, and puts what look-ups need
into a cell of its JVM that the query's plan refers to. So tables change with no restart, and executors read no file.

A file may be published while a batch is planned: some of its plan is then of the cell as it was, and some as it is. So
a table keeps its slot for as long as it is needed, and a new one gets that of a table whose windows are all closed.
Both cells say the same of every window that such a batch can hold: those of the new table are yet to begin.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from pyspark.sql import Column, SparkSession, functions
from pyspark.sql.types import StructType

from penstock.engines.spark.jvm.routing.driver_cell import DriverCell
from penstock.engines.spark.jvm.routing.entries import entries_of
from penstock.engines.spark.routing.aims import aims
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.shape import NEVER_US, SLOTS, TableSlot
from penstock.engines.spark.watch.key_texts import BETWEEN_PARTS

SlotTables = tuple[TableSlot | None, ...]  # the table of each slot
_SLOT_SCHEMA = "struct<partitions: int, aims: array<bigint>, size: int, entries: array<int>>"
_CELL_SCHEMA = f"begins array<bigint>, slots array<{_SLOT_SCHEMA}>"
_NUMBER_BITS = 4  # of a begin, which are the slot's number
_NUMBERS = 2**_NUMBER_BITS - 1
_FAR_US = 2**58  # beyond the year 9999, which is as far as Spark's own texts of times go


@dataclass(slots=True)
class _TablesFile:
    """A file of tables as queries of this application read it: by a cell for each operator."""

    book: str
    tables: SlotTables
    cells: Sequence[DriverCell] = ()
    made: list[tuple[TableSlot, Sequence[Any]]] = field(default_factory=list)  # tables as Spark has them, by operator


# One for a file in an application: a second one would not see what is published to the first. Another book may come to
# the same place, when a checkpoint is made anew.
_FILES: dict[tuple[str, str], _TablesFile] = {}


def table_cell(spark: SparkSession, book: RouteBook, name: str, operator: int) -> Column:
    """What look-ups of the operator of that number read of that file of the book, as a column of any query."""
    return _file(spark, book, name).cells[operator].column


def no_table() -> Column:
    """Such a cell without a table, for a query that is made to be looked at only."""
    return functions.lit(None).cast(StructType.fromDDL(_CELL_SCHEMA))


def make_ready(spark: SparkSession, book: RouteBook, version: int) -> None:
    """Have that table there before anybody waits for it: to make one of 100,000 keys takes about a second."""
    _file(spark, book, book.version_file(version))


def prepare(spark: SparkSession, book: RouteBook, name: str, version: int) -> None:
    """Make ready what takes a while, before that table is published in that file."""
    file = _file(spark, book, name)
    for slot in book.slots(book.version_file(version)):
        file.made.append((slot, _java_slots(spark, slot, len(file.cells))))


def reread(spark: SparkSession, book: RouteBook, name: str) -> None:
    """From the next batch on, queries see what the file holds now."""
    file = _file(spark, book, name)
    file.tables = kept(file.tables, book.slots(name))
    for cell, value in zip(file.cells, _java_cells(spark, file, len(file.cells)), strict=True):
        cell.put(value)


def kept(before: SlotTables, now: Sequence[TableSlot]) -> SlotTables:
    """The tables that there are now, each in the slot that it had.

    The oldest of a file is there from ever on. Where it has become so by an older one's end, it keeps its beginning.
    """
    second_us = now[1].from_us if len(now) > 1 else NEVER_US
    earlier_us = sorted(slot.from_us for slot in before if slot is not None and slot.from_us < second_us)
    oldest_us = (earlier_us or [now[0].from_us])[-1 if len(now) == SLOTS else 0]
    wanted = {slot.from_us: slot for slot in (replace(now[0], from_us=oldest_us), *now[1:])}
    places = [None if slot is None else wanted.pop(slot.from_us, None) for slot in before]
    for slot in wanted.values():
        places[places.index(None)] = slot
    return tuple(places)


def moment_of(window_start: Column) -> Column:
    """A window's start, to be compared with the begins of tables."""
    start_us = functions.unix_micros(window_start.cast("timestamp"))
    near_us = functions.least(functions.lit(_FAR_US - 1), functions.greatest(functions.lit(-_FAR_US), start_us))
    return functions.shiftleft(near_us, _NUMBER_BITS).bitwiseOR(functions.lit(_NUMBERS))


def slot_at(cell: Column, moment: Column) -> Column:
    """The number, from 1, of the slot of the table that such a window follows: the last to begin before it does.

    Few terms, for Spark plans them anew for each batch: what begins last says by its lowest bits which slot it is.
    """
    begins = [functions.element_at(cell["begins"], number) for number in range(1, SLOTS + 1)]
    last = functions.greatest(*(functions.when(begin <= moment, begin) for begin in begins))
    return last.bitwiseAND(functions.lit(_NUMBERS)).cast("int")


def text_of(keys: list[Column]) -> Column:
    """A key's text; NULL, and so unlisted, where one of its columns is."""
    first, *others = (key.cast("string") for key in keys)
    pieces = [piece for part in others for piece in (functions.lit(BETWEEN_PARTS), part)]
    return functions.concat(first, *pieces) if pieces else first  # concat copies what it is given


def _file(spark: SparkSession, book: RouteBook, name: str) -> _TablesFile:
    place = (spark.sparkContext.applicationId, f"{book.files.location}/{name}")
    file = _FILES.get(place)
    if file is None or file.book != book.id:
        file = _TablesFile(book.id, kept((None,) * SLOTS, book.slots(name)))
        kind = _catalyst(spark).types.StructType.fromDDL(_CELL_SCHEMA)
        file.cells = [DriverCell(spark, kind, value) for value in _java_cells(spark, file, len(book.operators()))]
        _FILES[place] = file
    return file


def _java_cells(spark: SparkSession, file: _TablesFile, operators: int) -> list[Any]:
    """What look-ups of each operator read. A slot without a table lists no key: no window follows it."""
    partitions = next(slot.partitions for slot in file.tables if slot is not None)
    nothing = TableSlot(NEVER_US, partitions, ({},) * operators)
    tables = [nothing if slot is None else slot for slot in file.tables]
    # Those that are needed no more are forgotten.
    file.made = [(slot, _known(file, slot) or _java_slots(spark, slot, operators)) for slot in tables]
    begins = _java_numbers(spark, _begins([slot.from_us for slot in tables]), "<i8")
    slots = [_objects(spark, [made[operator] for _, made in file.made]) for operator in range(operators)]
    array = _catalyst(spark).catalyst.util.GenericArrayData
    return [_java_row(spark, [begins, array(held)]) for held in slots]


def _begins(from_us: Sequence[int]) -> list[int]:
    """When each slot's table begins, and in the lowest bits the slot's number. The oldest is there from ever on."""
    oldest = from_us.index(min(from_us))
    near_us = [-_FAR_US if slot == oldest else max(-_FAR_US, min(_FAR_US, us)) for slot, us in enumerate(from_us)]
    return [(us << _NUMBER_BITS) + number for number, us in enumerate(near_us, 1)]


def _known(file: _TablesFile, wanted: TableSlot) -> Sequence[Any] | None:
    """That table as it was made before, for whatever windows."""
    alike = (made for slot, made in file.made if replace(slot, from_us=wanted.from_us) == wanted)
    return next(alike, None)


def _java_slots(spark: SparkSession, slot: TableSlot, operators: int) -> Sequence[Any]:
    """A table as Spark has it, for each operator. What is no partition, counted from 1, has NULL for its aim."""
    towards = _java_numbers(spark, [0, *aims(slot.partitions)], "<i8")
    towards.setNullAt(0)
    entries = [entries_of(keys) for keys in slot.operators[:operators]]
    return [_java_row(spark, [slot.partitions, towards, len(one), _java_numbers(spark, one, "<i4")]) for one in entries]


def _java_row(spark: SparkSession, values: Sequence[Any]) -> Any:
    return _catalyst(spark).catalyst.expressions.GenericInternalRow(_objects(spark, values))


def _objects(spark: SparkSession, values: Sequence[Any]) -> Any:
    context: Any = spark.sparkContext
    array = context._gateway.new_array(context._jvm.java.lang.Object, len(values))
    for number, value in enumerate(values):
        array[number] = value
    return array


def _java_numbers(spark: SparkSession, values: Sequence[int], kind: str) -> Any:
    """Spark's UnsafeArrayData: how many, a bit for each that would be NULL, the numbers, all in whole words."""
    jvm: Any = spark.sparkContext._jvm
    numbers = np.asarray(values, kind).tobytes()
    words = len(values).to_bytes(8, "little") + bytes(-(-len(values) // 64) * 8) + numbers + bytes(-len(numbers) % 8)
    array = _catalyst(spark).catalyst.expressions.UnsafeArrayData()
    array.pointTo(words, jvm.org.apache.spark.unsafe.Platform.BYTE_ARRAY_OFFSET, len(words))
    return array


def _catalyst(spark: SparkSession) -> Any:
    jvm: Any = spark.sparkContext._jvm
    return jvm.org.apache.spark.sql
