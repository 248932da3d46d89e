"""Steps carried out: move by move, and one that fails half-way is taken back whole."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from penstock.core.levers import Move
from penstock.core.plan import Step, StepOutcome
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.state.shared import Shared
from penstock.errors import EngineError, told

_log = logging.getLogger("penstock.spark")


class Steps:
    """Nothing is done, and nothing taken back, once another controller has the application."""

    def __init__(self, shared: Shared, levers: Mapping[str, Lever[Any]]) -> None:
        self._levers = levers
        self._lease = shared.lease
        self._clocks = shared.clocks

    def carry_out(self, step: Step) -> StepOutcome:
        """What came of it, or why nothing did; whoever asks holds the lease."""
        done: list[Move] = []
        try:
            for move in step.moves:
                self._lease.renew()
                _log.info("about to turn %s %s", move.job, move.text)
                self._lever(move).turn(move, self._clocks.wall())
                _log.info("turned %s %s", move.job, move.text)
                done.append(move)
        except Exception as error:
            _log.warning("%s failed: %s", step.job, told(error))
            return self._undo(step, done, told(error))
        return StepOutcome(step)

    def _undo(self, step: Step, done: Sequence[Move], why: str) -> StepOutcome:
        if not done:
            return StepOutcome(step, why)
        what = ", ".join(f"{move.job} {move.text}" for move in done)
        try:
            for move in reversed(done):
                self._lease.renew()
                self._lever(move).turn(move.undo, self._clocks.wall())
        except Exception as error:
            _log.warning("%s could not be taken back: %s", what, told(error))
            return StepOutcome(step, f"{why}; not undone: {what}, because {told(error)}", undone=False)
        return StepOutcome(step, f"{why}; undone: {what}", undone=True)

    def _lever(self, move: Move) -> Lever[Any]:
        lever = self._levers.get(move.kind)
        if lever is None:
            raise EngineError(f"{move.job}: there is no {move.kind} to turn here; there are {', '.join(self._levers)}")
        return lever
