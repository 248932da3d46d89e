"""A rehearsal: the search for Tmax on real Spark, with copies of a job on its own recorded input.

look --> room? --> record --> copies start --> round after round --> the profile
                    (kept)                     (kept after each)
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from penstock.config.profiles import write_profile
from penstock.core.units import positive_seconds
from penstock.engines.kafka.topics import make_topics, remove_topic
from penstock.engines.spark.jvm.diverted import Source
from penstock.engines.spark.jvm.room import free_on
from penstock.errors import ConfigError, EngineError
from penstock.planning.profiling.jobs import CopyEnded, CopySearchSettings, MeasuredCopy, after_round, start
from penstock.profiling.jobs.copies import Copy, end_all, wait_ready
from penstock.profiling.jobs.copy import CopySpec
from penstock.profiling.jobs.job import RehearsedJob
from penstock.profiling.jobs.live import LiveJob
from penstock.profiling.jobs.look import Looked
from penstock.profiling.jobs.recording import Recording, record
from penstock.profiling.jobs.replay import FileSink, Replay, TopicSink
from penstock.profiling.jobs.state import Rehearsed, SearchFile

_READY_WITHIN_S = 900.0  # twenty JVMs that start at once on a busy machine
_TRICKLE = 0.05  # of the first rate, until all copies are ready
_READY_AFTER_S = 10.0  # latency, beside that of a measuring time: an older row is one of the start
_LOOKED_WITHIN_S = 600.0
_LIVE_EVERY_S = 5.0
_WARM_WITHIN_S = 90.0
_KEEPS_UP = 0.95  # share of the arriving rows that a copy must process; its figures are of whole batches


@dataclass(frozen=True, slots=True)
class RehearsalSettings:
    """What is searched, on how much of the input."""

    scaleouts: tuple[int, ...]
    search: CopySearchSettings
    record_s: float = 300.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class RehearsalSpans:
    """Durations as a user writes them; `prefix` is that of the names by which an error tells of them."""

    record: object
    settle: object
    measure: object
    prefix: str = ""


def rehearsal_settings(
    scaleouts: Sequence[int], first_rps: float, step_rps: float | None, most_rounds: int, spans: RehearsalSpans
) -> RehearsalSettings:
    """Of what a user says. Without a step each round is faster by the first rate."""
    settle_s, measure_s, record_s = (
        positive_seconds(getattr(spans, name), f"{spans.prefix}{name}") for name in ("settle", "measure", "record")
    )
    step_rps = first_rps if step_rps is None else step_rps
    search = CopySearchSettings(first_rps, step_rps, settle_s, measure_s, most_rounds)
    return RehearsalSettings(tuple(scaleouts), search, record_s)


@dataclass(frozen=True, slots=True)
class RehearsalRound:
    """What is told after a round."""

    rate_rps: float
    measured: tuple[MeasuredCopy, ...]
    ended: tuple[CopyEnded, ...]
    state: Rehearsed


class Rehearsal:
    """One job's; `tell` hears sentences, `on_round` each round."""

    def __init__(
        self,
        job: RehearsedJob,
        settings: RehearsalSettings,
        out: Path,
        tell: Callable[[str], None],
        on_round: Callable[[RehearsalRound], None],
    ) -> None:
        self._job = job
        self._settings = settings
        self._out = out
        self._tell = tell
        self._on_round = on_round
        head = {"job": f"{job.path}:{job.part.name}", **asdict(settings)}
        self._file = SearchFile(out.with_suffix(".search.json"), head)
        self._kept = out.with_suffix(".recording")

    def run(self, live: LiveJob, fresh: bool) -> Rehearsed:
        """Search until every copy has fallen behind; the profile is written to its file."""
        if fresh:
            self._forget()
        known = self._file.load()
        looked = self._look()
        state = self._begun(known, live, self._room(looked))
        recording = self._recorded(looked.source)
        state = self._searched(state, looked.source, recording, live)
        write_profile(self._out, state.search.found)
        self._forget()
        return state

    def _look(self) -> Looked:
        self._tell("looking at what the job reads and what the cluster has free")
        command = [sys.executable, "-m", "penstock.profiling.jobs.look"]
        named = f"{self._job.path}:{self._job.part.name}"
        done = subprocess.run(
            [*command, named, self._job.master], capture_output=True, text=True, timeout=_LOOKED_WITHIN_S, check=False
        )
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["it said nothing"]
            raise EngineError(f"the job cannot be looked at: {lines[-1]}")
        return Looked.read(json.loads(done.stdout.strip().splitlines()[-1]))

    def _room(self, looked: Looked) -> int | None:
        if looked.workers is None:
            self._tell("the master does not say what is free: whether there is room will be seen")
            return None
        return free_on(looked.workers, self._job.cores, self._job.memory_mib)

    def _begun(self, known: Rehearsed | None, live: LiveJob, room: int | None) -> Rehearsed:
        if known is None:
            return Rehearsed(start(self._settings.scaleouts, room, self._settings.search), live.latency_s())
        start(known.search.running, room, self._settings.search)  # only for its refusal
        self._tell(
            f"going on after round {known.search.rounds} with {', '.join(map(str, known.search.running))} executors"
        )
        return known

    def _recorded(self, source: Source) -> Recording:
        if self._kept.exists():
            return Recording.load(self._kept)
        recording = record(source, self._settings.record_s)
        recording.save(self._kept)
        self._tell(f"recorded {len(recording.rows)} rows of {recording.seconds:.0f} s, {recording.rate_rps:.0f}/s")
        return recording

    def _searched(self, state: Rehearsed, source: Source, recording: Recording, live: LiveJob) -> Rehearsed:
        with _place() as place, _replayed(source, recording, place, self._settings.seed) as (replay, where):
            copies = {size: Copy(self._spec(where, size, place)) for size in state.search.running}
            try:
                self._tell(f"starting {len(copies)} copies with {state.search.executors} executors")
                # Few rows, or what gathers while executors start would be worked off for minutes: a first batch on
                # a busy machine takes a minute and more. So long every row of it has waited.
                replay.rate_rps = _TRICKLE * self._settings.search.first_rps
                wait_ready(list(copies.values()), _READY_AFTER_S + self._settings.search.measure_s, _READY_WITHIN_S)
                replay.rate_rps = state.search.rate_rps
                self._tell(f"warming up at {replay.rate_rps:g}/s")
                _warm_up(copies, replay, live)
                spent = state.search.cost_executor_s
                while not state.search.done:
                    state, spent = self._round(state, copies, replay, live, spent)
            finally:
                end_all(list(copies.values()))
        return state

    def _spec(self, where: CopySpec, scaleout: int, place: Path) -> CopySpec:
        return replace(
            where,
            job=f"{self._job.path}:{self._job.part.name}",
            master=self._job.master,
            scaleout=scaleout,
            place=str(place / f"x{scaleout}"),
            window_s=self._settings.search.measure_s,
        )

    def _round(
        self, state: Rehearsed, copies: dict[int, Copy], replay: Replay, live: LiveJob, spent: float
    ) -> tuple[Rehearsed, float]:
        rate_rps = replay.rate_rps = state.search.rate_rps
        latencies = list(_watched(self._settings.search.round_s, copies, replay, live))
        measured = tuple(_measured(copies[size], rate_rps) for size in state.search.running)
        search, ended = after_round(state.search, measured, self._settings.search)
        for one in ended:
            copy = copies.pop(one.scaleout)
            spent += copy.cost_executor_s
            copy.end()
        # What the copies really held, their start and the time in between included.
        cost = spent + sum(copy.cost_executor_s for copy in copies.values())
        mean = sum(latencies) / len(latencies) if latencies else None
        state = replace(state, search=replace(search, cost_executor_s=cost)).with_live(mean)
        self._file.save(state)
        self._on_round(RehearsalRound(rate_rps, measured, ended, state))
        return state, spent

    def _forget(self) -> None:
        self._file.path.unlink(missing_ok=True)
        self._kept.unlink(missing_ok=True)


def _warm_up(copies: dict[int, Copy], replay: Replay, live: LiveJob) -> None:
    """Until all keep up with the replay, for a cold JVM is slow; one that never will has been warm long before."""
    until_s = time.monotonic() + _WARM_WITHIN_S
    while time.monotonic() < until_s:
        if all(_measured(copy, replay.rate_rps).keeps_up for copy in copies.values()):
            return
        list(_watched(_LIVE_EVERY_S, copies, replay, live))


def _watched(seconds: float, copies: dict[int, Copy], replay: Replay, live: LiveJob) -> Iterator[float]:
    """Let the time pass; the live job's latencies meanwhile."""
    until_s = time.monotonic() + seconds
    while (left_s := until_s - time.monotonic()) > 0:
        time.sleep(min(_LIVE_EVERY_S, left_s))
        replay.check()
        for copy in copies.values():
            copy.check()
        latency_s = live.latency_s()
        if latency_s is not None:
            yield latency_s


def _measured(copy: Copy, rate_rps: float) -> MeasuredCopy:
    told = copy.reading
    if told is None or told.processed_rps is None:
        return MeasuredCopy(copy.spec.scaleout, rate_rps, None, 0.0, keeps_up=False)
    keeps_up = told.processed_rps >= _KEEPS_UP * rate_rps
    # One that falls behind shows its capacity in the batches that it has finished, not in the one that it is in.
    done = told.processed_rps if keeps_up else told.working_rps or told.processed_rps
    return MeasuredCopy(copy.spec.scaleout, rate_rps, told.latency_s, done, keeps_up)


@contextmanager
def _place() -> Iterator[Path]:
    """Where the copies' checkpoints and logs are; it stays when something went wrong, for its logs."""
    place = Path(tempfile.mkdtemp(prefix="penstock-rehearsal-"))
    try:
        yield place
    except EngineError:
        raise
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    else:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _replayed(source: Source, recording: Recording, place: Path, seed: int) -> Iterator[tuple[Replay, CopySpec]]:
    """The replay, and where copies find it: a topic or a directory of its own, removed afterwards."""
    spec = CopySpec("", "", 1, "", 1.0)
    if source.format != "kafka":
        rows = place / "rows"
        rows.mkdir()
        with Replay(recording, lambda: FileSink(rows), seed) as replay:
            yield replay, replace(spec, directory=str(rows))
        return
    bootstrap = source.option("kafka.bootstrap.servers")
    if bootstrap is None:
        raise ConfigError("JOB", "kafka.bootstrap.servers", "the job's source must name its broker")
    topic = f"penstock-rehearsal-{uuid.uuid4().hex[:8]}"
    make_topics(bootstrap, [topic], recording.partitions)
    try:
        with Replay(recording, lambda: TopicSink(bootstrap, topic), seed) as replay:
            yield replay, replace(spec, topic=topic)
    finally:
        remove_topic(bootstrap, topic)


def scaleouts_of(text: str) -> tuple[int, ...]:
    """Such as 1,2,4,8.

    >>> scaleouts_of("4,1,2")
    (1, 2, 4)
    """
    try:
        found: Sequence[int] = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise ConfigError("--scaleouts", text, "write numbers of executors such as 1,2,4,8")
    return tuple(sorted(set(found)))
