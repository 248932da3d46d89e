"""A run as a document for programs: the summary and the story, in figures beside the words. Absent is null."""

import math
from collections.abc import Sequence
from typing import Any

from penstock.core.asked.budget import SpentBudget, text_of_days
from penstock.core.known.counterfactual import Counterfactual, Without, worth_of
from penstock.core.run import DecisionRecord, Run, RunInfo
from penstock.telling.counterfactuals import without_text, worth_text
from penstock.telling.explain import events
from penstock.telling.job_summary import JobSummary
from penstock.telling.money import spent
from penstock.telling.summary import came_to, most_utility, summarise
from penstock.telling.words import moves_text

ToldDocument = dict[str, Any]


def summary_document(run: Run, tried: Sequence[Counterfactual] = ()) -> ToldDocument:
    """What `penstock report` says."""
    summary = summarise(run, tried)
    return {
        "run": _info(run.info),
        "length_s": summary.length_s,
        "utility_share": summary.utility_share,
        "met_share": summary.met_share,
        "thread_seconds": summary.thread_seconds,
        "came": {came.value: number for came, number in summary.came.items()},
        "sentences": list(summary.sentences),
        "jobs": [_job(job, run) for job in summary.jobs],
        "acts": _acts(run),
        "began_dry": run.began_dry,
        "held": _held(run),
        "decisions": _decisions(run, tried),
        "brought": _worth(tried),
        **_costs(run),
    }


def story_document(run: Run, tried: Sequence[Counterfactual] = ()) -> ToldDocument:
    """What `penstock explain` tells, event by event."""
    return {
        "run": _info(run.info),
        "sentences": list(summarise(run, tried).sentences),
        "held": _held(run),
        "events": [{"at_s": at_s, "lines": list(lines)} for at_s, lines in events(run, tried)],
        "acts": _acts(run),
        "began_dry": run.began_dry,
        "decisions": _decisions(run, tried),
        "brought": _worth(tried),
    }


def _costs(run: Run) -> ToldDocument:
    """What tenants cost; nothing at all where no price is given."""
    found = spent(run)
    if not found:
        return {}
    names = ("name", "slot_h", "missed_slot_h", "missed_s", "cost", "missed_cost")
    price = found[0].price
    return {
        "price": {"slot_hour": price.slot_hour, "currency": price.currency},
        "costs": [{name: getattr(one, name) for name in names} for one in found],
    }


def _held(run: Run) -> list[ToldDocument]:
    """What held tenants back, cycle by cycle as far as they were looked at."""
    return [{name: getattr(one, name) for name in ("at_s", "job", "what", "helps")} for one in run.held]


def _info(info: RunInfo) -> ToldDocument:
    names = ("id", "name", "policy", "engine", "master", "started_at_s")
    return {name: getattr(info, name) for name in names}


def _acts(run: Run) -> list[ToldDocument]:
    """What people asked, and when it was heard."""
    names = ("at_s", "who", "line", "job")
    return [{"act": act.act.value, **{name: getattr(act, name) for name in names}} for act in run.acts]


def _job(job: JobSummary, run: Run) -> ToldDocument:
    return {
        "name": job.name,
        "intent": job.intent,
        "asked": [{"from_s": note.at_s, "text": note.text} for note in run.job(job.name).intents],
        "max_utility": job.max_utility,
        "met_share": job.met_share,
        "utility_share": job.utility_share,
        "longest_miss_s": None if job.worst is None else job.worst[1] - job.worst[0],
        "unseen_s": sum(stretch.length_s for stretch in job.unseen),
        "first_threads": job.first_threads,
        "last_threads": job.last_threads,
        "decisions": job.decisions,
        "recovery_s": _finite(job.last_recovery_s),
        **({} if job.spent is None else {"budget": _budget(job.spent)}),
    }


def _budget(spent: SpentBudget) -> ToldDocument:
    """An error budget as it stood in the end."""
    asked = {"keep": spent.asked.keep, "windows_s": spent.asked.windows_s, "over_s": spent.asked.over_s}
    names = ("allowed", "good", "bad", "unknown", "left", "kept", "urgency")
    burns = {text_of_days(burn.over_s): burn.rate for burn in spent.burns}
    return {"text": spent.text(), **asked, **{name: getattr(spent, name) for name in names}, "burns": burns}


def _decisions(run: Run, tried: Sequence[Counterfactual]) -> list[ToldDocument]:
    known = {one.number: one for one in tried}
    most = most_utility(run)
    return [_decision(most, number, record, known.get(number)) for number, record in run.told]


def _decision(most: float, number: int, record: DecisionRecord, tried: Counterfactual | None) -> ToldDocument:
    decision, verdict = record.decision, record.verdict
    return {
        "number": number,
        "at_s": decision.at_s,
        "reason": decision.reason.value,
        "jobs": list(decision.jobs),
        "text": moves_text(decision.moves),
        "why": decision.why,
        "utility_before": decision.utility_before,
        "expected_utility": decision.expected_utility,
        "came": came_to(record, most).value if record.carried_out else "not carried out",
        "utility_came": None if verdict is None else verdict.utility_came,
        "verdict": None if verdict is None else verdict.text,
        "errors": list(record.errors),
        "without": None if tried is None else _without(tried),
    }


def _without(tried: Counterfactual) -> ToldDocument:
    told: ToldDocument = {"text": without_text(tried)}
    if isinstance(tried, Without):
        told |= {name: getattr(tried, name) for name in ("span_s", "really", "with_it", "without", "gain", "off")}
    return told


def _worth(tried: Sequence[Counterfactual]) -> ToldDocument | None:
    worth = worth_of(tried)
    if worth.gain is None:
        return None
    names = ("decisions", "span_s", "gain", "off", "slot_h_saved", "untold", "misled")
    return {"text": worth_text(worth), **{name: getattr(worth, name) for name in names}}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
