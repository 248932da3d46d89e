"""The first records of a workload, as its tests want them."""

import numpy as np

from penstock.workloads.records import make_records


def first_records(kind: str, count: int, start_ms: int = 0, step_ms: float = 10.0, seed: int = 1) -> list[str]:
    """So many records from number 0 on, one every `step_ms`."""
    index = np.arange(count, dtype=np.int64)
    return make_records(kind, index, start_ms + (index * step_ms).astype(np.int64), seed)
