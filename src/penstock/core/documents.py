"""Documents: decisions and shares of a run as the plain values that `--json` writes, whoever ran it."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from penstock.core.levers import Move, Table
from penstock.core.run import DecisionRecord


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is there.

    >>> mean([1.0, None, 0.0]), mean([None])
    (0.5, None)
    """
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def job_document(utility_shares: Iterable[float | None], met: Iterable[float | None]) -> dict[str, Any]:
    """How one job fared: its mean share of the utility that it could have, and the share of time that it was met."""
    return {"utility_mean": mean(utility_shares), "slo_met": mean(met)}


def decision_document(record: DecisionRecord) -> dict[str, Any]:
    """A decision, and what came of it."""
    decision, verdict = record.decision, record.verdict
    return {
        "at": decision.at_s,
        "reason": str(decision.reason),
        "jobs": list(decision.jobs),
        "changes": [move_document(move) for move in decision.moves],
        "why": decision.why,
        "utility_before": decision.utility_before,
        "utility_expected": decision.expected_utility,
        "foretold": [asdict(one) for one in decision.foretold],
        "utility_came": None if verdict is None else verdict.utility_came,
        "came": None if verdict is None else verdict.text,
        "carried_out": record.carried_out,
        "errors": list(record.errors),
    }


def move_document(move: Move) -> dict[str, Any]:
    """A turn of a lever; of a routing table its number of keys, for the table itself is long."""
    told: dict[str, Any] = {"kind": move.kind, "job": move.job, "operator": move.operator, "text": move.text}
    if isinstance(move, Table):
        return {**told, "route": move.route, "keys": move.keys}
    return {**told, "before": move.before, "after": move.after}
