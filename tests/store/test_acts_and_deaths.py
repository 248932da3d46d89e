"""A driver dies at any line between hearing an act and noting it: the next one goes on, and the act counts once."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import penstock.loop
import penstock.store.control
import tests.store.mortal
from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.orders import Act, Answer, Orders, Request, Wish
from penstock.store.open import open_store
from tests.cli.calling import environment
from tests.recorded import RUN, a_decision
from tests.store.mortal import World, a_life

RELAXED = Intent(Latency("10s", utility=20))
WATCHED = (penstock.loop.__file__, penstock.store.control.__file__, tests.store.mortal.__file__)
DIES_WITHIN_S = 120.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How the world and the desk are in the end."""

    deeds: list[str]
    orders: Orders
    answers: list[Answer]


@dataclass(frozen=True, slots=True)
class Asked:
    """An act, and how it is known that it was applied once."""

    about: dict[str, Any]
    once: Callable[[Ended], bool]


TURN = Wish("tasks", "ads", 5, "map")
ACTS = {
    Act.PAUSE: Asked({}, lambda end: end.orders.paused_by == "ann"),
    Act.RESUME: Asked({}, lambda end: end.orders.paused_by is None),
    Act.DRY_RUN: Asked({}, lambda end: end.orders.dry_run is True),
    Act.DO: Asked({}, lambda end: end.orders.dry_run is False),
    Act.INTENT: Asked({"job": "ads", "intent": RELAXED}, lambda end: end.orders.intents == {"ads": RELAXED}),
    Act.TURN: Asked({"turn": TURN}, lambda end: end.deeds == ["6"]),
    Act.APPROVE: Asked({"proposal": 1}, lambda end: (end.deeds, end.answers) == (["7"], [Answer.DONE])),
    Act.REFUSE: Asked({"proposal": 1}, lambda end: (end.deeds, end.answers) == ([], [Answer.REFUSED])),
    Act.START: Asked({"job": "ads"}, lambda end: end.deeds == ["started"]),
}
UNDONE_BY = {Act.RESUME: Act.PAUSE, Act.DO: Act.DRY_RUN}  # what must have been asked before, for there to be a change


def ask(act: Act, folder: Path) -> None:
    """It is acknowledged; nobody has heard it yet."""
    (folder / "deeds").touch()
    with closing(open_store(folder / "asked.sqlite")) as store:
        store.begin(RUN)
        if act in (Act.APPROVE, Act.REFUSE):
            store.desk.propose(RUN.id, a_decision(1.0))
        for one in filter(None, (UNDONE_BY.get(act), act)):
            store.desk.ask(RUN.id, Request(one, "ann", 5.0, **(ACTS[act].about if one is act else {})))


@contextmanager
def before_each_line(look: Callable[[], None]) -> Iterator[set[tuple[str, int]]]:
    """Look there before each line of what is watched; gives those lines."""
    lines = set[tuple[str, int]]()

    def reached(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename not in WATCHED:
            return None
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
            look()
        return reached

    before = sys.gettrace()
    sys.settrace(reached)
    try:
        yield lines
    finally:
        sys.settrace(before)


def left_behind(folder: Path) -> dict[str, bytes]:
    """What a driver that is killed now leaves; the index of SQLite's log goes with whoever had it open last.

    To read the files lets SQLite's locks of this process go, which nobody else asks for here.
    """
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.endswith("-shm")}
    return {name: content for name, content in found.items() if content or not name.endswith("-wal")}


def ended(folder: Path) -> Ended:
    """After another driver went on."""
    world = World(folder / "deeds")
    orders = a_life(world, 20.0)
    with closing(open_store(folder / "asked.sqlite")) as store:
        assert store.desk.waiting(RUN.id) == ()
        return Ended(world.deeds, orders, [proposal.answer for proposal in store.desk.proposals(RUN.id)])


def put(files: Mapping[str, bytes], folder: Path) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("act", Act)
def test_at_whatever_line_the_driver_dies_an_act_is_applied_once(act: Act, tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    ask(act, tmp_path / "first")
    deaths = list[dict[str, bytes]]()  # lines that leave the same behind are one

    def look() -> None:
        left = left_behind(tmp_path / "first")
        if left not in deaths:
            deaths.append(left)

    with before_each_line(look) as lines:
        a_life(World(tmp_path / "first" / "deeds"), 10.0)
    look()
    ends = [ended(put(left, tmp_path / str(number))) for number, left in enumerate(deaths)]
    assert [(number, end) for number, end in enumerate(ends) if not ACTS[act].once(end)] == []
    assert (len(lines) > 100, len(deaths) > 5) == (True, True)


DYING = """
import os
from pathlib import Path
from tests.store.mortal import World, a_life

class Dying(World):
    def apply(self, steps):
        if {after}:
            World.apply(self, steps)
        os._exit(9)

a_life(Dying(Path("deeds")), 10.0)
"""


@pytest.mark.parametrize("after", [False, True])
def test_what_was_approved_is_done_once_though_the_process_ends_beside_the_deed(after: bool, tmp_path: Path) -> None:
    ask(Act.APPROVE, tmp_path)
    dying = [sys.executable, "-c", DYING.format(after=after)]
    died = subprocess.run(dying, cwd=tmp_path, env=environment(), timeout=DIES_WITHIN_S, check=False)
    assert (died.returncode, World(tmp_path / "deeds").deeds) == (9, ["7"] if after else [])
    assert ACTS[Act.APPROVE].once(ended(tmp_path))
