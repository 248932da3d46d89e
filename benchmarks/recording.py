"""What a trial on Spark did, batch by batch and round by round, as a document: its twin can be held against it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.view import JobView, View
from penstock.governing.comparison import TrialResult


def record(path: Path, case: str, result: TrialResult) -> None:
    """Add the trial to the file, as one line."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(_rounded(recorded(case, result)), separators=(",", ":")) + "\n")


def recorded(case: str, result: TrialResult) -> dict[str, Any]:
    """The trial's utility, what each job showed in each round, and each batch that ended, once."""
    names = [job.figures.name for job in result.views[-1].jobs]
    return {
        "case": case,
        "policy": result.trial.policy,
        "seconds": result.trial.seconds,
        "utility_share": result.utility_share,
        "rounds": [_round(view) for view in result.views],
        "batches": {name: [asdict(batch) for batch in _batches(result.views, name)] for name in names},
    }


def _rounded(value: Any) -> Any:
    """Times to milliseconds: more digits say nothing, and fill the file."""
    if isinstance(value, Mapping):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return round(value, 3) if isinstance(value, float) else value


def _round(view: View) -> dict[str, Any]:
    load = max((machine.load or 0.0 for machine in view.machines), default=0.0)
    share = view.utility / view.max_utility
    return {"at_s": view.at_s, "share": share, "load": load, "jobs": {job.figures.name: _job(job) for job in view.jobs}}


def _job(job: JobView) -> Mapping[str, float | None]:
    figures, share = job.figures, None if job.utility is None else job.utility / job.max_utility
    latency_s = None if figures.latency is None else figures.latency.mean_s
    return {"share": share, "latency_s": latency_s, "juice": figures.juice, "backlog_rows": figures.backlog_rows}


def _batches(views: Iterable[View], name: str) -> Iterable[BatchFigures]:
    """Later views know more of a batch than the first one that tells of it."""
    found: dict[int, BatchFigures] = {}
    for view in views:
        found |= {batch.number: batch for batch in view.job(name).figures.batches}
    return found.values()
