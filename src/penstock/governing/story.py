"""What a run came to: how it ended, what was seen and decided, and where that is recorded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from penstock.core.documents import decision_document, job_document, mean
from penstock.core.run import DecisionRecord, asked_latency_s
from penstock.core.seen.states import State, possible_utility, state_of
from penstock.core.seen.view import JobView, View
from penstock.errors import EngineError, TakenOverError, told
from penstock.governing.controller import Controller
from penstock.governing.last_word import FAILED_TO_THE_END


@dataclass(frozen=True, slots=True)
class RunStory:
    """What a run came to."""

    name: str
    policy: str
    master: str
    dry_run: bool
    views: Sequence[View]
    decisions: Sequence[DecisionRecord]
    error: str | None = None
    exit_code: int = 0
    run_id: str | None = None  # under which it is recorded
    recorded_in: str | None = None  # None where memory stood in for a store that failed
    interrupted: bool = False  # by Ctrl-C: what had come until then

    def recording(self) -> str | None:
        """Where it can be read again, in words; None where nothing was to be kept."""
        if self.run_id is None:
            return None
        if self.recorded_in is None:
            return "not recorded: the store failed, and what was remembered instead ends with this process"
        return f"recorded in {self.recorded_in}: penstock explain {self.run_id}"


def story_of(controller: Controller, govern: Callable[[], None], begun: RunStory) -> RunStory:
    """The story that `begun` begins, once `govern` is over: at its end, by Ctrl-C, or by an error."""
    story = begun
    try:
        govern()
    except KeyboardInterrupt:
        story = replace(story, interrupted=True)
    except EngineError as error:
        story = failed(story, error)
    if controller.error is not None:
        story = failed(story, controller.error)
    elif story.error is None and not story.interrupted and controller.failing is not None:
        why = f"the time was over while it failed: {controller.failing}"
        story = replace(story, error=why, exit_code=FAILED_TO_THE_END)
    story = replace(story, views=controller.views, decisions=controller.decisions)
    kept = controller.remembering
    place = None if kept is None or kept.lost else kept.place
    return story if kept is None else replace(story, run_id=kept.run.id, recorded_in=place)


def failed(story: RunStory, error: Exception) -> RunStory:
    """The story of a run that ended by this error: whoever watches over it goes by its exit code."""
    return replace(
        story, error=told(error), exit_code=TakenOverError.exit_code if isinstance(error, TakenOverError) else 1
    )


def as_document(story: RunStory) -> dict[str, Any]:
    """The figures of `penstock run --json`."""
    possible = [(view.utility, possible_utility(view)) for view in story.views]
    shares = [utility / most for utility, most in possible if most > 0]
    return {
        "name": story.name,
        "policy": story.policy,
        "master": story.master,
        "dry_run": story.dry_run,
        "seconds": story.views[-1].at_s if story.views else 0.0,
        "utility_mean": mean(shares),
        "from_first_figures": _from_first_figures(story.views),
        "jobs": {job.name: _job_document(job.name, story.views) for job in story.views[-1].jobs} if story.views else {},
        "series": [_round_document(view) for view in story.views],
        "decisions": [decision_document(record) for record in story.decisions],
        "error": story.error,
        "run": story.run_id,
    }


def _from_first_figures(views: Sequence[View]) -> float | None:
    """The mean share of all utility since every tenant had figures: a start is not counted as if nothing was had."""
    since = dropwhile(lambda view: not all(_has_figures(job) for job in view.jobs), views)
    return mean(view.utility / view.max_utility for view in since if view.max_utility > 0)


def _has_figures(job: JobView) -> bool:
    return job.utility is not None or state_of(job) is State.RESTING


def _round_document(view: View) -> dict[str, Any]:
    return {
        "at_s": view.at_s,
        "utility": view.utility,
        "max_utility": view.max_utility,
        "jobs": {job.name: _seen_document(job) for job in view.jobs},
    }


def _seen_document(job: JobView) -> dict[str, Any]:
    bound = job.figures.lever("bound")
    return {
        "utility": job.utility,
        "met": job.met,
        "latency_s": asked_latency_s(job),
        "juice": job.figures.juice,
        "slots": job.figures.threads,
        "bound": None if bound is None else bound.now,
    }


def _job_document(name: str, views: Sequence[View]) -> dict[str, Any]:
    seen = [view.job(name) for view in views if any(job.name == name for job in view.jobs)]
    last = seen[-1].figures
    begun = [job for job in seen if state_of(job) is not State.STARTING]  # before that nobody could have measured it
    return {
        **job_document(
            [(job.utility or 0.0) / job.max_utility for job in begun],
            [state is State.FINE for job in begun if (state := state_of(job)) is not State.RESTING],
        ),
        "slots": last.threads,
        "juice": last.juice,
        "latency_mean_s": None if last.latency is None else last.latency.mean_s,
        "latency_estimated": None if last.latency is None else last.latency.estimated,
        "trouble": last.trouble,
    }
