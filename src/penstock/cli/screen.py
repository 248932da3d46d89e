"""The screen of `penstock top`: tenants, those in trouble first, and the newest decisions."""

import time

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from penstock.cli.terminal import Lines, line
from penstock.core.asked.orders import Act
from penstock.core.asked.price import Price
from penstock.core.safe_text import visible
from penstock.core.seen.life import ControllerLife
from penstock.core.seen.states import TenantTally
from penstock.store.archive import StoreError
from penstock.store.sql import SqlStore
from penstock.telling.states import tally_text, utility_text
from penstock.telling.words import clock, number, percent, tenths
from penstock.web.reading import Reader
from penstock.web.shapes import DecisionOut
from penstock.web.shapes_control import ControlOut
from penstock.web.shapes_fleet import PresentOut, PriceOut, TenantOut

KEYS = "q quit · p pause or resume · d dry run on or off · s sort by trouble, utility, slots or name"
SORTS = ("trouble", "utility", "slots", "name")
_STATES = {
    "missing": "red",
    "blind": "bold red",
    "stale": "bold red",
    "starting": "yellow",
    "fine": "green",
    "resting": "dim",
}
_LIFE = {
    "live": "live",
    "awaited": "sign of life awaited",
    "ended": "over",
    "silent": "no sign of life",
    "ahead": "clock ahead",
}
_AS_OF = {
    "live": "",
    "awaited": "Last known: ",
    "ended": "At its end: ",
    "silent": "Last known: ",
    "ahead": "Last known: ",
}
_CAME = {"better": "green", "worse": "red", "not done": "red"}
_DECISIONS = 5
_BOUND = 3  # tenants of which it is said what holds them back
_SHARE = ("weight", "slots", "used", "cores")
_HEADINGS = (
    *("tenant", "state", "asks for", "has", "utility", "off by"),
    *(*_SHARE, "rows/s in", "done", "waiting", "an hour"),
)
_WORDS = ("tenant", "state", "asks for")
_DISPENSABLE = ("cores", "used", "weight", "off by", "slots", "done", "rows/s in", "asks for", "waiting", "an hour")
_WHY = 20  # columns at least
_MEANING = "slots: entitled by weight · used: slots kept busy, including idle ones of others · cores: used by tasks"


class Screen:
    """What is shown, and how keys change it."""

    def __init__(self, store: SqlStore, reader: Reader, run_name: str) -> None:
        self._store = store
        self._reader = reader
        self._run_id = reader.find(run_name)
        self._sort = SORTS[0]
        self._said = ""
        self._shown: RenderableType | None = None
        self._unread_since: str | None = None
        self.over = False

    def drawn(self) -> RenderableType:
        """The whole screen as it is now; as it was, where the store cannot be read."""
        try:
            self._shown, self._unread_since = self._drawn(), None
            return self._shown
        except StoreError as error:
            if self._shown is None:
                raise
            self._unread_since = self._unread_since or time.strftime("%H:%M:%S")
            told = f"The store cannot be read since {self._unread_since}; below is the last state. {error}"
            return Group(
                line(told, style="bold red"), *([line(error.remedy)] if error.remedy else []), _Faded(self._shown)
            )

    def _drawn(self) -> RenderableType:
        gallery = self._reader.gallery(self._run_id)
        decisions = self._reader.decisions(gallery)
        present = self._reader.present(gallery, decisions)
        control = self._reader.control(self._run_id)
        if present is None:
            return line(f"{self._run_id}: no cycle is recorded yet")
        parts = [_head(gallery.info.name, present, control), _Tenants(present, self._sort, _proven(control))]
        parts += [Text(_MEANING, style="dim"), *_bound(present), _decided(decisions[-_DECISIONS:])]
        parts += [line(self._said or KEYS, style="yellow" if self._said else "dim")]
        return Group(*parts)

    def pressed(self, key: str) -> None:
        """React to a key."""
        self._said = ""
        if key in ("q", "\x03", "\x04"):
            self.over = True
        elif key == "s":
            self._sort = SORTS[(SORTS.index(self._sort) + 1) % len(SORTS)]
        elif key in ("p", "d"):
            try:
                self._turn(key, self._reader.control(self._run_id))
            except StoreError as error:
                self._said = str(error)

    def _turn(self, key: str, control: ControlOut) -> None:
        if key == "p":
            self._ask(Act.RESUME if control.paused_by else Act.PAUSE, control)
        else:
            self._ask(Act.DO if control.dry_run else Act.DRY_RUN, control)

    def _ask(self, act: Act, control: ControlOut) -> None:
        from penstock.web.acting import ActIn, NotLiveError, ask, this_user  # pydantic, at the first key

        try:
            ask(self._store, self._run_id, ActIn(act=act), f"{this_user()} (top)", ControllerLife(control.life))
            self._said = f"{act.value}: takes effect in the next cycle"
        except NotLiveError as error:
            self._said = str(error)


def _head(name: str, present: PresentOut, control: ControlOut) -> RenderableType:
    state = _LIFE[control.life]
    state += f", paused by {control.paused_by}" if control.paused_by else ""
    state += ", dry run" if control.dry_run else ""
    most = present.possible_utility
    share = min(1.0, present.known_utility / most) if most else 0.0
    bar = "█" * round(20 * share) + "░" * (20 - round(20 * share))
    figures = f"utility {bar} {utility_text(present.known_utility, most, present.utility)}"
    counts = (
        f"{tally_text(TenantTally(present.met, present.judged, present.starting, present.resting))}   {present.given}"
    )
    # Colour is for what is so now: not while a tenant is unseen, nor where the controller has not proved that it lives.
    style = f"bold {_STATES[present.state]}" if present.state is not None and _proven(control) else "bold"
    return Group(
        line(f"penstock top  {name}  {clock(present.at_s)}  {state}", style="bold"),
        line(f"{figures}   {counts}"),
        line(f"{_AS_OF[control.life]}{present.headline}", style=style),
        *([line(control.said, style="bold yellow")] if control.said else []),
        *([line(present.shortfall, style="bold yellow")] if present.shortfall else []),
        *(line(f"proposal {p.number} waits for approval: {p.text}", style="yellow") for p in control.proposals),
    )


def _proven(control: ControlOut) -> bool:
    """Whether somebody governs, so that what is shown is of now."""
    return control.life == "live"


class _Faded:
    """What was shown before, in no colour: none of it is so now, for all that anybody knows."""

    def __init__(self, shown: RenderableType) -> None:
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._shown, options):
            yield Segment(segment.text, Style(dim=True), segment.control)


class _Tenants:
    """The table: as many columns as there is room for; why somebody is in trouble has what is left.

    States have their colours where they are `proven` to be of now.
    """

    def __init__(self, present: PresentOut, sort: str, proven: bool) -> None:
        self._present = present
        self._sort = sort
        self._proven = proven

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _tenants(self._present, self._sort, self._proven, options.max_width)


def _tenants(present: PresentOut, sort: str, proven: bool, width: int) -> Lines:
    table = Lines(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0), expand=True)
    cells = {tenant.name: _cells(tenant, present.price, proven) for tenant in present.tenants}
    left_out = {"off by"} if all(tenant.prediction_error is None for tenant in present.tenants) else set()
    left_out |= set() if present.price is not None else {"an hour"}
    left_out |= _too_many(list(cells.values()), left_out, width)
    shown = [heading for heading in _HEADINGS if heading not in left_out]
    for heading in shown:
        table.add_column(heading, no_wrap=True, justify="left" if heading in _WORDS else "right")
    table.add_column("why", overflow="ellipsis", no_wrap=True, ratio=1)
    for tenant in _sorted(present.tenants, sort):
        row = (cells[tenant.name][heading] for heading in shown)
        table.add_row(*row, tenant.why or tenant.beside or "")
    return table


def _too_many(rows: list[dict[str, str | Text]], gone: set[str], width: int) -> set[str]:
    """The columns that go first, until there is some room to say why."""
    shown = [heading for heading in _HEADINGS if heading not in gone]
    wide = {h: 2 + max([len(h), *(len(visible(str(row[h]))) for row in rows)]) for h in shown}
    left_out: set[str] = set()
    for heading in (heading for heading in _DISPENSABLE if heading in wide):
        if sum(wide.values()) + _WHY <= width:
            break
        left_out.add(heading)
        del wide[heading]
    return left_out


def _cells(tenant: TenantOut, price: PriceOut | None, proven: bool) -> dict[str, str | Text]:
    weight, slots, busy, cores = _share(tenant)
    rates = [number(_whole(v)) for v in (tenant.arrival_rps, tenant.processed_rps, tenant.backlog_rows)]
    utility = f"{number(tenant.utility)} of {number(tenant.max_utility)}"
    state = Text(tenant.state, style=_STATES[tenant.state] if proven else "")
    who: tuple[str | Text, ...] = (tenant.name, state, tenant.intent, _has(tenant), utility, _off(tenant))
    return dict(zip(_HEADINGS, (*who, weight, slots, busy, cores, *rates, _cost(tenant, price)), strict=True))


def _cost(tenant: TenantOut, price: PriceOut | None) -> str:
    """What its share of the slots costs an hour."""
    if price is None or tenant.cost_hour is None:
        return "–"
    return Price(price.slot_hour, price.currency).text(tenant.cost_hour)


def _bound(present: PresentOut) -> list[Text]:
    """What keeps those below their intents that could have most, and what would help."""
    found = [tenant for tenant in present.tenants if tenant.binds][:_BOUND]
    return [
        line(f"{tenant.name} is limited: {bind.what}; this would help: {bind.helps}", style="yellow")
        for tenant in found
        for bind in tenant.binds[:1]
    ]


def _off(tenant: TenantOut) -> str:
    """How far off what was foretold of its utility was."""
    return tenths(None if tenant.prediction_error is None else tenant.prediction_error.share)


def _share(tenant: TenantOut) -> tuple[str, ...]:
    """Weight, the slots that it stands for, those that it kept busy, and the cores that its tasks used."""
    share = tenant.share
    weight = f"{tenant.slots} threads" if share.weight is None else str(share.weight)
    used = percent(share.busy) if share.used_slots is None else number(share.used_slots)
    return weight, number(share.slots), used, number(share.cores)


def _sorted(tenants: tuple[TenantOut, ...], sort: str) -> list[TenantOut]:
    if sort == "utility":
        return sorted(tenants, key=lambda tenant: -(tenant.utility or 0.0))
    if sort == "slots":
        return sorted(tenants, key=lambda tenant: -tenant.slots)
    return sorted(tenants, key=lambda tenant: tenant.name) if sort == "name" else list(tenants)


def _has(tenant: TenantOut) -> str:
    known = [target for target in tenant.targets if target.now is not None]
    return ", ".join(percent(t.now) if t.kind == "juice" else f"{number(t.now)} s" for t in known) or "–"


def _whole(value: float | None) -> float | None:
    return None if value is None else float(round(value))


def _decided(decisions: tuple[DecisionOut, ...]) -> RenderableType:
    lines = [Text("\nnewest decisions", style="dim")]
    for decision in reversed(decisions):
        told = line(f"{clock(decision.at_s)}  {decision.reason}  {decision.text}  ")
        lines.append(told.append(visible(_said(decision)), style=_CAME.get(decision.came, "dim")))
    return Group(*lines)


def _said(decision: DecisionOut) -> str:
    """What came of it; until that is known, what was foretold."""
    if decision.came == "not judged yet" and decision.verdict is None and decision.foretold:
        return f"predicted: {decision.foretold}"
    return decision.verdict or decision.came
