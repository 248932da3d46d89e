"""The first page of hundreds of tenants is no heavier than that of a few: each has fewer points, the whole as many."""

from contextlib import closing
from pathlib import Path

import pytest

from penstock.store.open import open_store
from penstock.web import reading
from penstock.web.reading import Reader
from tests.recorded import RUN, a_cycle, a_view


def test_of_many_tenants_each_has_fewer_points_and_the_whole_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ALL_POINTS", 20)  # of two tenants together, where 300 each would do
    monkeypatch.setattr(reading, "LEAST_POINTS", 5)
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        for number in range(60):
            store.append(a_cycle(10.0 * number, a_view(10.0 * number)))
        found = Reader(store).overview(RUN.id, None, 300)
    assert len(found.totals.at_s) == 60
    assert {name: len(series.at_s) <= 20 for name, series in found.jobs.items()} == {"ads": True, "fraud": True}
    assert found.jobs["ads"].at_s[0] == 0.0
