"""What a failure is planned to cost: the worst kind that can come, by what was seen of it or else guessed."""

import math
from collections.abc import Iterable, Sequence

from penstock.core.seen.failures import Failure, FailureKind
from penstock.planning.phoebe.settings import PhoebeSettings

WITHIN = 0.9  # of the failures of a kind cost no more than is planned for


# What these take is the start of a JVM on this cluster, whatever job is in it; a query's is its own state's, too.
_ALIKE = (FailureKind.EXECUTOR, FailureKind.DRIVER)


def plausible(
    seen: Sequence[Failure], settings: PhoebeSettings, of_others: Sequence[Failure] = ()
) -> tuple[tuple[Failure, ...], ...]:
    """The failures to plan with, kind by kind: those seen, or the guess for a kind that has not been seen yet.

    That a query was back after 3 s says nothing about a driver. Of a kind that this job has not had yet, executors
    and drivers of the cluster's other jobs tell more than a guess. Failures whose kind nobody told stand beside the
    guesses and replace none of them.
    """
    most_s = settings.downtime_s  # who loses less is guessed to be down for no longer
    guesses = (
        Failure(FailureKind.EXECUTOR, min(settings.executor_downtime_s, most_s)),
        Failure(FailureKind.QUERY, min(settings.query_downtime_s, most_s)),
        Failure(FailureKind.DRIVER, most_s, settings.detect_s, settings.unsaved_s),
    )
    alike = [failure for failure in of_others if failure.kind in _ALIKE]
    kinds = [_of(guess.kind, seen) or _of(guess.kind, alike) or (guess,) for guess in guesses]
    untold = _of(None, seen)
    return (*kinds, untold) if untold else tuple(kinds)


def guessed(seen: Sequence[Failure], of_others: Sequence[Failure] = ()) -> frozenset[FailureKind]:
    """The kinds of which `plausible` has nothing but a guess."""
    known = {failure.kind for failure in seen} | {failure.kind for failure in of_others if failure.kind in _ALIKE}
    return frozenset(FailureKind) - known


def worst(kinds: Iterable[Sequence[Failure]], use: float, scaleout: int = 1) -> Failure:
    """The failure to plan with where arrivals take such a share of the capacity.

    Of each kind the one that is not exceeded by more than a tenth of its like, and of those the dearest. With fewer
    than 19 of a kind that is the longest: with the mean, every other recovery planned to the second would be late.
    """
    bounds = (_ranked(failures, use, scaleout)[_rank(len(failures)) - 1] for failures in kinds)
    return max(bounds, key=lambda failure: failure.recovery_s(use, scaleout))


def usual(failures: Sequence[Failure], use: float, scaleout: int = 1) -> Failure:
    """The one in the middle; of two the dearer."""
    return _ranked(failures, use, scaleout)[len(failures) // 2]


def _of(kind: FailureKind | None, seen: Sequence[Failure]) -> tuple[Failure, ...]:
    return tuple(failure for failure in seen if failure.kind is kind)


def _ranked(failures: Sequence[Failure], use: float, scaleout: int) -> list[Failure]:
    return sorted(failures, key=lambda failure: failure.recovery_s(use, scaleout))


def _rank(count: int) -> int:
    """The next failure exceeds the r-th smallest of n with the probability 1 - r / (n + 1), if all are alike."""
    return min(count, math.ceil(WITHIN * (count + 1)))
