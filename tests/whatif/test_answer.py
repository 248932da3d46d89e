"""The present, played on in the simulator, shows the figures that it was taken from; changes change them."""

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.errors import ConfigError
from penstock.whatif.answer import play
from penstock.whatif.question import Changes, Past
from tests.web.living import SHOP
from tests.whatif.line import LINE, NO_LIMIT_S, present

PAST = Past(span_s=120.0, arrivals_rps={}, interval_s=5.0)


def test_micro_batches_go_on_at_the_rate_at_which_they_were_seen() -> None:
    view = present(SHOP | {"duration": "10m"}, 120.0)
    future = play(view, PAST, "static", Changes(), NO_LIMIT_S)
    # Together: who gets the slot that is free just then is chance.
    seen, then = (sum(job.figures.processed_rps or 0.0 for job in v.jobs) for v in (view, future.views[-1]))
    assert then == pytest.approx(seen, rel=0.2)


def test_operators_go_on_as_busy_as_they_were_seen() -> None:
    # 400 rows/s at 4 ms each need 1.6 threads: one is busy all the time, and falls behind.
    raw = LINE | {"jobs": [LINE["jobs"][0] | {"threads": {"work": 3}}]}  # type: ignore[index]
    view = present(raw, 60.0)
    future = play(view, PAST, "static", Changes(), NO_LIMIT_S)
    seen, then = (v.job("ads").figures.operator("work") for v in (view, future.views[-1]))
    assert then.capacity == pytest.approx(seen.capacity, rel=0.1)
    assert future.views[-1].job("ads").met is view.job("ads").met is True


def test_a_policy_that_acts_helps_where_one_that_does_not_leaves_things_as_they_are() -> None:
    view = present(LINE, 60.0)
    left = play(view, PAST, "static", Changes(), NO_LIMIT_S)
    governed = play(view, PAST, "static", Changes(policy="henge"), NO_LIMIT_S)
    assert (left.decisions, governed.policy) == ((), "henge")
    assert governed.decisions
    assert (governed.mean_share or 0.0) > (left.mean_share or 0.0)


def test_less_to_do_a_wish_for_less_and_more_slots_all_help() -> None:
    view = present(SHOP | {"duration": "10m"}, 120.0)
    plain = play(view, PAST, "static", Changes(), NO_LIMIT_S).job_share("fraud") or 0.0
    for changes in (
        Changes(rates={"fraud": 0.1, "clicks": 0.1, "reports": 0.1}),
        Changes(intents={"fraud": Intent(Latency("10m", utility=40))}),
        Changes(slots=64),
    ):
        assert (play(view, PAST, "static", changes, NO_LIMIT_S).job_share("fraud") or 0.0) > plain


def test_when_the_time_to_answer_is_over_the_beginning_is_the_answer() -> None:
    future = play(present(LINE, 60.0), PAST, "static", Changes(), within_s=0.0)
    assert (future.whole, future.at_s) == (False, ())


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        (Changes(policy="magic"), "choose one of"),
        (Changes(rates={"nobody": 2.0}), "name one of ads"),
        (Changes(intents={"nobody": Intent(Latency(1))}), "name one of ads"),
    ],
)
def test_what_is_not_there_cannot_be_changed(changes: Changes, remedy: str) -> None:
    with pytest.raises(ConfigError, match=remedy):
        play(present(LINE, 10.0), PAST, "static", changes, NO_LIMIT_S)
