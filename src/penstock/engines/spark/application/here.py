"""The machine that the driver runs on: its cores, its load and its memory, as the kernel tells.

In a container with a limit of memory, that is what runs out first.
"""

import os
from pathlib import Path

from penstock.engines.spark.watch.machines import Here
from penstock.local.allowance import memories


def this_machine(root: Path = Path("/")) -> Here:
    """As it stands now; `root` is where its kernel tells."""
    share = max((memory.share for memory in memories(root)), default=None)
    return Here(os.cpu_count() or 1, os.getloadavg()[0], share)
