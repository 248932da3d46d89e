"""Capacity: the slots that there are, and executors that follow the jobs' slots where their number is ours to turn."""

import logging
from functools import partial

from penstock.core.levers import Slots
from penstock.engines.spark.application.elastic import Elastic
from penstock.engines.spark.application.turned import TurnedExecutors
from penstock.engines.spark.state.shared import Shared
from penstock.errors import EngineError, told

_log = logging.getLogger("penstock.spark")


class Capacity:
    """Of one application."""

    def __init__(self, shared: Shared) -> None:
        self._spark = shared.spark
        self._state = shared.state
        self._deeds = shared.deeds
        self._clocks = shared.clocks
        self._lease = shared.lease
        self.turned = TurnedExecutors(self._spark.executors, partial(self._deeds.note, None))
        self.elastic: Elastic | None = None
        most = shared.settings.executors
        if most is not None:
            note, holds = partial(self._deeds.note, None), shared.settings.holds_executors
            self.elastic = Elastic(self._spark.executors, most, self._spark.slots_each, note, holds)

    def executors(self) -> tuple[int, int]:
        """How many live, and how many the cluster is asked for."""
        there = self._spark.executors.count()
        return there, there if self.elastic is None else self.elastic.target

    def wanted(self) -> int | None:
        """How many are wanted by now, where their number is ours to turn."""
        return None if self.elastic is None else self.elastic.target

    def hold(self, executors: int) -> None:
        """Have so many executors from now on, where their number is ours to turn; none is waited for."""
        with self._lease.held():
            self._lease.renew()
            if self.elastic is None:
                raise EngineError("the number of this application's executors is not penstock's to turn")
            self.elastic.allow(executors, self._clocks.even())

    def slots(self) -> int:
        """Those there are; where executors follow, those that could be had."""
        limit = self.limit()
        return limit if limit is not None else max(1, sum(one.slots for one in self._spark.executor_list()))

    def limit(self) -> int | None:
        """The most slots that could be had, where executors follow the jobs' slots."""
        return None if self.elastic is None else self.elastic.slots(self._clocks.even())

    def settles(self, window_s: float) -> bool:
        """Whether figures over a window are those of another number of executors than is wanted."""
        return self.elastic is not None and self.elastic.settles(self._clocks.even(), window_s)

    def follow(self) -> None:
        """Executors for the slots that the jobs have now."""
        if self.elastic is not None:
            self.elastic.follow(sum(track.threads for track in self._state), self._clocks.even())

    def follow_plan(self) -> None:
        """The same after a plan; where the cluster manager refuses, the plan's steps are done all the same."""
        try:
            self.follow()
        except Exception as error:
            _log.warning("executors do not follow the jobs' slots: %s", told(error))
            self._deeds.note(None, "executors stay as they are", "the jobs' slots have changed", told(error))

    def keep(self) -> bool:
        """Look after the executors; whether jobs had to give slots up, for the cluster gives fewer."""
        if self.elastic is None:
            self.turned.keep(self._clocks.even())
            return False
        self.elastic.keep(self._clocks.even())
        slots = self.elastic.slots(self._clocks.even())
        given_up = self._state.fit(slots)
        for name, (before, after) in given_up.items():
            self._deeds.note(name, Slots(name, before, after).text, f"the cluster gives {slots} in all")
        return bool(given_up)
