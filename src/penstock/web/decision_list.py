"""Decisions as the pages show them: told, found by words, written as a table."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penstock.core.asked.orders import Proposal
from penstock.core.known.prediction import foretold_text
from penstock.core.levers import Move, Table
from penstock.core.plan import Decision
from penstock.core.run import EARLIER, DecisionRecord
from penstock.telling.summary import came_to
from penstock.telling.words import moves_text
from penstock.web.shapes import CameOut, ChangeOut, DecisionOut, DecisionsOut
from penstock.web.shapes_control import ProposalOut

_COLUMNS = (
    *("number", "at_s", "reason", "jobs", "text", "why", "foretold", "utility_before", "expected_utility"),
    *("utility_came", "came", "verdict", "judged_at_s", "errors"),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which decisions: all that match everything that is given."""

    words: str = ""
    job: str | None = None
    reason: str | None = None
    came: str | None = None


def told(records: Sequence[DecisionRecord], max_utility: float) -> tuple[DecisionOut, ...]:
    """Every decision of a run that was read, oldest first, numbered from its first one on."""
    numbered = enumerate(records, start=1)
    return tuple(_told(number, record, max_utility) for number, record in numbered if record is not EARLIER)


def found(decisions: Sequence[DecisionOut], wanted: Wanted, limit: int, offset: int) -> DecisionsOut:
    """Those that are wanted, newest first, with what could be chosen."""
    matching = [decision for decision in reversed(decisions) if _matches(decision, wanted)]
    return DecisionsOut(
        total=len(matching),
        reasons=tuple(sorted({decision.reason for decision in decisions})),
        jobs=tuple(sorted({job for decision in decisions for job in decision.jobs})),
        decisions=tuple(matching[offset : offset + limit]),
    )


def table(decisions: Iterable[DecisionOut]) -> str:
    """The decisions as CSV, with a header."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for decision in decisions:
        row = (getattr(decision, column) for column in _COLUMNS)
        writer.writerow(_cell("; ".join(value) if isinstance(value, tuple) else value) for value in row)
    return out.getvalue()


def proposed(proposal: Proposal) -> ProposalOut:
    """A proposal as the pages show it."""
    decision = proposal.decision
    return ProposalOut(
        number=proposal.number,
        at_s=decision.at_s,
        text=f"{decision.reason} {moves_text(decision.moves)}",
        why=_why(decision),
        jobs=decision.jobs,
        answer=proposal.answer.value,
        who=proposal.who,
    )


def _told(number: int, record: DecisionRecord, max_utility: float) -> DecisionOut:
    decision, verdict = record.decision, record.verdict
    came: CameOut = came_to(record, max_utility).value if record.outcomes else "not carried out"
    return DecisionOut(
        number=number,
        at_s=decision.at_s,
        reason=decision.reason.value,
        jobs=decision.jobs,
        changes=tuple(_turned(move) for move in decision.moves),
        text=moves_text(decision.moves),
        why=decision.why,
        foretold=foretold_text(decision.foretold),
        utility_before=decision.utility_before,
        expected_utility=decision.expected_utility,
        came=came,
        verdict=None if verdict is None else verdict.text,
        utility_came=None if verdict is None else verdict.utility_came,
        judged_at_s=None if verdict is None else verdict.judged_at_s,
        errors=record.errors,
        again=verdict is not None and verdict.again,
    )


def _why(decision: Decision) -> str:
    """Why, and what is foretold: whoever is asked for a yes wants to know both."""
    foretold = foretold_text(decision.foretold)
    return f"{decision.why}; predicted: {foretold}" if foretold else decision.why


def _turned(move: Move) -> ChangeOut:
    before, after = (None, None) if isinstance(move, Table) else (move.before, move.after)
    return ChangeOut(move.kind, move.job, move.operator, before, after, move.text)


def _matches(decision: DecisionOut, wanted: Wanted) -> bool:
    if wanted.job is not None and wanted.job not in decision.jobs:
        return False
    if wanted.reason is not None and wanted.reason != decision.reason:
        return False
    if wanted.came is not None and wanted.came != decision.came:
        return False
    words = (decision.reason, decision.text, decision.why, decision.foretold, decision.verdict or "", *decision.errors)
    text = " ".join(words).lower()
    return all(word in text for word in wanted.words.lower().split())


def _cell(value: object) -> object:
    """A spreadsheet takes text that begins like a formula for one; names of jobs are other people's words."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
