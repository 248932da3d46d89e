"""The process that asks the simulator: at a low priority, one after the other, a line in and a line out.

It ends when nobody has asked for a while, or when whoever started it is gone. See `aside`, which starts it.
"""

import importlib
import json
import os
import resource
import select
import signal
import sys
import traceback
from contextlib import closing
from typing import Any, BinaryIO

IDLE_S = 300.0
MOST_BYTES = 2**31  # an hour of 10,000 tenants is not worth the memory of the driver beside it
NICE = 10  # a tenth of a core beside others that want all of it; at 19 people would wait six times as long


def main() -> None:
    """Answer what comes on standard input."""
    os.nice(NICE)
    _bound_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the server, which then ends us
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints is no answer
    importlib.import_module("penstock.web.what_if")  # while nobody waits for it
    while True:
        line = _next_line(sys.stdin.buffer)
        if not line:
            return
        out.write(json.dumps(_answered(json.loads(line))).encode() + b"\n")


def _bound_memory() -> None:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = MOST_BYTES if hard == resource.RLIM_INFINITY else min(MOST_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _next_line(lines: BinaryIO) -> bytes:
    """Empty when there is none in time; each question is answered before the next one is written."""
    ready, _, _ = select.select([lines], [], [], IDLE_S)
    return lines.readline() if ready else b""


def _answered(question: dict[str, Any]) -> dict[str, Any]:
    from penstock.errors import ConfigError, PenstockError
    from penstock.store.archive import StoreError

    try:
        return {"answer": _answer(question)}
    except ConfigError as error:
        return {"config": [error.field, str(error.value), error.remedy]}
    except StoreError as error:
        return {"store": str(error)}
    except PenstockError as error:
        return {"mend": str(error)}
    except MemoryError:
        return {"mend": f"the answer takes more memory than {MOST_BYTES >> 30} GiB; ask for fewer minutes"}
    except Exception:
        return {"fault": traceback.format_exc()}


def _answer(question: dict[str, Any]) -> str:
    from pydantic import TypeAdapter

    from penstock.store.gallery import Gallery
    from penstock.store.open import open_store
    from penstock.web import counterfactuals, remedying, shapes_simulated, what_if

    known: dict[str, tuple[Any, Any, Any]] = {
        what_if.WhatIfIn.kind: (what_if.WhatIfIn, what_if.answer, shapes_simulated.WhatIfOut),
        remedying.RemediesIn.kind: (remedying.RemediesIn, remedying.answer, shapes_simulated.RemediesOut),
        counterfactuals.WithoutIn.kind: (
            counterfactuals.WithoutIn,
            counterfactuals.answer,
            tuple[shapes_simulated.WithoutOut, ...],
        ),
    }
    asks, answers, shape = known[question["kind"]]
    with closing(open_store(question["store"], create=False)) as store:
        asked = asks.model_validate_json(question["asked"])
        found = answers(Gallery(store.database, question["run"]), asked, question["within_s"])
    return TypeAdapter(shape).dump_json(found).decode()


if __name__ == "__main__":
    main()
