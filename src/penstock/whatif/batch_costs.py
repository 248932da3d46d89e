"""Batch costs: what rows and batches cost, fitted to the batches that ended; the older one is, the less it counts."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.seen.batches import BatchFigures

LEAST_BATCHES = 3
LAST_BATCHES = 60
HALVED_AFTER_S = 10.0  # costs drift: cold code is two to four times as dear as the same code a minute later
VARIED = 0.15  # spread of rows from batch to batch, by their mean, from which a row's cost shows
SELDOM = 10  # percent of stages that take less than this beyond their tasks: they waited for nothing
HELD_BACK = 0.5  # of the batches left rows that they could have taken: they are bounded


@dataclass(frozen=True, slots=True)
class BatchCosts:
    """Slot time of a row, and of a batch whatever its rows; what a batch takes off the slots; the most it takes in."""

    row_s: float
    batch_s: float
    aside_s: float
    aside_spread: float  # standard deviation of its logarithm
    core_share: float
    launch_s: float
    most_rows: int | None


def batch_costs(told: Iterable[BatchFigures]) -> BatchCosts | None:
    """The costs that fit the last batches; None where too few were told of whole."""
    by_number = {batch.number: batch for batch in told if _whole(batch)}
    batches = [by_number[number] for number in sorted(by_number)[-LAST_BATCHES:]]
    if len(batches) < LEAST_BATCHES:
        return None
    rows, busy_s, cpu_s, aside_s = (
        np.array([getattr(batch, word) for batch in batches], dtype=float)
        for word in ("rows", "busy_s", "cpu_s", "aside_s")
    )
    weights = 0.5 ** (np.array([batches[-1].ended_s - batch.ended_s for batch in batches]) / HALVED_AFTER_S)
    row_s, batch_s = _line(rows, busy_s, weights)
    logarithms = np.log(np.maximum(aside_s, 1e-3))
    spread = np.average((logarithms - np.average(logarithms, weights=weights)) ** 2, weights=weights) ** 0.5
    return BatchCosts(
        row_s=row_s,
        batch_s=batch_s,
        aside_s=float(np.exp(np.average(logarithms, weights=weights))),  # a pause now and then is not what it takes
        aside_spread=float(spread),
        core_share=min(1.0, float((weights * cpu_s).sum() / (weights * busy_s).sum())),
        launch_s=max(0.0, float(np.percentile([_beyond_s(batch) for batch in batches], SELDOM))),
        most_rows=_most_rows(batches),
    )


def _whole(batch: BatchFigures) -> bool:
    known = None not in (batch.tasks, batch.stages, batch.cpu_s, batch.staged_s)
    return known and batch.rows > 0 and bool(batch.busy_s)


def _line(rows: Floats, busy_s: Floats, weights: Floats) -> tuple[float, float]:
    """Slot time of a row and of a batch beside: neither below zero; all of it the rows' where each has as many."""
    mean_rows, mean_s = (float(np.average(values, weights=weights)) for values in (rows, busy_s))
    if float(rows.std()) < VARIED * mean_rows:
        return mean_s / mean_rows, 0.0
    away = weights * (rows - mean_rows)
    slope = float((away * (busy_s - mean_s)).sum() / (away * (rows - mean_rows)).sum())
    row_s = min(max(0.0, slope), mean_s / mean_rows)
    return row_s, mean_s - row_s * mean_rows


def _beyond_s(batch: BatchFigures) -> float:
    stages, tasks = max(1, batch.stages or 1), max(1, batch.tasks or 1)
    return ((batch.staged_s or 0.0) - stages * (batch.busy_s or 0.0) / tasks) / stages


def _most_rows(batches: list[BatchFigures]) -> int | None:
    held_back = [batch.rows for batch in batches if (batch.left_rows or 0.0) > 0]
    return max(1, round(max(held_back))) if len(held_back) > HELD_BACK * len(batches) else None
