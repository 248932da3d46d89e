"""A pool of slots that jobs share by weight, as Spark's FAIR pools do: how many slots each of them could use."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class WeightedPool:
    """What each job weighs and the slots that it needs, in the order in which they come to have enough.

    >>> pool = WeightedPool.of({"a": 2, "b": 1, "c": 1}, {"a": 9.0, "b": 1.0, "c": 9.0}, slots=8)
    >>> pool.could_use("a"), pool.could_use("b"), pool.could_use("c", weight=2)
    (4.666666666666667, 2.0, 3.5)
    """

    slots: int
    weights: Mapping[str, int]
    needs: Mapping[str, float]
    ranks: Mapping[str, int]
    per_weight: tuple[float, ...]  # what each needs, by rank
    needed: tuple[float, ...]  # by the first so many
    weighed: tuple[float, ...]

    @classmethod
    def of(cls, weights: Mapping[str, int], needs: Mapping[str, float], slots: int) -> "WeightedPool":
        """The pool of jobs that have these weights and need these slots."""
        order = sorted(weights, key=lambda name: (needs[name] / weights[name], name))
        return cls(
            slots,
            weights,
            needs,
            {name: rank for rank, name in enumerate(order)},
            tuple(needs[name] / weights[name] for name in order),
            (0.0, *accumulate(needs[name] for name in order)),
            (0.0, *accumulate(weights[name] for name in order)),
        )

    def could_use(self, name: str, weight: int | None = None) -> float:
        """The slots that it could use at most: what others leave of theirs is shared by the rest, it among them."""
        own = self.weights[name] if weight is None else weight

        def per_weight(satisfied: int) -> float:
            """Slots for each weight when the first so many of the others have all that they need."""
            among_them = self.ranks[name] < satisfied
            left = self.slots - self.needed[satisfied] + (self.needs[name] if among_them else 0.0)
            others = self.weighed[-1] - self.weighed[satisfied] - (0 if among_them else self.weights[name])
            return left / (others + own)

        count = len(self.per_weight)
        satisfied = bisect_left(range(count), True, key=lambda first: self.per_weight[first] >= per_weight(first))
        return own * per_weight(satisfied)

    def busy(self, name: str, weight: int | None = None) -> float:
        """What it needs as a share of what it could use; above 1 it falls behind."""
        return self.needs[name] / self.could_use(name, weight)
