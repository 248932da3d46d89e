"""Executors that follow the jobs' slots: the application holds as many as its jobs have slots for, and no more.

A number that the cluster does not give within a minute is not counted on: what there is becomes the limit, so that
policies divide what can be had and say what is missed. Who says how many there are to be has the patience:

    the jobs' slots  they have to give slots up, so fewer executors are wanted; more are asked for after a while
    a coordinator    all that it ordered are asked for until it orders otherwise: it waits for them, and gives them up
"""

from collections.abc import Callable
from math import inf
from typing import Protocol

_GIVEN_WITHIN_S = 60.0  # 1 s on a warm machine, 15 s when eight JVMs start at once on two cores
_LIMITED_FOR_S = 300.0  # before jobs may ask for more again: cores may have become free


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

    With `holds` it asks for as many as it may, whatever slots the jobs have and however long they do not come: a
    coordinator says how many these are. Each that comes or goes is told. `now` is on a clock that nobody sets.
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
        if not (self._holds and most == self._most):  # what it was told already tells nothing of what will come
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
        if self._holds:
            self._turn(max(1, self._most))
            return
        allowed = self.slots(now) // self._each
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
        self._wait(stay, now)
        counted_on = min(self._target, self.slots(now) // self._each)
        if stay < counted_on:
            self._whole_since_s = None
        elif stay == counted_on and self._whole_since_s is None:
            self._whole_since_s = now

    def _wait(self, stay: int, now: float) -> None:
        """For those that are wanted and not there."""
        if stay >= self._target:
            self._short_since_s = None
            if self._holds and now < self._limited_until_s:
                self._limited_until_s, self._whole_since_s = now, None
        elif self._short_since_s is None:
            self._short_since_s = now
        elif now - self._short_since_s > _GIVEN_WITHIN_S and stay > 0:
            self._make_do(stay, now)

    def _make_do(self, stay: int, now: float) -> None:
        """With those that are there; a holder goes on asking for the others."""
        if not self._holds:
            self._limit, self._limited_until_s = stay, now + _LIMITED_FOR_S
            more = f"{self._target} are asked for again after {_LIMITED_FOR_S:.0f} s"
            self._turn(stay, f"the cluster gives no more; {more}")
        elif now >= self._limited_until_s or stay != self._limit:
            if now >= self._limited_until_s:
                why = "the cluster gives no more; all are asked for until a coordinator orders otherwise"
                self._note(f"lacks {self._target - stay} of {self._target} executors", why)
            self._limit, self._limited_until_s, self._whole_since_s = stay, inf, None

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
