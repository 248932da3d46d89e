"""The executors' memory: what the jobs hold of it together, and the time that garbage collection takes for want of it.

    collecting
       90 % |                        ______
            |                      /
            |                    /
            |                  /            20 % of the time when all memory is held, half of it at 115 %
          0 |________________/
            0               90 %          135 %   of the memory is held

A collector that stops the tasks leaves them the rest of the time, so CPU work takes 1 / (1 - collecting) times as
long. The line is ours: collectors differ, and all of them get steep where little is free. Nothing fails here for want
of memory: what does not fit only takes longer, as where it is spilled.
"""

HELD_WITHOUT_HARM = 0.9  # of the memory
_RISE = 2.0  # of the time, for each share of the memory that is held beyond
_AT_MOST = 0.9  # of the time: something always gets done


def held_share(held_mib: float, memory_mib: float) -> float | None:
    """How much of the memory is held; None where nobody said what jobs hold, or there is no memory.

    >>> held_share(1900, 2000), held_share(0, 2000)
    (0.95, None)
    """
    return held_mib / memory_mib if held_mib > 0 and memory_mib > 0 else None


def collecting_share(held: float | None) -> float:
    """Of the time, what garbage collection takes.

    >>> [round(collecting_share(held), 2) for held in (None, 0.9, 0.95, 1.0, 2.0)]
    [0.0, 0.0, 0.1, 0.2, 0.9]
    """
    return 0.0 if held is None else min(_AT_MOST, _RISE * max(0.0, held - HELD_WITHOUT_HARM))
