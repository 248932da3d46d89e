"""A job's outlook: models and forecast from what is remembered of it, or in words why there is none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from penstock.analysis.forecast.chosen import BestOnPast
from penstock.analysis.models.job import JobModel, job_model
from penstock.analysis.models.serving import capacities_served
from penstock.core.known.batch_recovery import Batches
from penstock.core.known.forecast import Forecast, Series
from penstock.core.known.outlook import JobOutlook, RecoveryForetold
from penstock.core.seen.evidence import Observation
from penstock.core.seen.failures import Failure
from penstock.core.seen.figures import JobFigures
from penstock.core.seen.view import JobView
from penstock.planning.phoebe.memory import JobMemory
from penstock.planning.phoebe.outages import plausible
from penstock.planning.phoebe.prospects import Ahead
from penstock.planning.phoebe.settings import PhoebeSettings
from penstock.planning.phoebe.watching import busy_share

Curve = Callable[[float], float]
Kinds = tuple[tuple[Failure, ...], ...]

_USUAL_LEVEL = 0.8  # of the bounds, where nobody asks for any
_LEAST_LEVEL = 0.01  # a certainty of one half is the mean


@dataclass(frozen=True, slots=True)
class Outlook:
    """What lies ahead. Without a forecast the rate is taken to stay as it is, and `caveat` says so."""

    ahead: Ahead
    forecast: Forecast | None
    caveat: str = ""

    def told(
        self, job: JobView, wanted: int, at_s: float, until_s: float, by_kind: tuple[RecoveryForetold, ...] = ()
    ) -> JobOutlook:
        """As others may know it: with the recovery times of what the job has and of what it is to have."""
        scaleouts = sorted({job.figures.threads, wanted})
        recoveries_s = tuple((scaleout, self.ahead.recovery_s(scaleout)) for scaleout in scaleouts)
        return JobOutlook(job.name, at_s, until_s, self.forecast, recoveries_s, by_kind)


def model_of(
    job: JobView, known: JobMemory, profile: tuple[Observation, ...], at_s: float, half_life_s: float
) -> JobModel | None:
    """From the profile and the service; without a profile, also from how busy its executors are."""
    evidence = (*profile, *known.evidence)
    if not profile:
        now = _as_it_serves(job.figures, at_s)
        evidence = (*evidence, *capacities_served((*evidence, now) if now is not None else evidence))
    return job_model(evidence, at_s, half_life_s)


def _as_it_serves(figures: JobFigures, at_s: float) -> Observation | None:
    if not figures.processed_rps or figures.threads < 1:
        return None
    return Observation(figures.threads, figures.processed_rps, at_s=at_s, busy_share=busy_share(figures))


def outlook_of(
    job: JobView, known: JobMemory, at_s: float, settings: PhoebeSettings, of_others: Sequence[Failure] = ()
) -> Outlook | None:
    """None where no model of the job can be had, or nobody knows what arrives.

    `of_others` are the failures of the other jobs on the same cluster.
    """
    profile = settings.profiles.get(job.name, ())
    model = model_of(job, known, profile, at_s, settings.half_life_s)
    if model is None or job.figures.arrival_rps is None:
        return None
    kinds = plausible(known.seen, settings, of_others)
    history = Series(settings.step_s, known.rates.values)
    if len(history.values) < max(2.0, settings.least_history):
        minutes = len(history.values) * settings.step_s / 60.0
        caveat = f"{minutes:.0f} min of history are too short for a forecast: sized for the present rate"
        rate = job.figures.arrival_rps
        return Outlook(_ahead(job, kinds, model, lambda t: rate, settings), None, caveat)
    certainty = job.intent.certainty
    level = _USUAL_LEVEL if certainty is None else max(_LEAST_LEVEL, 2.0 * certainty - 1.0)
    steps = round(int(settings.look_ahead) * settings.interval_s / settings.step_s)
    forecast = BestOnPast(level=level).forecast(history, steps)
    curve = forecast.curve(history, share=0.0 if certainty is None else 1.0)
    return Outlook(_ahead(job, kinds, model, curve, settings), forecast)


def _ahead(job: JobView, kinds: Kinds, model: JobModel, curve: Curve, settings: PhoebeSettings) -> Ahead:
    checkpoint_s = job.figures.checkpoint_s
    return Ahead(
        curve=curve,
        model=model,
        failures=kinds,
        checkpoint_s=settings.checkpoint_s if checkpoint_s is None else checkpoint_s,
        interval_s=settings.interval_s,
        bin_s=settings.bin_s,
        batches=batches_of(job.figures, model),
    )


def batches_of(figures: JobFigures, model: JobModel) -> Batches | None:
    """How it takes its rows, from its batches of late; None for a job without batches."""
    took_s, every_s = figures.batch_s, figures.checkpoint_s
    if not took_s or not every_s:
        return None
    capacity = model.capacity.at(figures.threads)
    rows_s = 0.0 if capacity <= 0.0 else (figures.processed_rps or 0.0) * every_s / capacity
    return Batches(every_s, max(0.0, took_s - rows_s), every_s + took_s)
