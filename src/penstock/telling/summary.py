"""The summary of a run: what happened, to whom, why, and what it cost."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from penstock.core.budget import SpentBudget
from penstock.core.counterfactual import Counterfactual, worth_of
from penstock.core.documents import mean
from penstock.core.life import ControllerLife
from penstock.core.naming import named
from penstock.core.orders import Act
from penstock.core.plan import NO_CHANGE
from penstock.core.run import DecisionRecord, JobTimeline, Run
from penstock.telling.held import held_text
from penstock.telling.life import silent_text
from penstock.telling.money import spent, spent_text
from penstock.telling.stretches import StateStretch, unseen, unseen_at
from penstock.telling.without import worth_text
from penstock.telling.words import clock, count, moves_text, number, percent, span, tenths

_INTENTS = 3  # earlier ones of a job; the newest are told
_BUDGETS = 5  # those with the least left; the table has all
_PAYS = 0.005  # of its utility that is missing, which is worth a word
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
class JobSummary:
    """One job over the whole run. Shares are None where there was no figure at all."""

    name: str
    intent: str  # all that it asked for, the last first, with when where that changed
    max_utility: float
    met_share: float | None  # of the time that it was seen, or should have been: while nobody knew it is not met
    utility_share: float | None
    worst: tuple[float, float] | None  # the longest stretch below its intent, from and to
    first_threads: int | None
    last_threads: int | None
    decisions: int
    unseen: tuple[StateStretch, ...] = ()  # when nobody knew how it did, although it ran
    last_recovery_s: float | None = None  # as it was estimated last, infinite where it would never end
    worst_recovery_s: float | None = None
    spent: SpentBudget | None = None  # its error budget in the end


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
    jobs = tuple(_job(run, job, decided[job.name]) for job in run.jobs)
    most = most_utility(run)
    came = Counter(came_to(record, most) for _, record in run.told)
    share = _utility_share(run)
    seconds = _thread_seconds(run)
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
    known = zip(run.utility, _possible(run), cycles_seen(run), strict=True)
    return mean(utility / most if most > 0 else None for utility, most, seen in known if seen)


def _possible(run: Run) -> Sequence[float]:
    """What could be had, cycle by cycle, by those who were not starting."""
    return run.possible_utility if len(run.possible_utility) else run.max_utility


def _job(run: Run, job: JobTimeline, decisions: int) -> JobSummary:
    held = [threads for threads in job.threads if threads is not None]
    recoveries = [seconds for seconds in job.recovery_s if seconds is not None]
    return JobSummary(
        name=job.name,
        intent=_asked(job),
        max_utility=job.max_utility,
        met_share=mean(_proven(run, job)),
        utility_share=mean(_had(run, job)),
        worst=_longest_miss(run.at_s, job.met),
        first_threads=held[0] if held else None,
        last_threads=held[-1] if held else None,
        decisions=decisions,
        unseen=unseen(run, job),
        last_recovery_s=recoveries[-1] if recoveries else None,
        worst_recovery_s=max(recoveries, default=None),
        spent=job.spent,
    )


def _had(run: Run, job: JobTimeline) -> Sequence[float | None]:
    """Its share of what it could have had in each cycle: nothing while nobody knew, None while it was starting."""
    blind = unseen_at(run, job)
    return [0.0 if unknown else share for unknown, share in zip(blind, job.shares(run.at_s), strict=True)]


def _proven(run: Run, job: JobTimeline) -> Sequence[bool | None]:
    """Whether it is known to have met its intent; None while it was starting, or was not there."""
    blind = unseen_at(run, job)
    return [False if unknown else met for unknown, met in zip(blind, job.met, strict=True)]


def _asked(job: JobTimeline) -> str:
    """What it asked for: one intent, or the last with those before it."""
    if len(job.intents) < 2:
        return job.intent
    told = [f"{before.text} until {clock(now.at_s)}" for before, now in pairwise(job.intents)]
    return f"{job.intent}; {', '.join(told[-_INTENTS:])}"


def _longest_miss(at_s: Sequence[float], met: Sequence[bool | None]) -> tuple[float, float] | None:
    longest: tuple[float, float] | None = None
    start: float | None = None
    for now, is_met in zip(at_s, met, strict=True):
        if is_met is not False:
            start = None
            continue
        start = now if start is None else start
        if longest is None or now - start > longest[1] - longest[0]:
            longest = (start, now)
    return longest


def _thread_seconds(run: Run) -> float:
    """Of all jobs together."""
    lengths = [later - now for now, later in pairwise(run.at_s)]
    each = (zip(job.threads, lengths, strict=False) for job in run.jobs)
    return sum(sum(threads * length for threads, length in held if threads) for held in each)


def _sentences(
    run: Run, share: float | None, jobs: Sequence[JobSummary], came: Counter[Came], thread_seconds: float
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
    yield _cost(run, jobs, length_s, thread_seconds)
    yield from spent_text(spent(run))


def _ends(run: Run) -> str:
    return f"at the end utility was {number(run.utility[-1])} of {number(_possible(run)[-1])}"


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


def _cost(run: Run, jobs: Sequence[JobSummary], length_s: float, thread_seconds: float) -> str:
    lost = sum(
        (m - u) * (later - now)
        for u, m, now, later in zip(run.utility, _possible(run), run.at_s, run.at_s[1:], strict=False)
    )
    missing = number(lost / length_s if length_s > 0 else 0.0)
    return f"{_held(run, length_s, thread_seconds)}{missing} utility was missing on average{_by_whom(jobs)}."


def _held(run: Run, length_s: float, thread_seconds: float) -> str:
    """What jobs had. Threads do cost; a weight costs nothing by itself, the slots are there whoever has them."""
    if run.pool.weights:
        return ""
    if length_s <= 0:
        return "No time passed; "
    moves = [move for _, record in run.told for move in record.decision.thread_moves]
    moved = sum(abs(move.after - move.before) for move in moves)
    held = f"It cost {number(thread_seconds / length_s)} threads on average ({number(thread_seconds)} thread-seconds)"
    return f"{held}; decisions changed them by {moved} in all; "


def _by_whom(jobs: Sequence[JobSummary]) -> str:
    """Who paid: whose utility it was that was missing, the most first."""
    paid = [job for job in jobs if job.utility_share is not None and job.utility_share < 1.0 - _PAYS]
    paid.sort(key=lambda job: (-_lacked(job), job.name))
    told = named([f"{job.name} lacked {number(_lacked(job))} of its {number(job.max_utility)}" for job in paid])
    return f": {told}" if told else ""


def _lacked(job: JobSummary) -> float:
    return job.max_utility * (1.0 - (job.utility_share or 0.0))


def _clause(sentence: str) -> str:
    return sentence.strip().rstrip(".")
