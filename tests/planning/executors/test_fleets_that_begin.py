"""Laws of fleets in which some have begun just now: nobody below its least, and no more cores than there are."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.actuation.order import order
from penstock.core.asked.coming import ListedApplication, ToCome
from penstock.core.levers import Dial, Executors
from penstock.core.seen.view import JobView, View
from penstock.planning.executors.policy import ExecutorsPolicy
from tests.builders import job, operator
from tests.planning.executors.many import application, fleet

TO_COME = (ToCome(), ToCome((ListedApplication("b0", least=2, utility=40.0), ListedApplication("b1")), others=False))
Made = tuple[Dial, JobView]


@st.composite
def applications(draw: st.DrawFn) -> list[Made]:
    """One to five: known, or in their first batch, or without a query yet; each holds its least at least."""
    return [_one(draw, f"a{place}") for place in range(draw(st.integers(1, 5)))]


def _one(draw: st.DrawFn, name: str) -> Made:
    least, cores = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    now = least + draw(st.integers(0, 4))
    worth = draw(st.sampled_from((10.0, 40.0)))
    known = draw(st.booleans())
    says = ((1.0, draw(st.sampled_from((0.0, 0.5, 1.0))) * worth), (4.0, worth)) if known else ()
    busy, up_s = draw(st.sampled_from((None, 0.1, 1.0))), draw(st.sampled_from((None, 10.0, 200.0)))
    tenant = job(name, worth, worth, [operator(capacity=busy)], up_s=up_s)
    most, asked = now + draw(st.integers(0, 6)), draw(st.one_of(st.none(), st.integers(least, now + 3)))
    asked = None if asked is None or asked == now else min(asked, most)
    dial = application(name, now, says, least=least, most=most, asked=asked, cores=cores)
    return dial, tenant if known else replace(tenant, utility=None)


def promised(dial: Dial) -> int:
    """What it holds, or will once what it was promised or told to give has come."""
    return int((dial.now if dial.asked is None else dial.asked) or 0)


def seen(made: list[Made], free: int) -> View:
    held = sum(promised(dial) * dial.costs for dial, _ in made)
    return fleet([dial for dial, _ in made], held + free, jobs=[tenant for _, tenant in made])


@settings(max_examples=150)
@given(applications(), st.integers(0, 9), st.sampled_from(TO_COME))
def test_nobody_is_below_its_least_and_all_together_hold_no_more_than_there_is(
    made: list[Made], free: int, to_come: ToCome
) -> None:
    view = replace(seen(made, free), to_come=to_come)
    plan, _ = ExecutorsPolicy().decide(view, ExecutorsPolicy().start())
    target = {dial.job: promised(dial) for dial, _ in made}
    moves = [move for step in order(plan) for move in step.moves if isinstance(move, Executors)]
    target |= {move.job: move.after for move in moves}
    for dial, _ in made:
        assert dial.least <= target[dial.job] <= (dial.most or 0)
    assert sum(target[dial.job] * dial.costs for dial, _ in made) <= (view.slots or 0)
