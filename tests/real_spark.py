"""One real Spark for all tests of the Spark engine."""

import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.starting import called
from penstock.engines.spark.jvm import batch_limits, kafka_sources, starts
from penstock.engines.spark.jvm.checkpoint_writer import CHANGELOG, write_plainly
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.launch import driver
from penstock.engines.spark.levers.restarting import Restarting
from penstock.engines.spark.settings import SparkSettings
from penstock.local.kafka.jars import JarSet, jars, locked
from tests.patience import patience_s

T = TypeVar("T")
OpenEngine = Callable[..., SparkEngine]

LOGGING = Path(__file__).with_name("log4j2.properties")
WORKLOADS = Path(__file__).parents[1] / "workloads"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    with application(tmp_path_factory.mktemp("spark"), {"spark.jars": _connector()}) as session:
        yield session


@contextmanager
def application(work: Path, settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """A Spark in this process, set as the tests want it, and with these settings."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Spark's Python workers import the jobs beside tenants files, as `penstock run` lets them.
    paths = [str(WORKLOADS), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    session = driver.session(
        {
            "spark.master": "local[4]",
            "spark.scheduler.mode": "FAIR",
            "spark.scheduler.pipelinedGroup.slotCheck.enabled": "false",
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": (
                f"-Dlog4j2.configurationFile=file:{LOGGING} -Dtests.log={work}/driver.log"
            ),
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            # Who waits for word of a query that has nothing to do has it soon, not after Spark's ten seconds.
            "spark.sql.streaming.noDataProgressEventInterval": "500ms",
            "spark.sql.warehouse.dir": str(work / "warehouse"),
            "spark.sql.streaming.stateStore.providerClass": (
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
            ),
            CHANGELOG: "true",
            **settings,
        }
    )
    write_plainly(session)
    with pytest.MonkeyPatch.context() as patched:
        # Bounds that protect a round from a tenant who hangs: a machine that stands still for a while is none.
        patched.setattr(starts, "called", _called)
        patient_restarts(patched)
        patched.setattr(batch_limits, "_SOURCES_WITHIN_S", patience_s())
        patched.setattr(kafka_sources, "_ASKED_FOR_S", patience_s())
        yield session
    session.stop()


def patient_restarts(patched: pytest.MonkeyPatch) -> None:
    """A round waits for its restarts as long as this machine needs; not on a fake's clock, where nothing is slow."""
    as_ever = Restarting.in_a_round

    def in_a_round(restarting: Restarting) -> None:
        as_ever(restarting)
        if restarting._clocks.even is time.monotonic:
            restarting._waits_until_s = time.monotonic() + patience_s()

    patched.setattr(Restarting, "in_a_round", in_a_round)


def _called(who: str, function: Callable[[], T], within_s: float, late: Callable[[T], None]) -> T:
    return called(who, function, max(within_s, patience_s()), late)


def _connector() -> str:
    """Kafka's, which needs the Spark that it is of: an older one would stumble over it at every source."""
    too_old = _release(version("pyspark")) < _release(locked(JarSet.CONNECTOR)[0].version)
    return "" if too_old else ",".join(str(jar) for jar in jars(JarSet.CONNECTOR))


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


@pytest.fixture
def name() -> str:
    """A name that no other test's query or pool has."""
    return f"job_{uuid.uuid4().hex[:8]}"


@pytest.fixture
def engine(spark: SparkSession) -> Iterator[OpenEngine]:
    """Opens engines and closes them, with their queries, at the end."""
    opened: list[SparkEngine] = []

    def open_engine(*jobs: Job, settings: SparkSettings | None = None) -> SparkEngine:
        made = SparkEngine(LiveSpark(spark), jobs, settings or SparkSettings(window_s=20.0))
        made.open()
        opened.append(made)
        made.start(wait=True)
        return made

    yield open_engine
    for made in opened:
        made.close(stop_jobs=True)
    for query in spark.streams.active:
        query.stop()


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    return str(tmp_path / "checkpoint")
