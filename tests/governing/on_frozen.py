"""A driver whose JVM is stopped while its query is governed, goes on, is stopped again as governing ends, and killed.

Run by test_frozen; prints one JSON document.
"""

import json
import os
import signal
from typing import Any

import penstock as ps
from penstock.engines.spark.launch.application import start_application
from penstock.errors import EngineError
from penstock.governing.controller import Controller
from penstock.store.memory import MemoryStore
from tests.engines.spark.helpers import quick
from tests.patience import eventually


def main() -> dict[str, Any]:
    spark = start_application("frozen", "local[2]", {})
    jvm, store = spark.sparkContext._gateway.proc, MemoryStore()  # type: ignore[union-attr]
    run_id = spark.sparkContext.applicationId
    found: dict[str, Any] = {}
    try:
        with ps.govern(spark, {"quick": ps.Intent(ps.Juice(0.5))}, store=store, interval=0.5) as g:
            quick(spark).queryName("quick").start()
            eventually(lambda: len(g.views) > 2)
            os.kill(jvm.pid, signal.SIGSTOP)
            found["told"] = eventually(lambda: [note.text for note in store.read_run(run_id).errors if note.text])
            os.kill(jvm.pid, signal.SIGCONT)
            eventually(lambda: store.read_run(run_id).errors[-1].text == "")
            os.kill(jvm.pid, signal.SIGSTOP)
            eventually(lambda: store.read_run(run_id).errors[-1].text != "")
    except EngineError as error:
        found["left"] = str(error)
    os.kill(jvm.pid, signal.SIGKILL)
    found["gone"] = eventually(lambda: why_not(g) if "ended" in why_not(g) else "")
    return found


def why_not(g: Controller) -> str:
    """What keeps it from telling how things stand."""
    try:
        g.snapshot()
    except EngineError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    print(json.dumps(main()), flush=True)
    os._exit(0)  # PySpark would say goodbye to its JVM
