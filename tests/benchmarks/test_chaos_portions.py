"""Portions of the nemesis's work are kept in a file, and add up: each pair once, and whatever was broken."""

from dataclasses import replace
from pathlib import Path

from chaos_history import BACK, Cycle, Held, History, Rows, Struck, judged
from chaos_portions import LAW, Asked, Pair, Portion, keep, kept, portion_of, told

STRUCK = Struck(30.0, 60.0, "kill JVM and stop broker for 8 s", missed=("kill JVM",))
HISTORY = History(
    rows=(Rows("ads", {"a": 3, "b": 4}, {"a": 2, "b": 6}),),
    held=(Held(0.0, "x", 1),),
    cycles=(Cycle(10.0, 1, 1.0), *(Cycle(at_s, 1, 0.96) for at_s in (80.0, 90.0, 100.0))),
    struck=(STRUCK,),
    until_s=300.0,
)
PAIRS = (Pair("kill JVM and kill broker", back_s=4.0), Pair("stop worker and fill disk", ("fill disk",)))
WELL = Portion(Asked("2026-11-27 09:00", "abc", 1), PAIRS, 600.0, 1000, 0, 0, {"no row is lost": 1000}, {})


def test_a_portion_tells_rows_that_are_lost_or_doubled_and_faults_that_struck_nobody() -> None:
    portion = portion_of(HISTORY, judged(HISTORY), WELL.asked)
    assert (portion.rows, portion.lost, portion.doubled) == (7, 1, 2)
    assert portion.lasted_s == 50.0  # the pair 30, and 20 until utility was back
    assert portion.pairs == (Pair(STRUCK.text, ("kill JVM",), 20.0, 0.95),)
    assert set(portion.broken) == {"no row is lost", "no row is doubled"}
    assert portion.tried[BACK] == 1


def test_what_is_kept_is_read_again_in_its_order_from_a_day_on(tmp_path: Path) -> None:
    later = replace(WELL, asked=replace(WELL.asked, at="2026-11-28 09:00", skip=2), broken={"a law": ("why",)})
    for portion in (WELL, later):
        keep(portion, tmp_path / "portions.jsonl")
    assert kept(tmp_path / "portions.jsonl") == (WELL, later)
    assert kept(tmp_path / "portions.jsonl", "2026-11-28") == (later,)


def test_portions_add_up_and_faults_that_struck_nobody_do_not_count() -> None:
    other = replace(WELL, asked=replace(WELL.asked, seed=2))
    text = told((WELL, replace(WELL, asked=replace(WELL.asked, skip=2)), other))
    assert text.startswith("9 of 200 faults, 2 of 10 seeds, in 0.5 hours (4 were wanted):")  # 3 portions of 2 + 1
    assert "Rows: 3,000 sent, 0 lost, 0 doubled." in text
    assert "| no row is lost | 3,000 | 0 |" in text


def test_faults_by_the_laws_of_today_are_told_apart_from_those_of_before_also_of_the_same_seed() -> None:
    today = replace(WELL, law=LAW, pairs=PAIRS[:1])
    assert "By the laws of today (number 3): 2 faults; 3 by earlier ones" in told((WELL, today))
    assert portion_of(HISTORY, judged(HISTORY), WELL.asked).law == LAW


def test_a_pair_that_was_drawn_again_counts_once_and_what_it_broke_before_is_told_all_the_same() -> None:
    broken = replace(WELL, lost=1, broken={"no row is lost": ("ads: key a",)})
    text = told((broken, WELL))
    assert text.startswith("3 of 200 faults, 1 of 10 seeds")
    assert "| no row is lost | 2,000 | 1 |" in text
    assert "- seed 1 after 0 pairs (2026-11-27 09:00, abc): no row is lost: ads: key a" in text
