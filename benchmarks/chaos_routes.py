"""The nemesis's re-routings: it asks for a table, penstock's own policy and what is here decide it, the engine does it.

    nemesis -> tables.json -> this policy, in the driver -> decision -> engine -> the tenant's book -> `in_force`

Tables have numbers; each gives every key a partition by chance, drawn from its number. A table is decided once: where
its re-routing fails, the one before is in force, and so it is to be.
"""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import penstock as ps
from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Table
from penstock.core.seen.pairs import Key
from penstock.engines.spark.jvm.local_files import LocalFiles
from penstock.engines.spark.routing.book import RouteBook
from penstock.planning.combined import Combined, CombinedMemory

KEYS, PARTITIONS = 50, 2
OPERATOR = "left"
NAME = "chaos-routes"  # of the policy
_ASKED = "tables.json"
_ENTRY_POINTS = f"[penstock.policies]\n{NAME} = chaos_routes:ENTRY\n"
_METADATA = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1\n"


@dataclass(frozen=True, slots=True)
class TablesMemory:
    """`decided` is the number of the newest table of each tenant that was decided on."""

    inner: CombinedMemory
    decided: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WithTables:
    """penstock's policy, and a re-routing for each table that is asked for in the folder of this file."""

    place: Path = Path(__file__).parent
    inner: Combined = Combined()
    name: str = NAME

    def start(self) -> TablesMemory:
        """No table was decided on."""
        return TablesMemory(self.inner.start())

    def decide(self, view: ps.View, memory: TablesMemory) -> tuple[ps.Plan, TablesMemory]:
        """As penstock's; what is asked for comes from a file, for no act of a person's asks for a table."""
        plan, inner = self.inner.decide(view, memory.inner)
        running = {job.name for job in view.jobs}
        new = {
            tenant: number
            for tenant, number in asked_tables(self.place).items()
            if tenant in running and number > memory.decided.get(tenant, 0)
        }
        decisions = [_decision(view, tenant, number) for tenant, number in new.items()]
        return (
            replace(plan, decisions=(*plan.decisions, *decisions)),
            TablesMemory(inner, {**memory.decided, **new}),
        )


ENTRY = ps.PolicyEntry("penstock's own, with the nemesis's tables", lambda _: WithTables())


def _decision(view: ps.View, tenant: str, number: int) -> ps.Decision:
    move = Table(tenant, tenant, None, table(number), KEYS)
    return ps.Decision(ps.Reason.REROUTED, (move,), f"{tenant}: table {number} was asked for", view.at_s, view.utility)


def table(number: int) -> RoutingTable:
    """The table of that number; number 0 lists no key.

    >>> table(1).keys == table(1).keys, table(1).keys == table(2).keys, table(0).keys
    (True, False, {'left': {}})
    """
    chance = random.Random(number)
    keys: dict[Key, int] = {f"k{key}": chance.randrange(PARTITIONS) for key in range(KEYS if number else 0)}
    return RoutingTable(PARTITIONS, {OPERATOR: keys})


def install(place: Path) -> None:
    """As a package beside penstock's, for whoever has that folder on its path."""
    (place / "chaos_routes.py").write_bytes(Path(__file__).read_bytes())
    told = place / "chaos_routes-1.dist-info"
    told.mkdir(exist_ok=True)
    (told / "METADATA").write_text(_METADATA, encoding="utf-8")
    (told / "entry_points.txt").write_text(_ENTRY_POINTS, encoding="utf-8")


def asked_tables(place: Path) -> dict[str, int]:
    """The number of the newest table that was asked for, by tenant."""
    try:
        found: dict[str, int] = json.loads((place / _ASKED).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def ask_table(place: Path, tenant: str) -> int:
    """Ask for the next table of that tenant; its number."""
    asked = asked_tables(place)
    number = asked.get(tenant, 0) + 1
    scratch = place / f"{_ASKED}.new"
    scratch.write_text(json.dumps({**asked, tenant: number}), encoding="utf-8")
    scratch.replace(place / _ASKED)
    return number


def in_force(checkpoint: Path, newest: int) -> int | None:
    """The number of the table by which the tenant's batches run, of those up to `newest`; None where it is none."""
    book = RouteBook(LocalFiles(checkpoint / "routing"))
    done = max((int(path.name) for path in (checkpoint / "commits").glob("*") if path.name.isdecimal()), default=-1)
    versions = [change.version for change in book.moves() if change.batch is not None and change.batch <= done]
    keys = book.table(versions[-1]).keys.get(OPERATOR, {}) if versions else {}
    return next((number for number in range(newest, -1, -1) if table(number).keys[OPERATOR] == keys), None)
