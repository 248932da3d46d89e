"""What is new in a run: for the feed, which sends it to all who watch."""

from dataclasses import replace
from typing import Any

from penstock.web.feed import plain
from penstock.web.reading import Reader
from penstock.web.shapes_fleet import PresentOut

TAIL = 50  # decisions sent with the news: verdicts come late, but not later than that

LookMark = tuple[tuple[int, bool] | None, str]


class LiveLook:
    """A look at a run: the present, its newest decisions and its controller, if any of it changed."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __call__(self, run_id: str, mark: LookMark | None) -> tuple[LookMark, dict[str, Any]] | None:
        gallery = self._reader.gallery(run_id)
        control = self._reader.control(run_id)
        # Its sign of life changes with every cycle, which is news by itself.
        stands = (control.life, control.paused_by, control.dry_run, control.waiting, control.proposals)
        now: LookMark = (gallery.newest_cycle(), repr(stands))
        if now == mark:
            return None
        decisions = self._reader.decisions(gallery)
        present = self._reader.present(gallery, decisions)
        tail = [plain(decision) for decision in decisions[-TAIL:]]
        body = {"control": plain(control), "present": None if present is None else _light(present), "decisions": tail}
        return now, body


def _light(present: PresentOut) -> dict[str, Any]:
    """Without the tenants' levers: of 400 tenants 420 of 738 kB each second, which a tenant's own page asks for."""
    light: dict[str, Any] = plain(
        replace(present, tenants=tuple(replace(tenant, levers=()) for tenant in present.tenants))
    )
    return light
