"""A driver whose JVM is stopped while its query is governed, and is left so when governing ends.

Run by test_frozen; prints one JSON document.
"""

import json
import os
import signal
from typing import Any

import penstock as ps
from penstock.errors import EngineError
from penstock.governing.application import start_application
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
    except EngineError as error:
        found["left"] = str(error)
    os.kill(jvm.pid, signal.SIGKILL)
    return found


if __name__ == "__main__":
    print(json.dumps(main()), flush=True)
    os._exit(0)  # PySpark would say goodbye to its JVM
