"""What the cluster manager says of the fleet: what there is, who holds what, and whom it cannot tell apart."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from penstock.core.seen.figures import MachineFigures
from penstock.engines.applications.book import Application
from penstock.engines.applications.cluster import Room
from penstock.engines.applications.diary import FleetDiary
from penstock.engines.applications.lacking import AGAIN_AFTER_S, COMES_WITHIN_S

_log = logging.getLogger("penstock.fleet")


class ClusterWatch:
    """Its last word, which was asked for at `asked_s`: what happened since it need not know."""

    def __init__(self, diary: FleetDiary) -> None:
        self.room: Room | None = None
        self.asked_s = -inf
        self._diary = diary
        self._outage = ""
        self._waits: Mapping[str, str] = {}
        self._twice: frozenset[str] = frozenset()  # names by which the cluster knows one and several say they are

    def failed(self, outage: str) -> None:
        """It was asked, and nothing came but this."""
        if outage != self._outage:
            self._diary.note(None, "what the cluster has is not known", "nothing is promised meanwhile", outage)
            _log.warning("what the cluster has is not known, and no executor is promised meanwhile: %s", outage)
        self._outage = outage

    def told(self, room: Room, asked_s: float, known: Mapping[str, Application]) -> dict[str, Application]:
        """It has that; the applications with what it says of each."""
        if self._outage:
            _log.warning("the cluster manager answers again")
        self.room, self.asked_s, self._outage = room, asked_s, ""
        twice = _said_twice(known.values())
        self._note_twice(twice)
        self._note_waits({name: room.waits.get(one.state.cluster_id, "") for name, one in known.items()})
        found = {}
        for name, one in known.items():
            held = None if one.state.cluster_id in twice else _held(one, room)
            found[name] = one.told_by_cluster(held, asked_s).within(room)
        return found

    def waited(self, known: Mapping[str, Application]) -> dict[str, Application]:
        """The applications once those that wait in vain are to have no more than they hold: the rest is for others."""
        found = {name: one.lacking() for name, one in known.items()}
        for name, one in found.items():
            if one.lack.most is not None and one.lack.until_s != known[name].lack.until_s:
                text = f"is to have {one.wanted} executors, not {known[name].wanted}"
                needs = known[name].state_needs
                though = f", though its state needs {needs}" if needs > one.wanted else ""
                came = f"no other came in {COMES_WITHIN_S / 60.0:.0f} minutes{though}"
                why = f"{came}; more in {AGAIN_AFTER_S / 60.0:.0f} minutes"
                self._diary.note(name, text, why, self._waits.get(name) or None)
        return found

    def has_ended(self, one: Application) -> bool:
        """Whether the cluster manager, who would know, no longer knows the application."""
        room, by_name = self.room, one.state.cluster_id
        told_since = self.asked_s > one.heard_s
        return room is not None and bool(by_name) and told_since and room.tells and by_name not in room.held

    def _note_twice(self, twice: Mapping[str, Sequence[str]]) -> None:
        """Which applications say that the cluster knows them by one name, once as long as it is so."""
        for cluster_id in twice.keys() - self._twice:
            named = " and ".join(twice[cluster_id])
            why = f"the cluster knows one application as {cluster_id}; for each counts what it says itself"
            self._diary.note(None, f"{named} say that they are the same one", why)
        self._twice = frozenset(twice)

    def _note_waits(self, waits: Mapping[str, str]) -> None:
        """Why executors of which application do not come, once for each reason."""
        for name, why in waits.items():
            if why and why != self._waits.get(name):
                self._diary.note(name, "executors that were asked for wait", why)
        self._waits = waits


def cores_for(room: Room | None, known: Sequence[Application]) -> int | None:
    """The cores that the fleet can have: all there are but what others hold, and what lacks memory."""
    if room is None:
        return None
    executor_cores: dict[str, int] = {}
    for one in known:
        cores, cluster_id = one.state.executors.cores, one.state.cluster_id
        executor_cores[cluster_id] = min(cores, executor_cores.get(cluster_id, cores))
    return max(0, room.cores_for(executor_cores) - room.without_memory(executor_cores))


def machines_of(room: Room | None) -> tuple[MachineFigures, ...]:
    """Its workers; none where nobody knows them."""
    return tuple(
        MachineFigures(
            worker.name,
            worker.cores,
            memory_share=None
            if not worker.memory_mib or worker.free_memory_mib is None
            else 1.0 - worker.free_memory_mib / worker.memory_mib,
            alive=worker.alive,
            slots=worker.cores,
        )
        for worker in (() if room is None else room.workers)
    )


def _said_twice(known: Iterable[Application]) -> dict[str, list[str]]:
    """Names in the cluster that several applications say are theirs, with those: whose executors they are nobody knows.

    The first to say so is not believed either: it may have guessed the name of one that is about to begin.
    """
    found: dict[str, list[str]] = {}
    for one in known:
        if one.state.cluster_id:
            found.setdefault(one.state.cluster_id, []).append(one.name)
    return {cluster_id: sorted(names) for cluster_id, names in found.items() if len(names) > 1}


def _held(known: Application, room: Room) -> int | None:
    """Its executors by the cores that the cluster manager has granted it; None where that does not know it."""
    if not known.state.cluster_id or not room.tells:
        return None
    cores = room.held.get(known.state.cluster_id)
    return None if cores is None else cores // known.state.executors.cores
