"""A job that behaves by a law of its own, as evidence."""

from penstock.core.seen.evidence import Observation

SIZES = (2, 5, 8, 11, 14, 17, 20, 23)


def true_capacity(scaleout: int) -> float:
    """18,000 rows/s for the first executor, ever less for each more."""
    return 18_000.0 * scaleout / (1 + 0.008 * (scaleout - 1))


def true_latency(scaleout: int, rate: float) -> float:
    """A second, a little more with load, and a backlog's age beyond capacity."""
    used = rate / true_capacity(scaleout)
    return 1.0 + 0.2 * used if used < 1 else 30.0 * used


def profile(sizes: tuple[int, ...] = SIZES) -> tuple[Observation, ...]:
    """Rising rates up to the first invalid latency of each size, and its capacity."""
    found = []
    for size in sizes:
        rate = 20_000.0
        while rate < true_capacity(size) + 20_000.0:
            found.append(Observation(size, rate, true_latency(size, rate)))
            rate += 20_000.0
        found.append(Observation(size, true_capacity(size), None, saturated=True))
    return tuple(found)
