"""Profiling on real Spark: a worker on one core, everything else on the others, and the model in a directory."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, is_dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from penstock.analysis.stability import FEWEST_POINTS
from penstock.core.seen.trial import Measured, Task, Trial
from penstock.engines.spark.profiling.cores import Cores, kept_off, split_cores
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.engines.spark.profiling.trials import TrialRunner, trial_runner
from penstock.errors import ConfigError
from penstock.profiling.tasks.catalog import task_named
from penstock.profiling.tasks.models_file import Profiled, add_model, check_models
from penstock.profiling.tasks.profile import ProfileSettings, Progress, model_of, profile
from penstock.profiling.tasks.provenance import provenance, words
from penstock.profiling.tasks.record import TrialRecord
from penstock.user_folders import state_folder

__all__ = ["TrialSettings", "default_file", "profile_on_spark"]


def default_file() -> Path:
    """Where models are kept when nobody says where."""
    return state_folder() / "models.yaml"


def profile_on_spark(
    name: str,
    settings: ProfileSettings,
    trials: TrialSettings,
    file: Path | None,
    fresh: bool,
    tell: Callable[[Progress], None],
) -> Profiled:
    """Profile the task of that name; trials that are on record already are not done again."""
    _refuse_too_few_rows(settings, trials)
    path = file or default_file()
    check_models(path)
    cores = split_cores()
    with kept_off(cores), task_named(name) as task, _Late(task, cores, settings, trials) as run:
        details = {
            "task": _described(task),
            "trials": trials,
            "search": f"{settings.method}: {words(settings.search)}",
            "stability": settings.stability,
            "disturbed": f"unstable trials with others on over {settings.max_others:.0%} of the core are done again",
        }
        head = {key: words(value) for key, value in details.items()}
        record = TrialRecord(path.with_name(f"{path.stem}.{task.name}.trials.jsonl"), head)
        peaks = profile(run, settings, record, fresh, tell)
        model = model_of(task.name, peaks, provenance(details), settings)
    add_model(path, task.name, model)
    return Profiled(task.name, model, path)


def _refuse_too_few_rows(settings: ProfileSettings, trials: TrialSettings) -> None:
    """Every trial at the first rate would be unstable, and the search end with nothing after minutes."""
    looked_at_s = trials.length_s - trials.warm_up_s
    if settings.search.first_rate_rps * looked_at_s < FEWEST_POINTS:
        remedy = (
            f"{looked_at_s:g} s of a trial see fewer than {FEWEST_POINTS} rows then; begin at "
            f"{FEWEST_POINTS / looked_at_s:.2g} or more, or make trials longer"
        )
        raise ConfigError("first_rate", settings.search.first_rate_rps, remedy)


class _Late:
    """A runner that starts Spark with its first trial: there may be none left to do."""

    def __init__(self, task: Task, cores: Cores, settings: ProfileSettings, trials: TrialSettings) -> None:
        self._how = (task, cores, settings.search.max_threads, trials)
        self._runner: TrialRunner | None = None
        self._open = ExitStack()

    def __enter__(self) -> "_Late":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def __call__(self, trial: Trial) -> Measured:
        if self._runner is None:
            self._runner = self._open.enter_context(trial_runner(*self._how))
        return self._runner.run(trial)


def _described(task: Task) -> str:
    """The task's own settings; where its service listens is another place every time."""
    settings: Any = task  # a user's own need not be a dataclass
    known: dict[str, Any] = {} if not is_dataclass(settings) or isinstance(settings, type) else asdict(settings)
    fields = {key: value for key, value in known.items() if key not in ("name", "host", "port", "url")}
    return ", ".join([task.name, *(f"{key}={value}" for key, value in fields.items())])
