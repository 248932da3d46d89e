"""Stages: task time, rows and shuffle bytes of every job's stages, read from Spark's status store without its UI."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

from penstock.engines.spark.watch.stages import OpenStage, StageReading, chosen, difference, reading_of, stage_name

_ABSENT_AT_MOST = 3  # readings in which a stage may be missing from the store before it is given up


class StageReader:
    """Reads what is new since the last reading, stages that still run included."""

    def __init__(self, context: SparkContext) -> None:
        scheduler: Any = context._jsc.sc()
        jvm: Any = context._jvm
        self._store = scheduler.statusStore()
        self._scheduler = scheduler.dagScheduler()
        self._mapper = jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()
        self._array_list = jvm.java.util.ArrayList
        self._next_id: int = self._scheduler.nextStageId()
        self._open: dict[int, OpenStage] = {}

    def read(self) -> list[StageReading]:
        """The work of streaming queries since the last call."""
        until = self._scheduler.nextStageId()
        fresh = range(self._next_id, until)
        self._next_id = until
        self._open.update(chosen(fresh))
        found = {document["stageId"]: document for document in self._fetch()}
        since = [self._since_last(stage_id, found.get(stage_id)) for stage_id in list(self._open)]
        return [reading for reading in since if reading is not None]

    def name(self, stage_id: int) -> str | None:
        """What the stage does, after the operators of the physical plan inside it."""
        return stage_words(self._store, stage_id)

    def _fetch(self) -> list[dict[str, Any]]:
        found = self._array_list()
        for stage_id in self._open:
            try:
                found.add(self._store.lastStageAttempt(stage_id))
            except Py4JJavaError:
                continue  # not in the store yet, or not any more
        documents: list[dict[str, Any]] = json.loads(self._mapper.writeValueAsString(found))
        return documents

    def _since_last(self, stage_id: int, document: Mapping[str, Any] | None) -> StageReading | None:
        """What the stage did since it was last read; None when it is nothing, and the stage then stays open or goes."""
        found = self._open.pop(stage_id)
        if document is None:
            # Spark writes a stage down some time after it gave it a number; those it never runs are not written.
            if found.absent < _ABSENT_AT_MOST:
                self._open[stage_id] = replace(found, absent=found.absent + 1)
            return None
        if document["status"] == "PENDING":  # whose it is will be known when it begins
            self._open[stage_id] = found
            return None
        reading = reading_of(document)
        if reading is None:
            return None
        reading = replace(reading, counts_for=found.counts_for, cut=found.cut)
        if not reading.complete:
            self._open[stage_id] = replace(found, before=reading, absent=0)
        return reading if found.before is None else difference(reading, found.before)


def stage_words(store: Any, stage_id: int) -> str | None:
    """What the stage does, by the application's status store; None once Spark has forgotten it."""
    try:
        clusters = store.operationGraphForStage(stage_id).rootCluster().childClusters()
    except Py4JJavaError:
        return None
    return stage_name([clusters.apply(index).name() for index in range(clusters.size())])
