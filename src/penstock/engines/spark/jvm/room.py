"""Room on a standalone cluster: how many more executors would fit, as its master says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from py4j.protocol import Py4JError
from pyspark import SparkContext

from penstock.engines.spark.jvm.private_fields import value_of
from penstock.errors import EngineError

_MESSAGES = "org.apache.spark.deploy.DeployMessages"


@dataclass(frozen=True, slots=True)
class WorkerRoom:
    """What one worker has free, and of how much memory in all."""

    cores: int
    memory_mib: int
    of_mib: int = 0


def free_on(workers: Sequence[WorkerRoom], cores: int, memory_mib: int) -> int:
    """How many executors of that size fit.

    >>> free_on([WorkerRoom(4, 2048), WorkerRoom(4, 900)], 1, 512)
    5
    """
    return sum(min(worker.cores // cores, worker.memory_mib // memory_mib) for worker in workers)


def workers_of(context: SparkContext, master: str) -> tuple[WorkerRoom, ...]:
    """What the living workers of that master have free; any application can ask, a local one too."""
    jvm: Any = context._jvm
    place = urlsplit(f"//{master.removeprefix('spark://').split(',')[0]}")
    load = jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass
    try:
        endpoint = _rpc(context).setupEndpointRef(
            jvm.org.apache.spark.rpc.RpcAddress(place.hostname, place.port), "Master"
        )
        request = load(f"{_MESSAGES}$RequestMasterState$").getField("MODULE$").get(None)
        tags = load("scala.reflect.ClassTag$").getField("MODULE$").get(None)
        workers = endpoint.askSync(request, tags.apply(load(f"{_MESSAGES}$MasterStateResponse"))).workers()
        return tuple(WorkerRoom(w.coresFree(), w.memoryFree(), w.memory()) for w in workers if w.isAlive())
    except Py4JError as error:
        why = str(error).replace("\n", " ")[:400]
        raise EngineError(f"the master at {master} does not say what is free: {why}") from None


def _rpc(context: SparkContext) -> Any:
    """The application's own way to talk to a master.

    `SparkEnv` has it too, but names a class that the package does not ship, at which py4j's reflection gives up.
    """
    scheduler: Any = context._jsc.sc()
    return value_of(value_of(scheduler, "_heartbeatReceiver"), "nettyEnv")
