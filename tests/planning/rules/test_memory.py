"""Executors that are short of memory are spoken of once for each size, or given more."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from penstock.core.levers import WHOLE, Dial, Disturbs, Memory
from penstock.core.plan import Decision, Reason
from penstock.core.seen.figures import MachineFigures
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.planning.by_rules import RuleMemory
from penstock.planning.combined_settings import CombinedSettings
from penstock.planning.registry import policy_named
from penstock.planning.rules.memory import rule
from tests.builders import job, rounds, view


def seen(at_s: float, *gc_shares: float | None, now: float = 1024, **dial: float | None) -> View:
    """A fleet whose machines tell of so much garbage collection."""
    machines = tuple(MachineFigures(f"m{n}", 4, gc_share=share) for n, share in enumerate(gc_shares))
    turned = Dial("memory", WHOLE, now, 512, disturbs=Disturbs.APPLICATION, **dial)  # type: ignore[arg-type]
    return replace(view(at_s, [job("a", 10, 10)]), machines=machines, levers=(turned,))


def decided(views: Iterable[View], mode: str = "act") -> list[Decision]:
    memory: RuleMemory = {}
    found = list[Decision]()
    for view_ in views:
        decisions, memory = rule(view_, memory, CombinedSettings(memory=mode))
        found += decisions
    return found


def short(seconds: float, **dial: float) -> list[View]:
    return [seen(at_s, 0.15, **dial) for at_s in range(0, int(seconds) + 1, 10)]


def test_two_minutes_of_shortage_are_acted_on_once_and_the_cost_is_said() -> None:
    (decision,) = decided(short(600.0))
    assert (decision.at_s, decision.reason, decision.moves) == (120.0, Reason.RESCALED, (Memory(1024, 2048),))
    assert decision.why == (
        "executors spend 15% of their tasks' time on garbage collection, for 2m and more: 1,024 MiB of memory are too "
        "little; 2,048 MiB can be had, and every query starts again for it"
    )


def test_advice_is_words() -> None:
    (decision,) = decided(short(600.0), "advise")
    assert (decision.reason, decision.moves) == (Reason.ADVISED, ())


def test_the_next_size_is_spoken_of_when_it_is_short_too() -> None:
    after = [replace(view_, at_s=view_.at_s + 700.0) for view_ in short(600.0, now=2048)]
    at_ease = [seen(650.0, 0.02)]
    assert [d.moves for d in decided([*short(600.0), *at_ease, *after])] == [
        (Memory(1024, 2048),),
        (Memory(2048, 4096),),
    ]


@pytest.mark.parametrize(
    ("views", "mode"),
    [
        (short(110.0), "act"),
        (short(600.0), "off"),
        ([seen(at_s, 0.05) for at_s in range(0, 600, 10)], "act"),  # as any application
        ([seen(at_s, 0.15 if at_s % 100 else 0.05) for at_s in range(0, 600, 10)], "act"),  # now and then
        ([seen(at_s, None) for at_s in range(0, 600, 10)], "act"),  # nobody tells
        ([replace(seen(at_s, 0.5), levers=()) for at_s in range(0, 600, 10)], "act"),  # nothing to turn
        ([seen(at_s, 0.5, asked=2048) for at_s in range(0, 600, 10)], "act"),  # it is on its way
    ],
)
def test_nothing_is_said_where_nothing_is_short_for_long_or_nothing_can_be_done(views: list[View], mode: str) -> None:
    assert decided(views, mode) == []


def test_one_executor_that_is_short_holds_up_the_stages_of_all() -> None:
    assert decided([seen(at_s, 0.0, 0.2, None) for at_s in range(0, 200, 10)])


def test_no_more_than_a_worker_has_is_asked_for_and_at_its_limit_other_help_is_named() -> None:
    assert [d.moves for d in decided(short(200.0, most=1500))] == [(Memory(1024, 1500),)]
    (decision,) = decided(short(200.0, most=1024))
    assert (decision.reason, decision.moves) == (Reason.ADVISED, ())
    assert "no worker has more" in decision.why


def test_old_news_counts_for_nothing() -> None:
    views = [replace(view_, jobs=(replace(view_.jobs[0], fresh=False),)) for view_ in short(600.0)]
    assert decided(views) == []


def test_the_penstock_policy_advises_unless_its_setting_says_otherwise() -> None:
    def reasons(**settings: str) -> list[Reason]:
        plans, _ = rounds(policy_named("penstock", settings), short(300.0))
        return [decision.reason for plan in plans for decision in plan.decisions]

    assert (reasons(), reasons(memory="act"), reasons(memory="off")) == ([Reason.ADVISED], [Reason.RESCALED], [])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"memory": "perhaps"}, "memory: 'perhaps' cannot be used; choose one of off, advise, act"),
        ({"memory": 3}, "memory: 3 cannot be used"),
        ({"henge": {"reduction": "much"}}, r"settings.penstock.henge.reduction: 'much' cannot be used; write a number"),
    ],
)
def test_a_setting_that_will_not_do_is_told_in_one_line(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        policy_named("penstock", settings)
