"""Hearing: what a listener was told, and what is found by looking about, comes into the state."""

from collections.abc import Iterable, Mapping

from penstock.engines.spark.port import Events
from penstock.engines.spark.rounds.unheard_ends import UnheardEnds
from penstock.engines.spark.state.keeping_places import KeepingPlaces
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.told.apart import Apart
from penstock.engines.spark.watch.events import Arrived, FilesWait, Met, StageRead
from penstock.engines.spark.watch.instructions import wants_stages
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.python_time import PythonWatch


class Hearing:
    """Each part for itself: what goes wrong in one is told apart."""

    def __init__(self, shared: Shared, events: Events, routes: Routes, places: KeepingPlaces) -> None:
        self._spark = shared.spark
        self._state = shared.state
        self._events = events
        self._routes = routes
        self._places = places
        self._clocks = shared.clocks
        self._ends = UnheardEnds(shared)
        self._python = PythonWatch()
        self.python_shares: Mapping[str, float] = {}  # by job, of the time that tasks wait for workers, that these work

    def look_about(self, apart: Apart) -> None:
        """What the listener heard, and all that has to be asked for."""
        self._share_out(self._state.take_heard(self._events, apart), apart)
        with apart.trying("queries"):
            if self._state.fleet.lacks_queries:
                self._state.take(*(Met(query) for query in self._spark.queries()))
        with apart.trying("waiting files"):
            self._take_waiting_files()
        with apart.trying("stages"):
            self._take_stages()
        with apart.trying("arrivals"):
            queries = {track.job.name: track.query for track in self._state if track.query is not None and track.runs}
            self._state.take(*(Arrived(job, rows) for job, rows in self._spark.arrivals(queries).items()))
        with apart.trying("places of state"):
            self._places.look()
        with apart.trying("Python workers"):
            self.python_shares = self._python.shares(self._state.fleet.python_waits())

    def look_after(self, batches: Iterable[Batch], apart: Apart) -> None:
        """Between two looks: what they give to others, and what first ones say of the next."""
        self._share_out(batches, apart)
        self._ends.look(apart)
        with apart.trying("stages"):
            now = self._clocks.now()
            if any(wants_stages(track, now) for track in self._state):
                self._take_stages()

    def _share_out(self, batches: Iterable[Batch], apart: Apart) -> None:
        """What they give to windows of routes, and what Python workers used."""
        with apart.trying("windows of key pairs"):
            self._routes.add(batches)
        with apart.trying("Python workers"):
            at_s = self._clocks.wall()
            if self._python.due(at_s, self._state.fleet.runs_python):
                self._python.add(at_s, self._spark.python_cpu_s())

    def _take_waiting_files(self) -> None:
        for track in self._state:
            waiting = self._spark.waiting_files(track.query) if track.runs and track.query is not None else None
            if waiting is not None:
                self._state.take(FilesWait(track.job.name, waiting))

    def _take_stages(self) -> None:
        """What a stage does is asked once for each place in the plan of a job's query."""
        for reading in self._spark.stages.read():
            track = self._state.fleet.of_run(reading.run_id)
            if track is not None:
                name = None if track.stages.knows(reading) else self._spark.stages.name(reading.stage_id)
                self._state.take(StageRead(reading, name))
