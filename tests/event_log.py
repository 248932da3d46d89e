"""An event log as Spark writes one, made up: queries whose batches take as long and cost as much as a test says."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

BEGAN_S = 1_795_000_000.0
_LISTENER = "org.apache.spark.sql.streaming.StreamingQueryListener$"

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Query:
    """Every `every_s` a batch of all rows since, which takes `took_s`; its tasks are busy for `busy_s` together."""

    name: str
    rows_per_s: float
    every_s: float
    took_s: float
    busy_s: float
    tasks: int = 4
    pool: str = "default"


def log_of(queries: Sequence[Query], seconds: float, conf: dict[str, str] | None = None, cores: int = 4) -> list[bytes]:
    """The lines of a log over so many seconds, in the order of time."""
    timed = [one for number, query in enumerate(queries) for one in _batches(query, number, seconds)]
    lines = [*_head(conf or {}, cores), *(_started(query) for query in queries)]
    lines += [line for _, line in sorted(timed, key=lambda one: one[0])]
    return [json.dumps(line).encode() + b"\n" for line in lines]


def _head(conf: dict[str, str], cores: int) -> Iterator[Line]:
    at = round(BEGAN_S * 1e3)
    yield {"Event": "SparkListenerLogStart", "Spark Version": "4.0.1"}
    executor = {"Host": "host-1", "Total Cores": cores}
    yield {"Event": "SparkListenerExecutorAdded", "Timestamp": at, "Executor ID": "driver", "Executor Info": executor}
    yield {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": conf}
    yield {"Event": "SparkListenerApplicationStart", "App Name": "shop", "App ID": "app-1", "Timestamp": at}


def _started(query: Query) -> Line:
    return {
        "Event": f"{_LISTENER}QueryStartedEvent",
        **{
            "id": f"id of {query.name}",
            "runId": f"run of {query.name}",
            "name": query.name,
            "timestamp": _text(BEGAN_S),
        },
    }


def _batches(query: Query, number: int, seconds: float) -> Iterator[tuple[float, Line]]:
    for batch in range(int(seconds / query.every_s)):
        from_s = batch * query.every_s
        to_s, stage = from_s + query.took_s, 10_000 * number + batch
        yield from_s, _job(query, batch, stage)
        yield to_s - 0.05, _stage(query, stage, from_s + 0.05, to_s - 0.05)
        yield to_s, _progress(query, batch, from_s)


def _job(query: Query, batch: int, stage: int) -> Line:
    properties = {"spark.jobGroup.id": f"run of {query.name}", "streaming.sql.batchId": str(batch)}
    return {
        "Event": "SparkListenerJobStart",
        "Job ID": stage,
        "Stage IDs": [stage],
        "Properties": {**properties, "spark.scheduler.pool": query.pool},
    }


def _stage(query: Query, stage: int, from_s: float, to_s: float) -> Line:
    did = {"executorRunTime": query.busy_s * 1e3, "executorCpuTime": query.busy_s * 1e8}
    did["input.recordsRead"] = query.rows_per_s * query.every_s
    return {
        "Event": "SparkListenerStageCompleted",
        "Stage Info": {
            "Stage ID": stage,
            "Number of Tasks": query.tasks,
            "Submission Time": round((BEGAN_S + from_s) * 1e3),
            "Completion Time": round((BEGAN_S + to_s) * 1e3),
            "RDD Info": [{"Scope": json.dumps({"id": "1", "name": "HashAggregate"})}],
            "Accumulables": [
                {"Name": f"internal.metrics.{name}", "Value": round(value)} for name, value in did.items()
            ],
        },
    }


def _progress(query: Query, batch: int, from_s: float) -> Line:
    rows, ends = round(query.rows_per_s * query.every_s), round(query.rows_per_s * query.every_s * (batch + 1))
    source = {
        "description": "KafkaV2[Subscribe[t]]",
        "startOffset": json.dumps({"t": {"0": ends - rows}}),
        "endOffset": json.dumps({"t": {"0": ends}}),
        "latestOffset": json.dumps({"t": {"0": ends}}),
        "numInputRows": rows,
    }
    progress = {
        **{"id": f"id of {query.name}", "runId": f"run of {query.name}", "name": query.name, "batchId": batch},
        "timestamp": _text(BEGAN_S + from_s),
        "batchDuration": round(query.took_s * 1e3),
        "durationMs": {"triggerExecution": round(query.took_s * 1e3), "addBatch": round(query.took_s * 900)},
        "stateOperators": [],
        "sources": [source],
    }
    return {"Event": f"{_LISTENER}QueryProgressEvent", "progress": progress}


def _text(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
