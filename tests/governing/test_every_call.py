"""Every call of the port to Spark raises, and hangs: the queries run on, governing goes on, and in time.

The calls are found by looking at the port: one that is new there, and that none of these lives makes, fails a test.
"""

from functools import cache
from inspect import isclass
from itertools import pairwise
from typing import Protocol

import pytest

from penstock.engines.spark import port
from penstock.engines.spark.application.elastic import ElasticLever
from tests.governing.spoilt import HANGS_FOR_S, INTERVAL_S, PORTS, ROUNDS, Life, SilentError, all_calls

# What these lives do not ask for, and who tries it.
ELSEWHERE = {
    "Spark.application": "told once, in the record's head",
    "Spark.master": "told once, in the record's head",
    "Spark.name": "told once, in the record's head",
    "Spark.ping": "the pulse's: test_pulse",
    "Query.name": "asked while it opens, and of queries that are met",
    "Query.isActive": "asked where a planned restart has failed: test_contract",
    "Spark.error_of": "asked of a query of whose end nobody told: test_unheard_ends",
    "Properties.remove": "when it lets go: below",
}
OPENING = {"Spark.slots_each", "Spark.lease", "Spark.events", "Spark.route", "Events.attach", "Properties.putIfAbsent"}
CLOSING = {"Events.detach", "Query.stop"}
GOVERNING = sorted(set(all_calls()) - set(ELSEWHERE) - OPENING - CLOSING)
RESTARTS = {"Spark.restart", "Spark.repartition", "Route.carry_out", "RunningBounds.begin"}  # beside the rounds
LONGEST_S = 3 * INTERVAL_S + 1e-6


@cache
def calm(follows: bool) -> Life:
    """A life in which nothing is struck, to its end."""
    life = Life(follows=follows)
    life.open()
    life.live()
    life.close()
    return life


def made(deed: str) -> set[str]:
    return {call for follows in (True, False) for call in calm(follows).made.get(deed, ())}


def struck_life(call: str, **how: object) -> Life:
    """The first kind of life that makes the call once governing has begun, with the call spoilt."""
    deeds = ("observing", "acting", "tending", "")
    follows = any(call in calm(True).made.get(deed, ()) for deed in deeds)
    life = Life(call, follows=follows, **how)  # type: ignore[arg-type]
    life.open()
    life.live((ROUNDS + 8) * INTERVAL_S)
    assert life.struck
    return life


def gaps(life: Life) -> list[float]:
    """Between the ends of rounds, from the beginning of governing on."""
    return [later - earlier for earlier, later in pairwise([0.0, *life.ends_s])]


def test_every_part_of_the_port_is_spoilt() -> None:
    kinds = {kind for kind in vars(port).values() if isclass(kind) and getattr(kind, "_is_protocol", False)}
    assert kinds - {Protocol, ElasticLever} <= set(PORTS.values())


def test_every_call_of_the_port_is_made_in_these_lives() -> None:
    governing = made("observing") | made("acting") | made("tending") | made("")
    assert set(GOVERNING) - governing == set()
    assert OPENING - made("opening") == set()
    assert CLOSING - made("closing") == set()
    assert set(ELSEWHERE) <= set(all_calls())


def test_nothing_is_amiss_in_a_calm_life() -> None:
    for follows in (True, False):
        life = calm(follows)
        assert set(gaps(life)) == {INTERVAL_S}
        assert life.left == []
        cycles = life.store.cycles("life")
        assert [cycle.error for cycle in cycles if cycle.error] == []
        assert [step.error for cycle in cycles for step in cycle.outcome.failed] == []


@pytest.mark.parametrize("call", GOVERNING)
def test_a_call_that_raises_ends_no_query_and_no_governing(call: str) -> None:
    life = struck_life(call, error=SilentError("o32"))
    assert max(gaps(life)) <= LONGEST_S
    runs_on(life)


@pytest.mark.parametrize("call", GOVERNING)
def test_a_call_that_hangs_ends_no_query_and_no_governing(call: str) -> None:
    life = struck_life(call)
    assert max(gaps(life)) <= (2 * INTERVAL_S + 1e-6 if call in RESTARTS else LONGEST_S)
    cycles = life.store.cycles("life")
    unknown = [cycle for cycle in cycles if "acting has not come to an end" in (cycle.error or "")]
    deeds = {deed.why for cycle in cycles for deed in cycle.view.deeds}
    assert ("it took longer than a round waits for it" in deeds) == bool(unknown)
    runs_on(life)


@pytest.mark.parametrize("call", GOVERNING)
def test_a_call_that_hangs_with_the_whole_jvm_holds_nothing_up_for_long(call: str) -> None:
    life = struck_life(call, silent=True)
    assert max(gaps(life)) <= LONGEST_S
    runs_on(life)


def runs_on(life: Life) -> None:
    """The tenants that nobody turned in those moments ran all the while, and within 30 s all is as it was."""
    fault_s = life.struck[-1][0] + (HANGS_FOR_S if life.error is None else 0.0)
    assert [name for _, name in life.left if name == "guest"] == []
    assert {query.name for query in life.spark.queries()} == {"ads", "fraud", "guest", "live"}
    after = [cycle for cycle in life.store.cycles("life") if cycle.at_s > fault_s]
    well = next(cycle for cycle in after if cycle.error is None and all(job.fresh for job in cycle.view.jobs))
    assert well.at_s - fault_s <= 30.0
    life.close()


@pytest.mark.parametrize("call", sorted(OPENING - {"Spark.slots_each", "Spark.lease", "Spark.events"}))
def test_what_raises_while_it_opens_is_raised_and_ends_nobodys_query(call: str) -> None:
    life = Life(call, SilentError("o32"), in_opening=True, times=1)
    with pytest.raises(SilentError):
        life.open()
    assert [query.name for query in life.spark.queries()] == ["guest"]
    life.engine.close()
    life.engine.open()  # its lease keeps nobody waiting


@pytest.mark.parametrize("call", [*sorted(CLOSING), "Properties.remove"])
def test_what_raises_while_it_lets_go_keeps_nothing_else_from_being_let_go_of(call: str) -> None:
    life = Life(call)
    life.open()
    life.error = SilentError("o32")
    with pytest.raises(Exception, match="SilentError"):
        life.close()
    left = {query.name for query in life.spark.queries()}
    assert left == ({"ads", "guest"} if call == "Query.stop" else {"guest"})  # the first one that was to be ended
    if call != "Properties.remove":
        assert len(life.spark.properties._part) == 0  # type: ignore[attr-defined]
