"""Find how long the season of a series is, from its autocorrelation."""

import numpy as np

from penstock.core.arrays import Floats

SHORTEST = 4  # steps: anything shorter is noise that alternates
AT_LEAST = 0.4  # autocorrelation at the season; white noise of 100 values stays below 0.3


def season_of(values: Floats) -> int | None:
    """The season in steps, or None: seen at least twice, and clear.

    >>> season_of(np.sin(2 * np.pi * np.arange(200) / 24))
    24
    >>> season_of(np.arange(200.0)) is None
    True
    """
    n = len(values)
    longest = n // 2
    if longest < SHORTEST:
        return None
    at = np.arange(n) - (n - 1) / 2
    trend = at * (at @ values) / (at @ at)
    rest = values - values.mean() - trend
    # A season shorter than the wave of a slow drift is found on what differs from it.
    found = _autocorrelation(rest)[: longest + 1]
    peaks = np.flatnonzero((found[1:-1] >= found[:-2]) & (found[1:-1] > found[2:])) + 1
    peaks = peaks[(peaks >= SHORTEST) & (found[peaks] >= AT_LEAST)]
    if not len(peaks):
        return None
    best = found[peaks].max()
    return int(peaks[found[peaks] >= 0.9 * best][0])  # the first of the good ones: the others are its multiples


def _autocorrelation(values: Floats) -> Floats:
    """By lag; each divided by the number of pairs, so that long lags are not made small."""
    n = len(values)
    spectrum = np.fft.rfft(values, 2 * n)
    products: Floats = np.fft.irfft(spectrum * np.conj(spectrum), 2 * n)[:n]
    if products[0] <= 1e-12 * n:
        return np.zeros(n)
    result: Floats = products / products[0] * (n / (n - np.arange(n)))
    return result
