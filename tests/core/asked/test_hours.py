"""When an intent holds: hours of the wall's clock, on the days on which it is changed, too; excluded periods."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from penstock.core.asked.hours import Excluded, Hours, instant_of
from penstock.core.asked.intent_hours import asked_at, asked_share, holding, whole
from penstock.core.asked.intent_plain import intent_of_plain, plain_intent
from penstock.core.asked.intents import NO_UTILITY, Intent, Juice, Latency, Score, scaled
from penstock.core.seen.figures import LatencyFigures
from penstock.errors import ConfigError

BERLIN = "Europe/Berlin"
WORK = Hours.of("06:00", "20:00", "mon-fri", BERLIN)
MONDAY = instant_of("2026-11-02 00:00", BERLIN)
HOUR, DAY = 3600.0, 86_400.0


def held_hours(hours: Hours, day: str, zone: str = BERLIN) -> float:
    """For how long they hold on a civil day, looked at every five minutes."""
    begins = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone))
    ends = begins + timedelta(days=1)
    looks = range(int(begins.timestamp()), int(ends.timestamp()), 300)
    return sum(hours.hold(at_s) for at_s in looks) / 12


@pytest.mark.parametrize(
    ("at", "holds"),
    [
        ("2026-11-02 05:59", False),
        ("2026-11-02 06:00", True),
        ("2026-11-02 19:59", True),
        ("2026-11-02 20:00", False),
        ("2026-11-07 12:00", False),  # a Saturday
    ],
)
def test_hours_hold_on_their_days_by_the_clock_of_their_zone(at: str, holds: bool) -> None:
    assert WORK.hold(instant_of(at, BERLIN)) is holds


def test_hours_over_midnight_belong_to_the_day_on_which_they_begin() -> None:
    night = Hours.of("22:00", "06:00", "fri", BERLIN)
    at = {"2026-11-06 23:00": True, "2026-11-07 05:00": True, "2026-11-07 23:00": False, "2026-11-06 05:00": False}
    assert {when: night.hold(instant_of(when, BERLIN)) for when in at} == at


@pytest.mark.parametrize(
    ("hours", "day", "length_h"),
    [
        (Hours.of("00:00", "24:00", zone=BERLIN), "2026-03-29", 23.0),  # clocks are set from 2:00 to 3:00
        (Hours.of("00:00", "24:00", zone=BERLIN), "2026-10-25", 25.0),  # and from 3:00 back to 2:00
        (Hours.of("06:00", "20:00", zone=BERLIN), "2026-03-29", 14.0),
        (Hours.of("02:30", "04:00", zone=BERLIN), "2026-03-29", 1.0),  # 2:30 is left out: it begins at 3:00
        (Hours.of("02:00", "03:00", zone=BERLIN), "2026-03-29", 0.0),
        (Hours.of("02:00", "03:00", zone=BERLIN), "2026-10-25", 2.0),  # that hour comes twice
        (Hours.of("01:00", "05:00", zone="America/New_York"), "2026-11-01", 5.0),
    ],
)
def test_the_days_on_which_clocks_are_changed(hours: Hours, day: str, length_h: float) -> None:
    assert held_hours(hours, day, hours.zone) == length_h


def test_hours_of_the_same_clock_stay_while_utc_moves() -> None:
    """From winter to summer 6:00 in Berlin moves from 5:00 to 4:00 UTC."""
    assert instant_of("2026-03-30 06:00", BERLIN) - instant_of("2026-03-27 06:00", BERLIN) == 3 * DAY - HOUR
    for day in ("2026-03-27", "2026-03-30"):
        opens_s = instant_of(f"{day} 06:00", BERLIN)
        assert (WORK.hold(opens_s - 1), WORK.hold(opens_s)) == (False, True)


def test_an_intent_asks_by_day_for_something_and_by_night_for_something_else() -> None:
    by_day, by_night = Hours.of("06:00", "20:00", zone=BERLIN), Hours.of("20:00", "06:00", zone=BERLIN)
    intent = Intent(Latency("2s", utility=35, hours=by_day), Latency("30s", utility=5, hours=by_night))
    assert asked_at(intent, MONDAY + 12 * HOUR).objectives == (intent.objectives[0],)
    assert asked_at(intent, MONDAY + 22 * HOUR).max_utility == 5.0
    assert asked_share(intent, MONDAY, MONDAY + DAY) == 1.0


def test_nothing_is_asked_outside_hours_and_in_excluded_periods() -> None:
    moved = Excluded(MONDAY + 10 * HOUR, MONDAY + 11 * HOUR, "the brokers are moved")
    intent = Intent(Latency("2s", utility=35, hours=WORK), recovery="60s", excluded=[moved])
    late = LatencyFigures(60.0)
    for at_h, why in ((3, "outside its hours"), (10.5, "the brokers are moved")):
        now = asked_at(intent, MONDAY + at_h * HOUR)
        assert now.text() == f"nothing now ({why})"
        assert now.score(late, None) == now.score(None, None) == Score(NO_UTILITY, met=True)
        assert (now.max_utility, now.recovery_s) == (NO_UTILITY, None)
        assert whole(now).objectives == intent.objectives
    missed = asked_at(intent, MONDAY + 12 * HOUR).score(late, None)
    assert missed is not None
    assert not missed.met
    assert asked_share(intent, MONDAY, MONDAY + DAY) == pytest.approx(13 / 24)


def test_an_intent_that_holds_always_is_itself() -> None:
    intent = Intent(Latency("2s"), Juice(0.9))
    assert asked_at(intent, MONDAY) is intent


def test_what_rests_outlives_a_store_and_a_rise_of_its_worth() -> None:
    excluded = [Excluded(MONDAY, MONDAY + HOUR, "a backfill")]
    intent = Intent(
        Juice(0.9, utility=3, hours=WORK), Juice(0.5, hours=Hours.of(days=["sat", "sun"])), excluded=excluded
    )
    for at_s in (MONDAY, MONDAY + 2 * HOUR, MONDAY + 12 * HOUR, MONDAY + 5 * DAY):
        now = asked_at(intent, at_s)
        assert intent_of_plain(plain_intent(now)) == now
        assert scaled(now, 2.0).resting == now.resting


def test_what_holds_now_is_simulated_as_if_it_held_on() -> None:
    intent = Intent(Latency("2s", utility=35, hours=WORK))
    by_day, by_night = (holding(asked_at(intent, MONDAY + at_h * HOUR)) for at_h in (12, 3))
    assert asked_at(by_day, 0.0).max_utility == 35.0
    assert asked_at(by_night, MONDAY + 12 * HOUR).rests == "outside its hours"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"from_": "6 o'clock"}, 'from: "6 o\'clock" cannot be used; write a time of day'),
        ({"from_": 6}, "from: 6 cannot be used; write a time of day"),
        ({"from_": "06:00", "to": "06:00"}, "to: '06:00' cannot be used; write another time"),
        ({"days": "workdays"}, "days: 'workdays' cannot be used; write some of mon, tue"),
        ({"zone": "Mars/Olympus"}, "zone: 'Mars/Olympus' cannot be used; write a time zone such as Europe/Berlin"),
        ({"zone": "../etc/passwd"}, "zone: '../etc/passwd' cannot be used"),
    ],
)
def test_what_are_no_hours_is_said(fields: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        Hours.of(**fields)
    assert str(error.value).startswith(told)


def test_yaml_reads_a_bare_twenty_hours_as_a_number() -> None:
    assert Hours.of("06:00", 1200) == Hours.of("06:00", "20:00")
