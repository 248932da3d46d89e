"""The summary of a run: what happened, to whom, why, and what it cost."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from penstock.core.asked.orders import Act
from penstock.core.documents import mean
from penstock.core.known.counterfactual import Counterfactual, worth_of
from penstock.core.plan import NO_CHANGE
from penstock.core.run import DecisionRecord, Run
from penstock.core.seen.life import ControllerLife
from penstock.telling.cost import cost_text, thread_seconds
from penstock.telling.counterfactuals import worth_text
from penstock.telling.held_back import held_text
from penstock.telling.job_summary import JobSummary, job_summary
from penstock.telling.life import silent_text
from penstock.telling.money import spent, spent_text
from penstock.telling.words import clock, count, moves_text, number, percent, span, tenths

_BUDGETS = 5  # those with the least left; the table has all
_ACTS = 4  # of people; the rest are counted


class Came(StrEnum):
    """What a decision turned out to be."""

    BETTER = "better"
    SAME = "no change"
    WORSE = "worse"
    OPEN = "not judged yet"
    UNKNOWN = "not judged"  # and will not be: nobody knew enough, or looked
    FAILED = "not done"


@dataclass(frozen=True, slots=True)
class Summary:
    """The run in figures; `sentences` says them in words."""

    length_s: float
    utility_share: float | None
    met_share: float | None  # mean over jobs
    thread_seconds: float
    jobs: tuple[JobSummary, ...]
    came: Counter[Came]
    sentences: tuple[str, ...]


def summarise(run: Run, tried: Sequence[Counterfactual] = ()) -> Summary:
    """The summary of a run, which may be empty or still going on; `tried` are decisions that were simulated without."""
    decided = Counter(job for _, record in run.told for job in record.decision.jobs)
    jobs = tuple(job_summary(run, job, decided[job.name]) for job in run.jobs)
    most = most_utility(run)
    came = Counter(came_to(record, most) for _, record in run.told)
    share = _utility_share(run)
    seconds = thread_seconds(run)
    return Summary(
        length_s=run.at_s[-1] - run.at_s[0] if len(run.at_s) else 0.0,
        utility_share=share,
        met_share=mean(job.met_share for job in jobs),
        thread_seconds=seconds,
        jobs=jobs,
        came=came,
        sentences=(*_sentences(run, share, jobs, came, seconds), *_brought(tried)),
    )


def _brought(tried: Sequence[Counterfactual]) -> Iterable[str]:
    told = worth_text(worth_of(tried))
    if told:
        yield f"Decisions brought {told[0].lower()}{told[1:]}."


def cycles_seen(run: Run) -> Sequence[bool]:
    """For each cycle whether any job had figures then."""
    seen = [False] * len(run.at_s)
    for job in run.jobs:
        seen = [was or utility is not None for was, utility in zip(seen, job.utility, strict=True)]
    return seen


def most_utility(run: Run) -> float:
    """The most that was to be had in any cycle: what `came_to` asks for."""
    return max(run.max_utility, default=0.0)


def came_to(record: DecisionRecord, max_utility: float) -> Came:
    """How a decision turned out where so much utility was to be had."""
    if record.errors:
        return Came.FAILED
    if record.verdict is None or record.verdict.utility_came is None:
        return Came.OPEN if record.waits_for_verdict else Came.UNKNOWN
    if record.verdict.effect is not None:
        return Came(record.verdict.effect.value)
    gain = record.verdict.utility_came - record.decision.utility_before
    if abs(gain) < NO_CHANGE * max_utility:
        return Came.SAME
    return Came.BETTER if gain > 0 else Came.WORSE


def _utility_share(run: Run) -> float | None:
    """The mean share of what could be had, over the cycles in which any figure was seen: none is not nothing.

    Who starts has lost nothing yet and does not count; who goes blind counts as if it had nothing.
    """
    known = zip(run.utility, run.could_have, cycles_seen(run), strict=True)
    return mean(utility / most if most > 0 else None for utility, most, seen in known if seen)


def _sentences(
    run: Run, share: float | None, jobs: Sequence[JobSummary], came: Counter[Came], held_s: float
) -> Iterable[str]:
    if not len(run.at_s):
        yield "Nothing is recorded of this run yet."
        return
    length_s = run.at_s[-1] - run.at_s[0]
    if share is None:
        yield f"Over {span(length_s)} no figure was seen of any job, so it is not known whether intents were met."
    else:
        best = f"{percent(share)} of the utility that they could have"
        yield f"Over {span(length_s)}, {count(len(jobs), 'job')} had {best}; {_ends(run)}."
        yield _to_whom(jobs)
    yield from _unseen(jobs)
    yield from held_text(run)
    yield from _lost(run)
    yield from _budgets(jobs)
    yield from _shortfall(run)
    yield from _troubles(run)
    yield from _by_people(run)
    yield _what_was_done(run, came)
    if run.told:
        first = run.told[0][1].decision
        what = moves_text(first.moves) or first.reason.value
        yield f"{_first(run)} at {clock(first.at_s)} with {what}, because {_clause(first.why)}."
    yield from _foretold(run)
    yield cost_text(run, jobs, length_s, held_s)
    yield from spent_text(spent(run))


def _ends(run: Run) -> str:
    return f"at the end utility was {number(run.utility[-1])} of {number(run.could_have[-1])}"


def _to_whom(jobs: Sequence[JobSummary]) -> str:
    missed = [job for job in jobs if job.worst is not None]
    never_seen = [job.name for job in jobs if job.met_share is None]
    if not missed and never_seen:
        return f"Every job of which figures were seen met its intent; of {', '.join(never_seen)} none was seen."
    if not missed and any(job.unseen for job in jobs):
        return "No job was seen to miss its intent, but not all were always seen."
    if not missed:
        return "Every job met its intent whenever it was seen."
    missed.sort(key=lambda job: (job.met_share or 0.0, job.name))
    told = "; ".join(_missed(job) for job in missed[:3])
    more = f"; {count(len(missed) - 3, 'more job')} missed theirs at times" if len(missed) > 3 else ""
    return f"In trouble: {told}{more}."


def _missed(job: JobSummary) -> str:
    worst = f", longest from {clock(job.worst[0])} to {clock(job.worst[1])}" if job.worst else ""
    return f"{job.name} met its intent ({job.intent}) {percent(job.met_share)} of the time{worst}"


def _unseen(jobs: Sequence[JobSummary]) -> Iterable[str]:
    """Of whom nobody knew how they did, and when: that is no good news, whatever figures came before and after."""
    blind = sorted((job for job in jobs if job.unseen), key=lambda job: (-_unseen_s(job), job.name))
    if not blind:
        return
    told = [_unseen_text(job) for job in blind[:3]]
    more = f"; {count(len(blind) - 3, 'more job')} at times" if len(blind) > 3 else ""
    yield f"Without current figures: {'; '.join(told)}{more}."


def _lost(run: Run) -> Iterable[str]:
    """That nobody hears of the controller any more: what is told ends there, and not with a run that was over."""
    if run.life is ControllerLife.SILENT and run.last_sign_epoch_s is not None:
        yield silent_text(run.last_sign_epoch_s)
    if run.life is ControllerLife.AHEAD:
        ahead = "the clock of its controller is ahead of this machine's. Set both by a time server"
        yield f"Unknown whether it continues: {ahead}."


def _unseen_text(job: JobSummary) -> str:
    longest = max(job.unseen, key=lambda found: found.length_s)
    when = f"longest from {clock(longest.from_s)} to {clock(longest.to_s)}"
    waited = f", {number(round(longest.backlog_rows))} rows waiting" if longest.backlog_rows else ""
    return f"{job.name} for {span(_unseen_s(job))}, {when}{waited}"


def _unseen_s(job: JobSummary) -> float:
    return sum(found.length_s for found in job.unseen)


def _troubles(run: Run) -> Iterable[str]:
    notes = [(job.name, note) for job in run.jobs for note in job.troubles]
    notes += [("governing", note) for note in run.errors]
    found = sorted((note.at_s, name, note.text) for name, note in notes if note.text)
    if found:
        told = "; ".join(f"{name} at {clock(at_s)}, {_clause(text)}" for at_s, name, text in found[:3])
        more = f"; and {count(len(found) - 3, 'more trouble')}" if len(found) > 3 else ""
        yield f"What broke: {told}{more}."


def _by_people(run: Run) -> Iterable[str]:
    """For how long governing was paused, or nothing was carried out; and what else people asked for."""
    if not run.began_dry and not run.acts:
        return
    paused = _lengths(run, Act.PAUSE, Act.RESUME, began=False)
    dry = _lengths(run, Act.DRY_RUN, Act.DO, began=run.began_dry)
    if paused:
        yield f"Governing was paused {paused}: nothing was decided then."
    if dry:
        yield f"It was a dry run {dry}: what was decided then was not carried out."
    told = [f"{act.line} at {clock(act.at_s)}" for act in run.acts if act.act in (Act.INTENT, Act.TURN, Act.START)]
    if told:
        more = f"; and {count(len(told) - _ACTS, 'more act')}" if len(told) > _ACTS else ""
        yield f"By people: {'; '.join(told[:_ACTS])}{more}."


def _lengths(run: Run, on: Act, off: Act, began: bool) -> str:
    """From when to when it was on, in words; empty where it never was."""
    since = run.at_s[0] if began else None
    told = []
    for act in run.acts:
        if act.act is on and since is None:
            since = act.at_s
        elif act.act is off and since is not None:
            told.append(f"from {clock(since)} to {clock(act.at_s)}")
            since = None
    if since is not None:
        told.append(f"from {clock(since)} on")
    return ", ".join(told)


def _budgets(jobs: Sequence[JobSummary]) -> Iterable[str]:
    """How error budgets stand, those with the least left first."""
    found = sorted(((job.spent.left, job.name, job.spent) for job in jobs if job.spent), key=lambda one: one[:2])
    for _, name, budget in found[:_BUDGETS]:
        yield f"{name} has a {budget.text()}."
    if len(found) > _BUDGETS:
        yield f"Of {count(len(found) - _BUDGETS, 'more error budget')} more is left than of these."


def _shortfall(run: Run) -> Iterable[str]:
    """That no shares meet all, as it was said last."""
    said = [(number, note) for number, note in enumerate(run.shortfalls) if note.text]
    if not said:
        return
    place, last = said[-1]
    if place == len(run.shortfalls) - 1:
        yield f"Since {clock(last.at_s)} {_clause(last.text)}."
    else:
        yield f"Until {clock(run.shortfalls[place + 1].at_s)} {_clause(last.text)}."


def _foretold(run: Run) -> Iterable[str]:
    """How far off predictions were, the worst first."""
    errors = sorted((error for error in run.prediction_errors if error.of), key=lambda error: (-error.share, error.job))
    if not errors:
        return
    off = sum(error.share * error.of for error in errors) / sum(error.of for error in errors)
    named = ", ".join(f"{error.job} {tenths(error.share)} over {error.of}" for error in errors[:3])
    more = f" and {count(len(errors) - 3, 'more job')}" if len(errors) > 3 else ""
    yield f"Predictions of utility were off by {tenths(off)} of the maximum on average: {named}{more}."


def _what_was_done(run: Run, came: Counter[Came]) -> str:
    if not run.decisions:
        return "No decision was taken."
    told = run.told
    reasons = Counter(record.decision.reason.value for _, record in told)
    kinds = ", ".join(f"{amount} {reason}" for reason, amount in sorted(reasons.items()))
    turned = ", ".join(f"{came[kind]} {kind.value}" for kind in Came if came[kind])
    newest = f", of which the newest {number(len(told))} are told" if len(told) < len(run.decisions) else ""
    return f"{count(len(run.decisions), 'decision')}{newest}: {kinds}. What came of them: {turned}."


def _first(run: Run) -> str:
    return "It began" if len(run.told) == len(run.decisions) else "What is told of them begins"


def _clause(sentence: str) -> str:
    return sentence.strip().rstrip(".")
