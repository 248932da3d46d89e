"""`routing` beside the sharing policies: any policy, and for each route whose window ended, whether to re-route.

Off by default; `advise` says what it would do and why, `act` has it done. It remembers which window of each route it
has judged, so that each is judged once however often it is told; all else that is remembered of a route (its table,
past moves, fading pairs) the engine holds with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Table
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.ports import Policy, PolicyMemory
from penstock.core.seen.pairs import Key
from penstock.core.seen.routes import Links, RouteFigures
from penstock.core.seen.view import View
from penstock.extras import check_extra
from penstock.planning.routing.bounded import within_moves
from penstock.planning.routing.estimate import Estimate, Offer, Promise, estimated
from penstock.planning.routing.graph import KeyGraph, graph_of_links
from penstock.planning.routing.hashing import Fallback, as_told, by_chance
from penstock.planning.routing.judging import judge
from penstock.planning.routing.memory import RoutedMemory, memory_type
from penstock.planning.routing.recall import recalled
from penstock.planning.routing.renew import given_back, renewed
from penstock.planning.routing.route import route_links
from penstock.planning.routing_settings import RoutingMode, RoutingSettings


@dataclass(frozen=True, slots=True)
class WithRouting:
    """Any policy, with decisions on routes after its own."""

    inner: Policy
    settings: RoutingSettings = RoutingSettings()

    @property
    def name(self) -> str:
        """The name of the policy it holds."""
        return self.inner.name

    def start(self) -> RoutedMemory[PolicyMemory]:
        """The inner policy's memory, and no window judged."""
        if self.settings.mode != RoutingMode.OFF:
            check_extra("routing")
        inner = self.inner.start()
        return memory_type(type(inner))(inner)

    def decide(self, view: View, memory: RoutedMemory[PolicyMemory]) -> tuple[Plan, RoutedMemory[PolicyMemory]]:
        """The inner policy's plan, then one decision for each route with a new window that is worth changing."""
        plan, inner = self.inner.decide(view, memory.inner)
        new = () if self.settings.mode == RoutingMode.OFF else memory.not_judged(view.routes)
        judged = [self._judged(figures, view) for figures in new]
        return self._with(plan, judged), replace(memory, inner=inner).after(new)

    def by_slots(self, view: View, memory: RoutedMemory[PolicyMemory], counts: Sequence[int]) -> tuple[float, ...]:
        """What the inner policy foretells of so many slots each; empty where it foretells nothing."""
        inner = getattr(self.inner, "by_slots", None)
        return () if inner is None else inner(view, memory.inner, counts)

    def _with(self, plan: Plan, judged: Iterable[Decision | str]) -> Plan:
        found = tuple(judged)
        decisions = tuple(one for one in found if isinstance(one, Decision))
        note = "; ".join(part for part in (plan.note, *(one for one in found if isinstance(one, str))) if part)
        return replace(plan, decisions=(*plan.decisions, *decisions), note=note) if found else plan

    def _judged(self, figures: RouteFigures, view: View) -> Decision | str:
        """A decision, or in words why there is none."""
        reroute, estimate = considered(figures, self.settings)
        why = f"{figures.route} of {figures.job}: {estimate.why(figures.window_s)}"
        if estimate.local_expected - estimate.local_now < self.settings.min_gain:
            return (
                f"{figures.route} of {figures.job} unchanged: local share {estimate.local_now:.2f}, no gain predicted"
            )
        if not estimate.pays:
            return why
        if self.settings.mode == RoutingMode.ADVISE:
            return Decision(Reason.ADVISED, (), why, view.at_s, view.utility)
        return Decision(Reason.REROUTED, (reroute,), why, view.at_s, view.utility)


def considered(figures: RouteFigures, settings: RoutingSettings = RoutingSettings()) -> tuple[Table, Estimate]:
    """The table that the pairs ask for, and what changing to it is expected to bring and to cost."""
    where = as_told(figures.unlisted)
    now, before = (figures.newest, figures.basis), (figures.newest_before, figures.basis_before)
    pairs = recalled(now, before, figures.servers, settings.imbalance, where)
    newest, basis = graph_of_links(figures.newest), graph_of_links(pairs)
    old = figures.table or RoutingTable(figures.servers, {operator: {} for operator in basis.operators})
    wanted = _wanted(figures, pairs, settings)
    if settings.most_keys:
        wanted = within_moves(basis, old, wanted, settings.most_keys, fallback=where)
    wanted = replace(wanted, keys=_with_stayers(wanted, old), version=old.version + 1)
    moves = moving(old, wanted, where)
    with_state = [key for operator, key in moves if figures.carried is None or operator in figures.carried]
    offer = Offer(
        local_now=judge(old, newest, where).locality,
        local_promised=judge(wanted, newest, where).locality,
        rows_rps=figures.rows_rps,
        keys=len(with_state),
        moved_bytes=(figures.key_bytes or 0.0) * len(with_state),
        row_bytes=figures.row_bytes,
        waits=figures.carried != (),
    )
    estimate = estimated(offer, _promise(figures, newest, where), figures.past, settings.cost)
    return Table(figures.job, figures.route, figures.table, wanted, len(with_state)), estimate


def _wanted(figures: RouteFigures, pairs: Links, settings: RoutingSettings) -> RoutingTable:
    homes, table = _homes(figures), figures.table
    if settings.keep and homes is not None and table is not None and table.servers == figures.servers:
        back = given_back(figures.newest, figures.basis)
        return renewed(pairs, homes, figures.got, settings.imbalance, back)
    return route_links(pairs, figures.servers, settings.imbalance, before=homes)


def _homes(figures: RouteFigures) -> RoutingTable | None:
    """Where keys live now, listed or not, so that most can stay; None where nobody can say of any."""
    listed = {} if figures.table is None else figures.table.keys
    if not listed and not figures.unlisted:
        return None
    operators = dict.fromkeys((*listed, *figures.unlisted))
    homes = {name: {**figures.unlisted.get(name, {}), **listed.get(name, {})} for name in operators}
    return RoutingTable(figures.servers if figures.table is None else figures.table.servers, homes)


def moving(before: RoutingTable, after: RoutingTable, fallback: Fallback = by_chance) -> list[tuple[str, Key]]:
    """The keys that really change servers, with what the engine's hash does to keys that one of them does not list."""

    def place(operator: str, key: Key, listed: int | None, servers: int) -> int:
        return fallback(operator, key, servers) if listed is None else listed

    return [
        (move.operator, move.key)
        for move in after.moved_from(before)
        if place(move.operator, move.key, move.before, before.servers)
        != place(move.operator, move.key, move.after, after.servers)
    ]


def _with_stayers(wanted: RoutingTable, old: RoutingTable) -> Mapping[str, Mapping[Key, int]]:
    """A key that has faded from the statistics keeps its place: to move it would cost, and gain nothing."""
    stay = {
        operator: {key: server for key, server in keys.items() if server < wanted.servers}
        for operator, keys in old.keys.items()
    }
    return {operator: {**stay.get(operator, {}), **keys} for operator, keys in wanted.keys.items()}


def _promise(figures: RouteFigures, newest: KeyGraph, fallback: Fallback) -> Promise | None:
    if figures.table is None:
        return None
    nothing = RoutingTable(figures.servers)
    return Promise(
        at_first=figures.table.locality,
        now=judge(figures.table, newest, fallback).locality,
        hashed=judge(nothing, newest, fallback).locality,
        age_s=figures.table_age_s,
    )
