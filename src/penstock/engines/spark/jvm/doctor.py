"""`penstock doctor`: what this Spark can do for governing, how it is set, and what to change. Nothing is governed."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.checkpoint_writer import CHANGELOG, PLAIN_WRITER, WRITER_CONF
from penstock.engines.spark.jvm.class_homes import home_of
from penstock.engines.spark.jvm.executors import DECOMMISSION
from penstock.engines.spark.jvm.features import FAIR_LINE, Feature, check_kind, features, scheduler_mode
from penstock.errors import first_line

FAILURES = "spark.executor.maxNumFailures"
MOST_FAILURES = 1000  # of executors, on Kubernetes: refused pods come in bursts
LEAVING = {  # with which an executor that is let go of sends what it holds to others first
    DECOMMISSION: "true",
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.replicationReattemptInterval": "1s",  # 30 s by default, however little there is
}
_STORE = "spark.sql.streaming.stateStore.providerClass"
_ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


@dataclass(frozen=True, slots=True)
class SessionSetting:
    """One value of the session's configuration. `change` says what would be better and what for; None: nothing."""

    name: str
    value: str
    change: str | None = None
    fatal: bool = False  # nothing can be governed until it is changed


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All of it. `governable` is whether `ps.govern` would work in such a session."""

    spark: str
    scala: str
    java: str
    master: str
    features: tuple[Feature, ...]
    settings: tuple[SessionSetting, ...]

    @property
    def governable(self) -> bool:
        """Whether all is there that governing needs."""
        missing = any(feature.needed and not feature.here for feature in self.features)
        return not missing and not any(setting.fatal for setting in self.settings)

    @property
    def to_change(self) -> tuple[str, ...]:
        """What to change, in lines; what stops governing comes first."""
        worst = sorted((setting for setting in self.settings if setting.change), key=lambda one: not one.fatal)
        return tuple(str(setting.change) for setting in worst)


def doctor(spark: SparkSession) -> Diagnosis:
    """What this session's Spark can do for governing, how the session is set, and what to change.

    ps.doctor(spark).to_change
    """
    check_kind(spark)
    context: Any = spark.sparkContext
    system = context._jvm.java.lang.System
    return Diagnosis(
        spark=str(spark.version),
        scala=str(context._jvm.scala.util.Properties.versionNumberString()),
        java=str(system.getProperty("java.version")),
        master=str(context.master),
        features=features(spark),
        settings=(
            *settings_of(
                str(context.master),
                scheduler_mode(context),
                {name: spark.conf.get(name, None) for name in _READ},
                home_of(context._jvm, PLAIN_WRITER),
            ),
            library("pyarrow"),
        ),
    )


_READ = (
    "spark.locality.wait",
    "spark.dynamicAllocation.enabled",
    "spark.task.cpus",
    DECOMMISSION,
    FAILURES,
    _STORE,
    CHANGELOG,
    WRITER_CONF,
)


def settings_of(
    master: str, mode: str, conf: dict[str, str | None], plain: str = PLAIN_WRITER
) -> tuple[SessionSetting, ...]:
    """What is set, each with what to change. `plain` is the full name of who writes checkpoints plainly.

    >>> settings_of("local[4]", "FIFO", {})[0].fatal
    True
    """
    given = (_mode(mode), _master(master), _locality(conf), _allocation(master, conf))
    return (*given, *settings_of_cluster(master, conf), _state(conf), *_changelog(conf), *_written(master, conf, plain))


def settings_of_cluster(master: str, conf: Mapping[str, str | None]) -> tuple[SessionSetting, ...]:
    """Those by which executors leave cleanly, and an application outlives pods that a quota refuses.

    >>> [setting.name for setting in settings_of_cluster("k8s://https://api:6443", {}) if setting.change]
    ['spark.decommission.enabled', 'spark.executor.maxNumFailures']
    """
    failures = (_failures(conf),) if master.startswith("k8s://") else ()
    return () if master.startswith("local") else (_leaving(conf), *failures)


def library(name: str) -> SessionSetting:
    """Its version, or why it cannot be imported: one that is there may want another NumPy than Spark does.

    >>> library("no_such_library").value
    'none'
    """
    try:
        return SessionSetting(name, str(import_module(name).__version__))
    except ModuleNotFoundError:
        remedy = f"pandas functions and key routing need {name}: pip install 'penstock[routing]'"
        return SessionSetting(name, "none", remedy)
    except ImportError as error:
        remedy = "Spark 3.5 needs NumPy 1; for that: pip install 'pyarrow<26'"
        return SessionSetting(name, "broken", f"{name} cannot be imported ({first_line(error)}); {remedy}")


def _mode(mode: str) -> SessionSetting:
    change = f"shares have no effect under {mode}: add {FAIR_LINE} where you build the session, before its first query"
    wrong = mode != "FAIR"
    return SessionSetting("spark.scheduler.mode", mode, change if wrong else None, fatal=wrong)


def _master(master: str) -> SessionSetting:
    wrong = master in ("local", "local[1]")
    change = f"{master} has only one slot, which cannot be shared: use local[n] or a cluster"
    return SessionSetting("spark.master", master, change if wrong else None)


def _locality(conf: dict[str, str | None]) -> SessionSetting:
    value = conf.get("spark.locality.wait") or "3s"
    change = (
        "tasks wait for a slot near their data: set spark.locality.wait=0, unless you route keys (then keep seconds)"
    )
    return SessionSetting("spark.locality.wait", value, None if value.strip("ms") in ("0",) else change)


def _allocation(master: str, conf: dict[str, str | None]) -> SessionSetting:
    value = conf.get("spark.dynamicAllocation.enabled") or "false"
    wrong = value == "true" and not master.startswith("local")
    change = "dynamic allocation and `executors` in a tenants file would both change executors: use only one of them"
    return SessionSetting("spark.dynamicAllocation.enabled", value, change if wrong else None)


def _leaving(conf: Mapping[str, str | None]) -> SessionSetting:
    value = conf.get(DECOMMISSION) or "false"
    listed = " ".join(f"{name}={wanted}" for name, wanted in LEAVING.items())
    change = f"executors given back end at once, and their cached blocks are lost; to move these first, set {listed}"
    return SessionSetting(DECOMMISSION, value, None if value == "true" else change)


def _failures(conf: Mapping[str, str | None]) -> SessionSetting:
    value = conf.get(FAILURES) or "default (twice the executors)"
    enough = value.isdecimal() and int(value) >= MOST_FAILURES
    change = (
        f"pods refused by a quota count as failures, and too many end the application: set {FAILURES}={MOST_FAILURES}"
    )
    return SessionSetting(FAILURES, value, None if enough else change)


def _state(conf: dict[str, str | None]) -> SessionSetting:
    value = conf.get(_STORE) or "default (in the heap)"
    change = f"with state in the heap, partitions and key placement cannot change: set {_STORE}={_ROCKS}"
    return SessionSetting(_STORE, value.rpartition(".")[2], None if "RocksDB" in value else change)


def _changelog(conf: Mapping[str, str | None]) -> tuple[SessionSetting, ...]:
    if "RocksDB" not in (conf.get(_STORE) or ""):
        return ()
    value = conf.get(CHANGELOG) or "false"
    change = f"each batch writes a snapshot of its state, where what changed is enough: set {CHANGELOG}=true"
    return (SessionSetting(CHANGELOG, value, None if value == "true" else change),)


def _written(master: str, conf: Mapping[str, str | None], plain: str) -> tuple[SessionSetting, ...]:
    if not master.startswith("local"):
        return ()  # on a cluster checkpoints are hardly on local disks
    value = conf.get(WRITER_CONF) or "default"
    change = (
        "each batch starts tens of processes (readlink) where its checkpoint is on a local disk: if all are, set "
        f"{WRITER_CONF}={plain}"
    )
    return (SessionSetting(WRITER_CONF, value.rpartition(".")[2], change if value == "default" else None),)
