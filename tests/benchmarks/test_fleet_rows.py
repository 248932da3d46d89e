"""What `fleet_of_eight` says of its rows: the twin knows which were to come, and tells what is missing or doubled."""

from dataclasses import replace
from pathlib import Path

import pytest
from fleet_rows import BatchRows, comes, peak_of, source_began_s, told_of

CURVE = ((0.0, 60.0), (2.0, 60.0), (2.2, 270.0), (4.0, 270.0), (4.2, 60.0))


def batch(number: int, start: int, end: int) -> BatchRows:
    """As it is where nothing is amiss."""
    values = [value for value in range(start * peak_of(CURVE), end * peak_of(CURVE)) if comes(CURVE, value)]
    return BatchRows(number, start, end, len(values), sum(values))


ALL = [batch(0, 0, 1), batch(1, 1, 3), batch(2, 3, 4), batch(3, 4, 9)]
AMISS = [
    # what there is of the batches, what is told beside the rows
    (ALL, (0, 0, 0)),
    ([*reversed(ALL)], (0, 0, 0)),
    ([ALL[0], replace(ALL[1], count=ALL[1].count - 1), *ALL[2:]], (1, 0, 0)),
    ([ALL[0], replace(ALL[1], count=ALL[1].count + 1), *ALL[2:]], (0, 1, 0)),
    ([ALL[0], replace(ALL[1], total=ALL[1].total + 1), *ALL[2:]], (0, 0, 1)),  # another row instead of one of them
    ([*ALL[:2], ALL[3]], (ALL[2].count, 0, 0)),
    ([*ALL[:2], batch(2, 2, 4), ALL[3]], (0, batch(2, 2, 3).count, 0)),
    ([*ALL, ALL[1]], (0, ALL[1].count, 0)),
]


@pytest.mark.parametrize(("batches", "told"), AMISS)
def test_rows_that_are_lost_come_twice_or_are_others_are_told(
    batches: list[BatchRows], told: tuple[int, int, int]
) -> None:
    found = told_of(CURVE, batches)
    assert (found["lost"], found["doubled"], found["other"]) == told
    assert found["rows"] == sum(one.count for one in batches)


def test_as_many_rows_come_as_the_curve_says() -> None:
    # 60 a second until 2 s and from 4.2 s on, 270 in between, 165 in the mean of either slope; in parts of a thousand
    assert sum(one.count for one in ALL) == pytest.approx(
        60 * 2 + 165 * 0.2 + 270 * 1.8 + 165 * 0.2 + 60 * 4.8, rel=0.02
    )


@pytest.mark.parametrize(
    ("written", "began_s"), [("v1\n1795945882157", 1795945882.157), (None, None), ("", None), ("v1\n", None)]
)
def test_a_curves_seconds_are_counted_from_when_spark_wrote_down_that_its_source_began(
    tmp_path: Path, written: str | None, began_s: float | None
) -> None:
    if written is not None:
        (tmp_path / "sources" / "0").mkdir(parents=True)
        (tmp_path / "sources" / "0" / "0").write_text(written)
    assert source_began_s(tmp_path) == began_s
