"""Cuts a graph on its main thread or on another one: `python -m tests.local.cutting_on THREAD TRIES`."""

import sys
import threading

from penstock.local import cutting
from tests.local.graphs import ring

if __name__ == "__main__":
    thread, tries = sys.argv[1], int(sys.argv[2])
    cutting.cut_aside(ring(9))
    print(cutting._cutter.pid, flush=True)
    if thread == "main":
        cutting.cut_aside(ring(20_000, tries))
    else:
        other = threading.Thread(target=cutting.cut_aside, args=(ring(20_000, tries),), daemon=True)
        other.start()
        other.join()
