"""The toy engine, and policies, as packages get them wrong: what each entry point leads to fails in its own way."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import penstock as ps
from penstock.errors import LeaseLostError
from tests.engines.toy.engine import ToyEngine, toy


class Blind(ToyEngine):
    """Nothing of it is ever seen."""

    def observe(self, now: float) -> ps.Snapshot:
        raise RuntimeError("no figures today")


class Leaving(ToyEngine):
    """It wants to end the program with the exit code of one that is done."""

    def observe(self, now: float) -> ps.Snapshot:
        raise SystemExit(0)


class Unstartable(ToyEngine):
    def start(self) -> None:
        raise RuntimeError("no room for jobs")


class Unending(ToyEngine):
    def close(self, stop_jobs: bool = False) -> None:
        raise RuntimeError("the jobs do not end")


class Taken(ToyEngine):
    """Another controller takes it over at the first look."""

    def observe(self, now: float) -> ps.Snapshot:
        raise LeaseLostError("another controller governs the jobs")


def unmade(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> ToyEngine:
    raise RuntimeError("no such world")


def left(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> ToyEngine:
    raise SystemExit(0)


def blind(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> Blind:
    return Blind(toy(settings, jobs).jobs)


def leaving(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> Leaving:
    return Leaving(toy(settings, jobs).jobs)


def unstartable(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> Unstartable:
    return Unstartable(toy(settings, jobs).jobs)


def unending(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> Unending:
    return Unending(toy(settings, jobs).jobs)


def taken(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> Taken:
    return Taken(toy(settings, jobs).jobs)


@dataclass(frozen=True, slots=True)
class Nothing:
    """What such a policy remembers."""


@dataclass(frozen=True, slots=True)
class Undecided:
    name: str = "undecided"

    def start(self) -> Nothing:
        return Nothing()

    def decide(self, view: ps.View, memory: Nothing) -> tuple[ps.Plan, Nothing]:
        raise RuntimeError("no decision today")


class Unready(Undecided):
    def start(self) -> Nothing:
        raise RuntimeError("no policy today")


undecided = ps.PolicyEntry("It decides nothing.", lambda settings: Undecided())
unready = ps.PolicyEntry("It does not even begin.", lambda settings: Unready("unready"))
