"""Records are the same for the same seed and number, whoever makes them and in whatever pieces."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from penstock.errors import ConfigError
from penstock.workloads import rows
from penstock.workloads.draws import Draws
from penstock.workloads.records import KINDS, make_records
from tests.workloads.first_records import first_records


@pytest.mark.parametrize("kind", KINDS)
def test_records_are_the_same_in_one_piece_or_many(kind: str) -> None:
    index = np.arange(300, dtype=np.int64)
    whole = make_records(kind, index, index * 10, seed=3)
    pieces = [make_records(kind, part, part * 10, seed=3) for part in (index[200:], index[:1], index[1:200])]
    assert whole == [*pieces[1], *pieces[2], *pieces[0]]


@pytest.mark.parametrize("kind", KINDS)
def test_another_seed_makes_other_records(kind: str) -> None:
    assert first_records(kind, 50, seed=1) != first_records(kind, 50, seed=2)


def test_nexmark_has_one_person_and_three_auctions_in_fifty_events() -> None:
    counts = Counter(json.loads(line)["event"] for line in first_records("nexmark", 5000))
    assert counts == {"person": 100, "auction": 300, "bid": 4600}


def test_nexmark_bids_and_sells_only_what_and_who_is_there() -> None:
    auctions, people = set(), set()
    for event in map(json.loads, first_records("nexmark", 3000)):
        if event["event"] == "person":
            people.add(event["id"])
        elif event["event"] == "auction":
            auctions.add(event["id"])
            assert event["seller"] in people
        else:
            assert event["auction"] in auctions
            assert event["bidder"] in people


def test_half_of_the_bids_go_to_the_hot_auction() -> None:
    bids = Counter(json.loads(line).get("auction") for line in first_records("nexmark", 1500))
    assert 0.45 < bids[1000] / (bids.total() - bids[None]) < 0.6


def test_draws_are_spread_evenly() -> None:
    draws = Draws(1, np.arange(100_000))
    assert draws.uniform("u").mean() == pytest.approx(0.5, abs=0.01)
    assert draws.normal("n").std() == pytest.approx(1.0, abs=0.01)
    assert Counter(draws.below("b", 4).tolist()).most_common()[-1][1] > 24_000


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="kind: 'adds' cannot be used; choose one of ads, cars, nexmark"):
        first_records("adds", 1)


def test_rows_for_a_topic_are_the_records_with_a_key_each() -> None:
    index = np.arange(60, dtype=np.int64)
    keys, values = zip(*rows.senml(index, index * 10, index, index), strict=True)
    assert list(values) == make_records("senml", index, index * 10)
    assert keys[:2] == ("sensor-000", "sensor-001")
    assert keys[55:57] == ("sensor-000", "sensor-001")
    assert [key for key, _ in rows.nexmark(index, index, index, index)] == [str(number) for number in range(60)]


def test_riotbenchs_own_samples_are_replayed_with_new_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = '{"e":[{"u":"string","n":"source","sv":"s7"},{"v":"8","u":"far","n":"temperature"}],"bt":5}'
    (tmp_path / "samples.csv").write_text(f"5,{sample}\n6,{sample}\n")
    monkeypatch.setenv(rows.SAMPLES, str(tmp_path / "samples.csv"))
    index = np.arange(3, dtype=np.int64)
    found = rows.riotbench(index, index + 100)
    assert [key for key, _ in found] == ["s7"] * 3
    assert [json.loads(value)["bt"] for _, value in found] == [100, 101, 102]
