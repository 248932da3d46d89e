"""Restarts under way: each beside the rounds, for a tenant's function, its batch and its checkpoint take their time.

Whoever asks for one waits a little for its end, as most are over soon. What takes longer is taken up between rounds.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from penstock.engines.spark.jobs.query import Query, RestartError
from penstock.engines.spark.jobs.starting import StartEnded, Starts
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.watch.events import Failed
from penstock.errors import EngineError, first_line

_log = logging.getLogger("penstock.spark")

_IN_A_ROUND_S = 10.0  # all restarts of a round together: rounds are 10 s apart, and three intervals are too many
_BETWEEN_ROUNDS_S = 2.0


@dataclass(slots=True)
class Restart:
    """One of a job's query; `then` is done once it runs as wanted, `otherwise` where it does not."""

    job: str
    query: Query
    change: Callable[[], Query]
    then: Callable[[], object]
    otherwise: Callable[[], object]
    error: EngineError | None = None

    def carry_out(self) -> Query:
        """The query that runs afterwards, as it was where it could not be changed; in a thread of its own."""
        try:
            return self.change()
        except RestartError as error:
            self.error = error
            return error.query
        except EngineError as error:
            self.error = error
            raise
        except Exception as error:  # a tenant's own code may raise anything; the other tenants go on
            self.error = EngineError(f"{self.job} could not be started again: {first_line(error)}")
            raise


class Restarting:
    """Begins them, and takes up what came of them; `runs` is told of every query that was started."""

    def __init__(self, shared: Shared, starts: Starts[Query], runs: Callable[[str, Query], None]) -> None:
        self._state = shared.state
        self._clocks = shared.clocks
        self._deeds = shared.deeds
        self._starts = starts
        self._runs = runs
        self._under_way: dict[str, Restart] = {}
        self._waits_until_s = 0.0

    def in_a_round(self) -> None:
        """Those begun from now on are steps: they are waited for as long as a round can wait, all of them together."""
        self._waits_until_s = self._clocks.even() + _IN_A_ROUND_S

    def between_rounds(self) -> None:
        """The next round is not to wait for those begun from now on."""
        self._waits_until_s = self._clocks.even() + _BETWEEN_ROUNDS_S

    def do(self, restart: Restart) -> None:
        """Begin it; an EngineError where it is over by the time that it is waited for, and did not come about."""
        name = restart.job
        if self._starts.under_way_s(name) is not None:
            raise EngineError(f"{name}: its query is being started; that is to be over before it is started anew")
        self._under_way[name] = restart
        self._state.change(name, restarts=True)
        self._starts.begin(name, restart.carry_out)
        left_s = max(0.0, self._waits_until_s - self._clocks.even())
        ended = self._starts.over_after(name, lambda over: self._clocks.pause(over, left_s))
        if ended is None:
            _log.info("the restart of %s goes on beside the rounds", name)
            return
        self._take(self._under_way.pop(name), ended)
        if restart.error is not None:
            raise restart.error

    def taken(self, ended: StartEnded[Query]) -> bool:
        """Whether what has ended was one of these; what came of it is told, for nobody waits for it any more."""
        restart = self._under_way.pop(ended.name, None)
        if restart is None:
            return False
        self._take(restart, ended)
        came = "runs as it was" if restart.error is not None and ended.made is not None else "was started again"
        if ended.made is None:
            came = "could not be started again"
        self._deeds.note(ended.name, f"its query {came}", "it took longer than a round waits", _told(restart))
        return True

    def _take(self, restart: Restart, ended: StartEnded[Query]) -> None:
        track = self._state.change(restart.job, restarts=False, starting_s=None)
        if ended.made is None:
            restart.error = restart.error or EngineError(f"{restart.job}: {ended.why}")
            if not restart.query.isActive and track.job.function is not None:
                _log.warning("%s could not start: %s", restart.job, ended.why)
                self._state.take(Failed(restart.job, ended.why or "nothing was started"))
        elif ended.made.runId != track.run_id:
            self._runs(restart.job, ended.made)
        (restart.then if restart.error is None else restart.otherwise)()


def _told(restart: Restart) -> str | None:
    return None if restart.error is None else str(restart.error)
