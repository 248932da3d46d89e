"""Executors that follow the jobs' slots: the application holds as many as its jobs have slots for, and no more.

A number that the cluster does not give within a minute is not waited for: what there is becomes the limit for a
while, so that policies divide what can be had and say what is missed.
"""

from collections.abc import Callable
from typing import Protocol

_GIVEN_WITHIN_S = 60.0  # 1 s on a warm machine, 15 s when eight JVMs start at once on two cores
_LIMITED_FOR_S = 300.0  # before more is asked for again: cores may have become free


class ElasticLever(Protocol):
    """What sets the number of executors; see `ExecutorLever`."""

    def count(self) -> int:
        """How many executors live."""

    def aim(self, wanted: int) -> None:
        """So many are wanted from now on; none is waited for."""

    def let_go(self, stay: int) -> None:
        """All but so many leave; asked again as long as more are there."""

    @property
    def leaving(self) -> int:
        """How many of those that live were let go of."""


class Elastic:
    """`most` executors at most, of so many slots each; `note` is told what is done, and why.

    With `holds` it has as many as it may, whatever slots the jobs have: a coordinator says how many these are, and each
    that comes or goes is told. `now` is on a clock that nobody sets.
    """

    def __init__(
        self,
        lever: ElasticLever,
        most: int,
        slots_each: int = 1,
        note: Callable[[str, str], None] = lambda text, why: None,
        holds: bool = False,
    ) -> None:
        self._lever = lever
        self._note = note
        self._most = most
        self._each = slots_each
        self._holds = holds
        self._target = most
        self._asked = True  # whether the cluster manager was told of the target: it may be away
        self._short_since_s: float | None = None
        self._limited_until_s = 0.0
        self._whole_since_s: float | None = None
        self._limit = most
        self._there = 0

    def slots(self, now: float) -> int:
        """The most slots that can be had, as far as is known."""
        return self._each * (self._limit if now < self._limited_until_s else self._most)

    @property
    def most(self) -> int:
        """The most executors that may be held."""
        return self._most

    def allow(self, most: int, now: float) -> None:
        """So many executors at most from now on; what the cluster did not give before is asked for again."""
        self._most, self._limited_until_s = most, now
        self.follow(min(self._target, most) * self._each, now)

    @property
    def follows(self) -> bool:
        """Whether their number is that of the jobs' slots."""
        return not self._holds

    @property
    def target(self) -> int:
        """The executors that are wanted."""
        return self._target

    def settles(self, now: float, window_s: float) -> bool:
        """Whether figures over a window are those of another number of executors than is wanted."""
        return self._whole_since_s is None or now - self._whole_since_s < window_s

    def follow(self, slots: int, now: float) -> None:
        """Hold executors for so many slots, or as many as it may."""
        allowed = self.slots(now) // self._each
        if self._holds:
            self._turn(max(1, allowed))
        else:
            self._turn(max(1, min(allowed, -(-slots // self._each))), f"the jobs have {slots} slots in all")

    def keep(self, now: float) -> None:
        """Let go of those that came over the target; note when the cluster does not give what is wanted.

        A target that could not be asked for is asked for again, and so is one that was forgotten: an application master
        of YARN's that died takes all executors with it, and the next one gives what the application began with.
        """
        self._ask()
        there, before = self._lever.count(), self._there
        stay, self._there = there - self._lever.leaving, there
        if self._holds:
            self._tell_of(before, there)
        elif stay > self._target:
            self._note(f"executors {stay} -> {self._target}", "more came than are wanted")
        if stay > self._target or there == 0 < before:
            self._asked = False
            self._ask()
        self._trim(there)
        if stay == self._target and self._whole_since_s is None:
            self._whole_since_s = now
        elif stay < self._target:
            self._whole_since_s = None
        if stay >= self._target:
            self._short_since_s = None
        elif self._short_since_s is None:
            self._short_since_s = now
        elif now - self._short_since_s > _GIVEN_WITHIN_S and stay > 0:
            self._limit, self._limited_until_s = stay, now + _LIMITED_FOR_S
            self._turn(
                stay, f"the cluster gives no more; {self._target} are asked for again after {_LIMITED_FOR_S:.0f} s"
            )

    def _tell_of(self, before: int, there: int) -> None:
        # What was asked for says little where others decide: an open wish is granted when somebody else lets go.
        if before not in (0, there):
            self._note(f"executors {before} -> {there}", f"it is to hold {self._most}")

    def _turn(self, wanted: int, why: str = "") -> None:
        if wanted != self._target:
            if why:
                self._note(f"executors {self._target} -> {wanted}", why)
            self._target, self._short_since_s, self._whole_since_s = wanted, None, None
        self._asked = False
        self._ask()
        self._trim(self._lever.count())

    def _ask(self) -> None:
        if not self._asked:
            self._lever.aim(self._target)
            self._asked = True

    def _trim(self, there: int) -> None:
        # The target goes down before anything is ended, or the master replaces what ended.
        if there > self._target:
            self._lever.let_go(self._target)
