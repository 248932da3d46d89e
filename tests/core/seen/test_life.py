"""What is known of a controller from its signs of life."""

import pytest

from penstock.core.seen.life import ControllerLife, Sign
from penstock.telling.life import life_text

SEEN_S = 1_763_683_200.0  # 2025-11-21 00:00:00 UTC


@pytest.mark.parametrize(
    ("age_s", "interval_s", "life"),
    [
        (14.0, 2.0, ControllerLife.LIVE),  # never less than 15 s
        (16.0, 2.0, ControllerLife.SILENT),
        (29.0, 10.0, ControllerLife.LIVE),  # three intervals
        (31.0, 10.0, ControllerLife.SILENT),
        (-4.0, 2.0, ControllerLife.LIVE),  # as far apart as clocks may be that are kept right
        (-6.0, 2.0, ControllerLife.AHEAD),
    ],
)
def test_one_look_tells_by_the_age_of_the_last_sign(age_s: float, interval_s: float, life: ControllerLife) -> None:
    assert Sign(SEEN_S, interval_s).life(SEEN_S + age_s) is life


def test_who_said_that_it_ends_has_ended_however_lately() -> None:
    assert Sign(SEEN_S, 2.0, ended=True).life(SEEN_S + 1.0) is ControllerLife.ENDED


def test_a_controller_of_an_older_penstock_that_keeps_silent_is_not_said_to_have_been_killed() -> None:
    sign = Sign(SEEN_S, 2.0, ended=None)
    assert sign.life(SEEN_S + 3_600.0) is ControllerLife.ENDED
    assert life_text(ControllerLife.ENDED, sign, SEEN_S + 3_600.0) == (
        "Its controller gave its last sign of life at 2025-11-21 00:00:00 UTC."
    )


@pytest.mark.parametrize("off_s", [-3_600.0, 0.0, 3_600.0])
def test_signs_that_go_on_prove_life_whatever_their_clock_says_and_those_that_stop_none(off_s: float) -> None:
    sign = Sign(SEEN_S + off_s, 2.0)
    assert sign.life_watched(looked_s=1.0, moved=True, now_epoch_s=SEEN_S) is ControllerLife.LIVE
    assert sign.life_watched(looked_s=16.0, moved=True, now_epoch_s=SEEN_S) is ControllerLife.SILENT
    # Seen alone it proves nothing: by a right clock it came lately, and may have been the last.
    at_first = sign.life_watched(looked_s=1.0, moved=False, now_epoch_s=SEEN_S + 1.0)
    alone = {-3_600.0: ControllerLife.SILENT, 0.0: ControllerLife.AWAITED, 3_600.0: ControllerLife.AHEAD}
    assert at_first is alone[off_s]
    # Before it moved, its clock is all there is; after 15 s in which it did not move nobody needs that any more.
    assert sign.life_watched(looked_s=16.0, moved=False, now_epoch_s=SEEN_S) is ControllerLife.SILENT


def test_each_life_is_told_with_what_to_do() -> None:
    sign = Sign(SEEN_S, 2.0)
    assert life_text(ControllerLife.LIVE, sign, SEEN_S + 3.0) == ""
    awaited = life_text(ControllerLife.AWAITED, sign, SEEN_S + 3.0)
    assert awaited == (
        "Its controller gave a sign of life at 2025-11-21 00:00:00 UTC; the next one, due within 15 s, proves it alive."
    )
    ended = Sign(SEEN_S, 2.0, ended=True)
    assert life_text(ControllerLife.ENDED, ended, SEEN_S) == "Its controller ended in order at 2025-11-21 00:00:00 UTC."
    silent = life_text(ControllerLife.SILENT, sign, SEEN_S + 60.0)
    assert silent.startswith("Its controller has given no sign of life since 2025-11-21 00:00:00 UTC")
    assert "restart it if needed" in silent
    ahead = life_text(ControllerLife.AHEAD, sign, SEEN_S - 3_600.0)
    assert ahead.startswith("The clock of its controller is 1 h ahead of this machine's, so its sign of life")
    assert "Set both by a time server" in ahead
    # One that moves lives; that its clock is wrong is told all the same.
    assert life_text(ControllerLife.LIVE, sign, SEEN_S + 3_600.0) == (
        "The clock of its controller is 1 h behind this machine's: set both by a time server."
    )


def test_a_silent_controller_whose_clock_is_ahead_is_not_heard_of_since_a_time_to_come() -> None:
    assert "since 2025-11-20 23:00:00 UTC" in life_text(ControllerLife.SILENT, Sign(SEEN_S, 2.0), SEEN_S - 3_600.0)
