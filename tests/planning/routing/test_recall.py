"""How far back to look is settled by what would have served the newest rows better a window ago."""

from penstock.core.seen.pairs import PairCounts
from penstock.core.seen.routes import Links
from penstock.planning.routing.recall import recalled

LINK = ("left", "right")


def pairs(partners: int, *keys: int, rows: int = 90) -> Links:
    """Each of these keys with the partner that is so many numbers further."""
    return {LINK: PairCounts.exact({(f"l{key}", f"r{(key + partners) % 12}"): rows for key in keys})}


EVEN, ODD, ALL = range(0, 12, 2), range(1, 12, 2), range(12)


def together(*parts: Links) -> Links:
    return {LINK: sum((part[LINK] for part in parts), PairCounts())}


def test_where_keys_come_back_the_whole_history_is_looked_at() -> None:
    newest, basis = pairs(0, *EVEN), together(pairs(0, *EVEN), pairs(0, *ODD))
    before = pairs(0, *ODD), together(pairs(0, *ODD), pairs(0, *EVEN))
    assert recalled((newest, basis), before, 3) is basis


def test_where_partners_change_the_newest_window_alone_is() -> None:
    newest, basis = pairs(1, *ALL), together(pairs(1, *ALL), pairs(5, *ALL, rows=120))
    before = pairs(1, *ALL), together(pairs(1, *ALL), pairs(5, *ALL, rows=240))
    assert recalled((newest, basis), before, 3) is newest


def test_without_a_window_before_there_is_nothing_to_judge_by() -> None:
    newest, basis = pairs(0, *EVEN), pairs(0, *ALL)
    assert recalled((newest, basis), ({}, {}), 3) is basis
    assert recalled((newest, basis), ({LINK: PairCounts()}, {LINK: PairCounts()}), 3) is basis
