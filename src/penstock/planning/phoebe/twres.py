"""`twres`: the smallest scale-out that can cope with the forecast, one more when latency is too high.

The scaling rule of TWRES (Hu, Kang and Zheng, 2019) as Phoebe's evaluation runs it (section IV-C3), on the same
profile, models and forecasts as `phoebe`. It knows nothing of recoveries.
"""

from dataclasses import dataclass, replace

from penstock.analysis.forecast.chosen import BestOnPast
from penstock.analysis.models.job import JobModel
from penstock.core.known.forecast import Series
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import JobView, View
from penstock.planning.baselines.reactive import scaled
from penstock.planning.phoebe.memory import JobMemory, PhoebeMemory
from penstock.planning.phoebe.outlook import model_of
from penstock.planning.phoebe.settings import TwresSettings
from penstock.planning.phoebe.watching import watched
from penstock.planning.phoebe.words import rate_text


@dataclass(frozen=True, slots=True)
class Twres:
    """Capacity for the forecast, and a latency constraint."""

    settings: TwresSettings = TwresSettings()
    name: str = "twres"

    def start(self) -> PhoebeMemory:
        """Nothing was seen yet."""
        return PhoebeMemory()

    def decide(self, view: View, memory: PhoebeMemory) -> tuple[Plan, PhoebeMemory]:
        """A decision for each job whose interval is over and that should have another scale-out."""
        settings = self.settings
        memory = watched(view, memory, settings.step_s, settings.history_s, settings.interval_s)
        decisions, notes = [], []
        for job in view.jobs:
            known = memory.jobs[job.name]
            if not job.fresh or job.figures.settling or not _due(known, view.at_s, settings):
                continue
            memory = _looked_at(memory, job.name, view.at_s)
            wanted, why = _wanted(job, known, view.at_s, settings)
            moves = scaled(job, wanted)
            notes.append(f"{job.name}: {why}")
            if moves:
                decisions.append(Decision(Reason.RESCALED, moves, notes[-1], view.at_s, view.utility))
        return Plan(tuple(decisions), "; ".join(notes) or "waiting for the next evaluation"), memory


def _due(known: JobMemory, at_s: float, settings: TwresSettings) -> bool:
    return known.looked_at_s is None or at_s - known.looked_at_s >= settings.interval_s


def _looked_at(memory: PhoebeMemory, job: str, at_s: float) -> PhoebeMemory:
    return PhoebeMemory({**memory.jobs, job: replace(memory.jobs[job], looked_at_s=at_s)})


def _wanted(job: JobView, known: JobMemory, at_s: float, settings: TwresSettings) -> tuple[int, str]:
    now = job.figures.threads
    model = model_of(job, known, settings.profiles.get(job.name, ()), at_s, settings.half_life_s)
    if model is None or job.figures.arrival_rps is None:
        return now, "not enough data: left unchanged"
    rate = _highest_rate(job.figures.arrival_rps, known, settings)
    enough = _smallest(model, rate, most=max(8 * now, 1))
    latency = None if job.figures.latency is None else job.figures.latency.mean_s
    if enough <= now and latency is not None and latency > settings.latency_s:
        return now + 1, f"latency is {latency:.1f} s, above {settings.latency_s:g} s: one more ({now} now)"
    return enough, f"{enough} can process the {rate_text(rate)} expected within {settings.horizon_s / 60:.0f} min"


def _highest_rate(rate_now: float, known: JobMemory, settings: TwresSettings) -> float:
    if len(known.rates.values) < max(2.0, settings.least_history):
        return rate_now
    steps = max(1, round(settings.horizon_s / settings.step_s))
    return max(BestOnPast().forecast(Series(settings.step_s, known.rates.values), steps).mean)


def _smallest(model: JobModel, rate_rps: float, most: int) -> int:
    return next((scaleout for scaleout in range(1, most) if model.capacity.at(scaleout) >= rate_rps), most)
