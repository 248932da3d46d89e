"""The shape in which routing tables are kept: one row of a file, which the driver reads for its queries.

    starts   when each slot begins, in microseconds of window start, padded with the end of time
    slots    partitions, the aim of each (see `aims`), and for each operator buckets of {key: partition}

Keys are texts, whatever the type of their columns, in the bucket of their hash: queries of earlier versions looked them
up in the file itself.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import Key
from penstock.engines.spark.routing.aims import aims
from penstock.engines.spark.routing.murmur import hash_keys, partitions_of
from penstock.engines.spark.watch.key_texts import key_named, key_text
from penstock.errors import shown
from penstock.extras import missing_told

SLOTS = 8  # tables that windows not yet closed may need at once
MOST_PARTITIONS = 2**16 - 2  # that a look-up can tell
SINCE_EVER_US, NEVER_US = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class TableSlot:
    """One table: from which window start, in how many partitions, and each operator's {key text: partition}."""

    from_us: int
    partitions: int
    operators: tuple[Mapping[str, int], ...]


def slot_of(table: RoutingTable, operators: Sequence[str]) -> TableSlot:
    """The table, from ever on."""
    keys = ({key_text(key): server for key, server in table.keys.get(name, {}).items()} for name in operators)
    return TableSlot(SINCE_EVER_US, table.servers, tuple(keys))


def table_of(slot: TableSlot, operators: Sequence[str], version: int) -> RoutingTable:
    """The slot as the table that it was; its keys are named as those of pairs are."""
    keys: dict[str, Mapping[Key, int]] = {
        name: {key_named(text): server for text, server in found.items()}
        for name, found in zip(operators, slot.operators, strict=True)
    }
    return RoutingTable(slot.partitions, keys, version=version)


def packed(slots: Sequence[TableSlot]) -> bytes:
    """The row, as the file that queries read."""
    starts = [slot.from_us for slot in slots] + [NEVER_US] * (SLOTS - len(slots))
    row = {"starts": starts, "slots": [_packed(slot) for slot in slots]}
    with missing_told():
        import pyarrow as pa
        import pyarrow.parquet as parquet
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist([row], schema=_schema()), file)
    return file.getvalue()


def unpacked(file: bytes) -> tuple[TableSlot, ...]:
    """The slots of a row that was packed; a ValueError, or one of Parquet's, where the file holds something else."""
    with missing_told():
        import pyarrow.parquet as parquet
    # Not `read_table`, which sets up a data set and threads for one row, and takes three times as long.
    row: dict[str, Any] = parquet.ParquetFile(io.BytesIO(file)).read(use_threads=False).to_pylist()[0]
    starts, slots = row["starts"], row["slots"]
    begins = starts[: len(slots)]
    if not 1 <= len(slots) <= min(SLOTS, len(starts)) or None in begins:
        raise ValueError(f"{len(slots)} tables that begin at {shown(begins)}")
    return tuple(map(_unpacked, begins, slots))


@cache
def _schema() -> Any:
    import pyarrow as pa

    slot = pa.struct(
        {
            "partitions": pa.int32(),
            "aims": pa.list_(pa.int64()),
            "operators": pa.list_(pa.list_(pa.map_(pa.string(), pa.int32()))),
        }
    )
    return pa.schema({"starts": pa.list_(pa.int64()), "slots": pa.list_(slot)})


def _packed(slot: TableSlot) -> dict[str, Any]:
    operators = [_buckets(keys) for keys in slot.operators]
    return {"partitions": slot.partitions, "aims": aims(slot.partitions), "operators": operators}


def _buckets(keys: Mapping[str, int]) -> list[list[tuple[str, int]]]:
    buckets: list[list[tuple[str, int]]] = [[] for _ in range(max(1, len(keys)))]
    texts = list(keys)
    for text, bucket in zip(texts, partitions_of(hash_keys(texts, ["string"]), len(buckets)), strict=True):
        buckets[bucket].append((text, keys[text]))
    return buckets


def _unpacked(start: int, slot: Mapping[str, Any]) -> TableSlot:
    operators = tuple(
        {text: partition for bucket in buckets for text, partition in bucket} for buckets in slot["operators"]
    )
    partitions = slot["partitions"]
    if not 1 <= partitions <= MOST_PARTITIONS:
        raise ValueError(f"a table of {partitions} partitions")
    if not all(0 <= partition < partitions for keys in operators for partition in keys.values()):
        raise ValueError(f"keys beyond the {partitions} partitions")
    return TableSlot(start, partitions, operators)
