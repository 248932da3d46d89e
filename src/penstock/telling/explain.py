"""The story of a run, decision by decision, for a terminal."""

import textwrap
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from penstock.core.asked.orders import Act
from penstock.core.known.counterfactual import Counterfactual
from penstock.core.known.prediction import seconds_text
from penstock.core.naming import named
from penstock.core.run import DecisionRecord, JobTimeline, Note, Run
from penstock.core.seen.states import UNSEEN, State
from penstock.telling.counterfactuals import without_text
from penstock.telling.held_back import held_news
from penstock.telling.stretches import StateStretch, state_at, stretches, unseen_cycles
from penstock.telling.summary import cycles_seen, summarise
from penstock.telling.thin import outages
from penstock.telling.words import (
    at_rest,
    clock,
    count,
    expectation,
    moves_text,
    note_said,
    number,
    span,
    started,
    what_came,
)

WIDTH = 100
DIP = 0.95  # as Henge has it: a fall of more than 5 % is news
_INDENT = " " * 11


@dataclass(frozen=True, slots=True)
class _Event:
    """Something that ends a quiet stretch."""

    at_s: float
    lines: tuple[str, ...]


def explain(run: Run, width: int = WIDTH, tried: Sequence[Counterfactual] = (), whole: bool = False) -> str:
    """The whole story as text; with how it would have gone without decisions, of those that were `tried`.

    Quiet is told in a line each, cut at the width unless the `whole` is wanted.
    """
    cut = None if whole else width
    return "\n".join([*_head(run, width, tried), "", *_story(run, width, cut, tried)]) + "\n"


def events(run: Run, tried: Sequence[Counterfactual] = ()) -> list[tuple[float, tuple[str, ...]]]:
    """All that happened, with when, in the order of time: the lines of the story without the quiet in between."""
    return [(event.at_s, event.lines) for event in sorted(_events(run, tried), key=lambda found: found.at_s)]


def _head(run: Run, width: int, tried: Sequence[Counterfactual]) -> Iterator[str]:
    info = run.info
    where = f"{info.engine} {info.master}".strip()
    yield _wrapped(f"{info.name} ({info.id}): {info.policy} on {where}, {started(info)}", width, "")
    for sentence in summarise(run, tried).sentences:
        yield _wrapped(f"  {sentence}", width, "  ")


def _story(run: Run, width: int, cut: int | None, tried: Sequence[Counterfactual]) -> Iterator[str]:
    """Events in the order of time, and between them the quiet, a line each."""
    since = 0
    notes = _said(run)
    for event in sorted(_events(run, tried), key=lambda found: found.at_s):
        until = _first_at_or_after(run.at_s, event.at_s, since)
        yield from _quiet(run, notes, since, until, cut)
        yield _wrapped(f"{clock(event.at_s):>8}   {event.lines[0]}", width, _INDENT)
        for line in event.lines[1:]:
            yield _wrapped(_INDENT + line, width, _INDENT + "  ")
        # The cycle of the event itself is told; what follows it may be quiet.
        since = max(since, until + (until < len(run.at_s) and run.at_s[until] == event.at_s))
    yield from _quiet(run, notes, since, len(run.at_s), cut)


def _events(run: Run, tried: Sequence[Counterfactual]) -> Iterator[_Event]:
    known = {one.number: one for one in tried}
    for place, record in run.told:
        yield _Event(record.decision.at_s, tuple(_decision_lines(record, known.get(place))))
    for job in run.jobs:
        for trouble in job.troubles:
            text = f"is in trouble: {trouble.text}" if trouble.text else "is out of trouble"
            yield _Event(trouble.at_s, (f"{job.name} {text}",))
        yield from _unseen(run, job)
    for error in run.errors:
        yield _Event(
            error.at_s, (f"governing is in trouble: {error.text}" if error.text else "governing is well again",)
        )
    for shortfall in run.shortfalls:
        yield _Event(shortfall.at_s, (shortfall.text or "all intents can be met again",))
    yield from _held(run)
    yield from _by_people(run)
    for deed in run.deeds:
        yield _Event(deed.at_s, (deed.line,))
    for index in outages(run.at_s):
        silent_s = run.at_s[index] - run.at_s[index - 1]
        yield _Event(run.at_s[index], (f"nothing was recorded for {span(silent_s)}; back again",))


def _held(run: Run) -> Iterator[_Event]:
    """What kept tenants below their intents where their policy found nothing better."""
    for held in held_news(run):
        yield _Event(held.at_s, (f"{held.job} is held back: {held.what}", f"what would help: {held.helps}"))


def _by_people(run: Run) -> Iterator[_Event]:
    for job in run.jobs:
        yield from _intents(run, job)
    if run.began_dry and len(run.at_s):
        yield _Event(run.at_s[0], ("a dry run from its beginning: decisions are said and not carried out",))
    for act in run.acts:
        if act.act is not Act.INTENT:
            yield _Event(act.at_s, (act.line,))


def _intents(run: Run, job: JobTimeline) -> Iterator[_Event]:
    """When a job began to ask for something else, and by whom where a person said so."""
    for before, now in pairwise(job.intents):
        by = [act.who for act in run.acts if act.act is Act.INTENT and act.job == job.name and act.at_s == now.at_s]
        whose = f" ({', '.join(by)})" if by else ""
        yield _Event(now.at_s, (f"{job.name} asks for {now.text} from now on{whose}, until then {before.text}",))


def _unseen(run: Run, job: JobTimeline) -> Iterator[_Event]:
    """When nobody knew any more how a job did, with what was known all the same, and when it was seen again."""
    before: StateStretch | None = None
    for found in stretches(run, job):
        if found.state in UNSEEN:
            what = "is blind: no figures" if found.state is State.BLIND else "is stale: its figures are too old"
            yield _Event(found.from_s, (f"{job.name} {what}{_known(run, job, found)}",))
        elif before is not None and before.state in UNSEEN and found.state in (State.FINE, State.MISSING):
            does = "has what it asked for" if found.state is State.FINE else "misses what it asked for"
            yield _Event(found.from_s, (f"{job.name} is seen again after {span(before.length_s)}: it {does}",))
        before = found


def _known(run: Run, job: JobTimeline, found: StateStretch) -> str:
    """What waited when nobody knew any more, and the last latency before that."""
    told = [f"{number(round(found.backlog_rows))} rows wait"] if found.backlog_rows else []
    before = range(bisect_left(run.at_s, found.from_s) - 1, -1, -1)
    last = next((latency_s for index in before if (latency_s := job.latency_s[index]) is not None), None)
    told += [f"latency was {seconds_text(last)} when last known"] if last is not None else []
    return f"; {', '.join(told)}" if told else ""


def _decision_lines(record: DecisionRecord, tried: Counterfactual | None) -> Iterator[str]:
    decision = record.decision
    yield f"{decision.reason} {moves_text(decision.moves)}".rstrip()
    yield f"why:      {decision.why}"
    yield f"expected: {expectation(record)}"
    judged = f"{clock(record.verdict.judged_at_s)} " if record.verdict is not None else ""
    yield f"result:   {judged}{what_came(record)}"
    if tried is not None:
        yield without_text(tried)


def _said(run: Run) -> list[Note]:
    """The policy's words where they change; it has not converged where nobody had figures.

    Where somebody misses what it asked for all the same that is said beside it.
    """
    starts = [note.at_s for note in run.notes]
    names = [job.name for job in run.jobs]
    missed = zip(*(job.met for job in run.jobs), strict=True) if names else [()] * len(run.at_s)
    said: list[Note] = []
    before: object = None
    for at_s, seen, blind, met in zip(run.at_s, cycles_seen(run), unseen_cycles(run), missed, strict=True):
        place = bisect_right(starts, at_s) - 1
        if (place, seen, blind, met) == before:
            continue  # and so what is said
        before = (place, seen, blind, met)
        text = note_said(run.notes[place].text, seen, not blind) if place >= 0 else ""
        text = _though(text, [name for name, has in zip(names, met, strict=True) if has is False])
        if text != (said[-1].text if said else ""):
            said.append(Note(at_s, text))
    return said


def _though(note: str, missing: Sequence[str]) -> str:
    """A policy's rest is no good news while somebody is below; those that name them say so themselves."""
    if not missing or not at_rest(note) or "below target" in note:
        return note
    return f"{note}, though {named(missing)} stay{'s' if len(missing) == 1 else ''} below target"


def _quiet(run: Run, said: Sequence[Note], since: int, until: int, cut: int | None) -> Iterator[str]:
    if since >= until:
        return
    start, end = run.at_s[since], run.at_s[until - 1]
    held = f"quiet to {clock(end)} ({count(until - since, 'cycle')})" if until - since > 1 else "quiet"
    notes = _notes_between(said, start, end)
    line = _printable(f"{clock(start):>8}   {held}, {_utility(run, since, until)}" + (f": {notes}" if notes else ""))
    yield line if cut is None or len(line) <= cut else line[: cut - 1] + "…"


def _utility(run: Run, since: int, until: int) -> str:
    """From what to what, and how low in between where that is a different story."""
    values = run.utility[since:until]
    first, last, low = number(values[0]), number(values[-1]), min(values)
    moved = first if first == last else f"{first} -> {last}"
    dip = f", lowest {number(low)}" if low < DIP * min(values[0], values[-1]) else ""
    return f"utility {moved}{dip} of {number(_most(run, until - 1))}{_starting(run, run.at_s[until - 1])}"


def _most(run: Run, index: int) -> float:
    """What could be had: who starts has lost nothing yet."""
    return run.could_have[index]


def _starting(run: Run, at_s: float) -> str:
    """How many were starting then, who count neither as having their utility nor as missing it."""
    starting = sum(state_at(job, at_s) is State.STARTING for job in run.jobs)
    return f" ({starting} starting)" if starting else ""


def _notes_between(notes: Sequence[Note], start: float, end: float) -> str:
    """The policy's words in force during a stretch, each once."""
    first, after = (bisect_right(notes, instant, key=lambda note: note.at_s) for instant in (start, end))
    texts = list(dict.fromkeys(note.text for note in notes[max(0, first - 1) : after] if note.text))
    return "; then ".join(texts[:2]) + (f"; and {len(texts) - 2} more" if len(texts) > 2 else "")


def _first_at_or_after(at_s: Sequence[float], when: float, since: int) -> int:
    return next((index for index in range(since, len(at_s)) if at_s[index] >= when), len(at_s))


def _wrapped(text: str, width: int, indent: str) -> str:
    shown = _printable(text)
    return textwrap.fill(shown, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _printable(text: str) -> str:
    """Names come from users: no line breaks, and nothing that moves the cursor or colours the terminal."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)
