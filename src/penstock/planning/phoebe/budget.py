"""Several jobs, one budget of slots: the division with the highest total utility, exactly."""

from collections.abc import Mapping, Sequence

import numpy as np


def slots_by_worth(worth: Mapping[str, Sequence[float]], budget: int) -> dict[str, int]:
    """Slots for each job; `worth[job][n - 1]` is what n slots are worth to it, and every job gets at least one.

    Dynamic programming over jobs: utility has cliffs (a job keeps up or does not), and greedy steps stop before
    them. Where all is equal fewer slots are taken. More jobs than slots: one each, as far as it goes is up to
    the limits.

    >>> slots_by_worth({"a": [0.0, 0.0, 10.0], "b": [4.0, 6.0, 7.0]}, 4)
    {'a': 3, 'b': 1}
    """
    names = sorted(worth)
    if budget <= len(names):
        return dict.fromkeys(names, 1)
    best = np.zeros(budget + 1)  # by slots used at most, over the jobs so far
    taken = []
    for place, name in enumerate(names):
        values = np.full(budget + 1, -np.inf)
        choice = np.ones(budget + 1, dtype=int)
        for slots, value in enumerate(worth[name], start=1):
            if slots > budget:
                break
            shifted = np.concatenate([np.full(slots, -np.inf), best[: budget + 1 - slots] + value])
            better = shifted > values + 1e-9
            values[better], choice[better] = shifted[better], slots
        values[: place + 1] = -np.inf
        best = values
        taken.append(choice)
    left, result = budget, {}
    for name, choice in zip(reversed(names), reversed(taken), strict=True):
        result[name] = int(choice[left])
        left -= result[name]
    return {name: result[name] for name in names}
