"""Which machine each thread runs on: evenly, as Storm's default scheduler does, least loaded first."""

import heapq

import numpy as np

from penstock.core.arrays import Floats


def add_threads(placed: Floats, per_machine: Floats, count: int, alive: Floats) -> None:
    """Put `count` more threads of one operator on the machines with the fewest threads, names breaking ties."""
    heap = [(float(per_machine[m]), m) for m in range(len(per_machine)) if alive[m] > 0]
    heapq.heapify(heap)
    for _ in range(count if heap else 0):
        threads, machine = heap[0]
        placed[machine] += 1
        per_machine[machine] += 1
        heapq.heapreplace(heap, (threads + 1, machine))


def remove_threads(placed: Floats, per_machine: Floats, count: int) -> None:
    """Take `count` threads of one operator from the machines with the most threads."""
    for _ in range(count):
        machine = int(np.argmax(np.where(placed > 0, per_machine, -1.0)))
        placed[machine] -= 1
        per_machine[machine] -= 1
