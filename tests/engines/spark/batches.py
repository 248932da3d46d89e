"""A sink that holds each batch until it is let go, so that a test says between which batches something happens."""

from threading import Semaphore

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tests.patience import patience_s


class Gate:
    """Counts the rows of every batch, by its number, and keeps it from its commit."""

    def __init__(self) -> None:
        self.rows: dict[int, int] = {}
        self._fails = False
        self._arrived, self._go = Semaphore(0), Semaphore(0)

    def held(self, writer: DataStreamWriter, checkpoint: str) -> StreamingQuery:
        """The query, started, with its first batch in hand."""
        query = self.start(writer, checkpoint)
        self.wait()
        return query

    def start(self, writer: DataStreamWriter, checkpoint: str) -> StreamingQuery:
        return self.on(writer, checkpoint).start()

    def on(self, writer: DataStreamWriter, checkpoint: str) -> DataStreamWriter:
        """The writer of a query whose batches come to the gate."""
        return writer.foreachBatch(self._take).option("checkpointLocation", checkpoint)

    def wait(self) -> int:
        """The rows of the batch that comes to the gate."""
        assert self._arrived.acquire(timeout=patience_s())
        return self.rows[self.batch]

    def next(self) -> int:
        """Let go of the batch in hand; the rows of the one that comes after it."""
        self._go.release()
        return self.wait()

    def let_go(self) -> None:
        """Hold nothing from here on."""
        self._go.release(1_000_000)

    def fail(self, query: StreamingQuery) -> None:
        """The batch in hand comes to nothing, and the query with it."""
        self._fails = True
        self._go.release()
        with pytest.raises(StreamingQueryException, match="as the test wants"):
            query.awaitTermination(int(patience_s()))

    @property
    def batch(self) -> int:
        """The number of the newest batch."""
        return max(self.rows)

    def _take(self, batch: DataFrame, batch_id: int) -> None:
        self.rows[batch_id] = batch.count()
        self._arrived.release()
        assert self._go.acquire(timeout=patience_s())
        if self._fails:
            raise RuntimeError("the batch fails, as the test wants")
