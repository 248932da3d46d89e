"""The fleet: the tracks of all jobs, as a value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from penstock.engines.lost_executors import Crew
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.watch.python_time import PythonWait
from penstock.engines.spark.watch.track import Track
from penstock.errors import ConfigError, EngineError


@dataclass(frozen=True, slots=True)
class TrackedFleet:
    """All jobs by name, in a stable order. What happens to one gives another fleet, see `take`."""

    tracks: Mapping[str, Track] = field(default_factory=dict)
    runs: Mapping[str, str] = field(default_factory=dict)  # whose each run of a query is or was
    promised: Mapping[str, int] = field(default_factory=dict)  # slots of long-lived tasks that are being started
    keep_s: float = 120.0  # for how long batches are remembered
    crew: Crew = Crew()  # the executors that all of them run on

    @classmethod
    def of(cls, jobs: Sequence[Job], keep_s: float) -> "TrackedFleet":
        """Of these jobs, none of which has been seen; a ConfigError where two have the same name."""
        names = [job.name for job in jobs]
        for name in names:
            if names.count(name) > 1:
                raise ConfigError("jobs", name, "give each job a name of its own")
        tracks = {job.name: Track(job, threads=1) for job in sorted(jobs, key=lambda job: job.name)}
        return cls(tracks, keep_s=keep_s)

    def __iter__(self) -> Iterator[Track]:
        return iter(self.tracks.values())

    def __len__(self) -> int:
        return len(self.tracks)

    def named(self, name: str) -> Track:
        """The track of that job; an EngineError lists the jobs there are."""
        if name not in self.tracks:
            raise EngineError(f"there is no job named {name!r}; there are: {', '.join(self.tracks) or 'none'}")
        return self.tracks[name]

    def of_run(self, run_id: str) -> Track | None:
        """The track of the job whose query has or had that run; None where it is nobody's here."""
        name = self.runs.get(run_id)
        return None if name is None else self.tracks[name]

    def with_track(self, track: Track) -> "TrackedFleet":
        """With this one in the place of the job's other."""
        runs = (
            self.runs if track.run_id is None or track.run_id in self.runs else {**self.runs, track.run_id: _of(track)}
        )
        return replace(self, tracks={**self.tracks, _of(track): track}, runs=runs)

    def changed(self, name: str, **fields: Any) -> "TrackedFleet":
        """With the job's track changed in these fields."""
        return self.with_track(replace(self.named(name), **fields))

    def clock_set(self, by_s: float) -> "TrackedFleet":
        """The wall's clock was set by so much."""
        tracks = {name: track.clock_set(by_s) for name, track in self.tracks.items()}
        return replace(self, tracks=tracks, crew=self.crew.clock_set(by_s))

    @property
    def lacks_queries(self) -> bool:
        """Whether a query runs that is known by its events only."""
        return any(track.runs and track.query is None for track in self)

    @property
    def runs_python(self) -> bool:
        """Whether any job's batches hand rows to Python workers."""
        return any(track.stages.runs_python for track in self if not track.tasks)

    def python_waits(self) -> tuple[PythonWait, ...]:
        """What all jobs waited for Python workers; long-lived tasks never tell, and would keep the others from it."""
        return tuple(wait for track in self if not track.tasks for wait in track.stages.python_waits(track.job.name))

    def promise(self, name: str, slots: int) -> "TrackedFleet":
        """The job is being started with long-lived tasks in so many slots; 0 when that is over."""
        others = {job: held for job, held in self.promised.items() if job != name}
        return replace(self, promised={**others, name: slots} if slots else others)

    def kept_slots(self) -> dict[str, int]:
        """The slots that real-time jobs hold for good, or are about to, by job."""
        held = {track.job.name: track.kept_slots for track in self if track.tasks and track.runs}
        return {**held, **self.promised}

    def kept_by_others(self, name: str) -> int:
        """The slots that the long-lived tasks of all jobs but this one hold."""
        return sum(slots for job, slots in self.kept_slots().items() if job != name)

    def fitted(self, slots: int) -> "TrackedFleet":
        """The jobs' threads within so many slots: who has most gives first, and all keep one."""
        found = self
        while sum(track.threads for track in found) > slots:
            most = max(found, key=lambda track: (track.threads, track.job.name))
            if most.threads <= max(1, most.job.limits.min_slots):
                break
            found = found.changed(most.job.name, threads=most.threads - 1)
        return found


def _of(track: Track) -> str:
    return track.job.name
