"""On pairs that drift, tables that are renewed hold what tables made once lose; nobody beats the bound in advance."""

from statistics import mean

import pytest
from drifting_pairs import DriftingPairs
from routing_weeks import Trial, Way, heaviest_key, tried

from penstock.core.seen.pairs import PairCounts
from penstock.planning.routing.graph import graph_of
from penstock.planning.routing.judging import Judgement

Weeks = dict[Way, list[Judgement]]


@pytest.fixture(scope="module")
def windows() -> list[PairCounts]:
    return list(DriftingPairs(windows=6, rows=6_000, left_keys=200, right_keys=400, wander=0.1).counts())


@pytest.fixture(scope="module")
def weeks(windows: list[PairCounts]) -> Weeks:
    """What comes of each way, window by window."""
    return {way: list(tried(windows, way)) for way in Way}


@pytest.fixture(scope="module")
def local(weeks: Weeks) -> dict[Way, float]:
    """The mean locality of each way."""
    return {way: mean(judged.locality for judged in weeks[way]) for way in Way}


def test_online_is_eight_points_above_offline_where_pairs_drift(local: dict[Way, float]) -> None:
    assert local[Way.ONLINE] >= local[Way.OFFLINE] + 0.08
    assert local[Way.OFFLINE] > local[Way.HASH] + 0.1


def test_nobody_beats_the_bound_in_advance_and_hindsight_is_above_it(local: dict[Way, float]) -> None:
    assert max(local[way] for way in (Way.HASH, Way.OFFLINE, Way.RESTARTED, Way.ONLINE)) < local[Way.FORESEEN]
    assert local[Way.FORESEEN] <= local[Way.HINDSIGHT]


def test_hashing_keeps_what_chance_keeps(local: dict[Way, float]) -> None:
    assert local[Way.HASH] == pytest.approx(1 / 6, abs=0.04)


def test_online_tables_stay_even_on_the_next_window(weeks: Weeks) -> None:
    assert mean(judged.imbalance for judged in weeks[Way.ONLINE]) <= 1.12


def test_the_more_edges_are_known_the_more_stays_local(windows: list[PairCounts]) -> None:
    few, more, whole = (
        mean(judged.locality for judged in tried(windows[:4], Way.ONLINE, Trial(edges=edges)))
        for edges in (10, 500, None)
    )
    assert few < more < whole


def test_the_heaviest_key_bounds_the_imbalance_of_every_table(windows: list[PairCounts], weeks: Weeks) -> None:
    graph = graph_of(windows[1])
    assert all(weeks[way][0].imbalance >= heaviest_key(graph, 6) for way in Way)
