"""Rows of a file are cut into windows of pairs, as the benchmarks of routing tables take them."""

import gzip
from pathlib import Path

import pytest
from pair_windows import windows_of

from penstock.core.seen.pairs import PairCounts
from penstock.errors import ConfigError


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.csv.gz"])
def test_rows_are_cut_into_windows_and_thin_ones_left_out(tmp_path: Path, name: str) -> None:
    lines = ["t,k1,k2", "99,,1", *(f"{t},1,{t // 10}" for t in (100, 105, 111, 112, 139, 141))]
    text, path = "\n".join(lines).encode(), tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    assert windows_of(path, "10s", least_rows=2) == [
        PairCounts.exact({(1, 10): 2}),
        PairCounts.exact({(1, 11): 2}),
    ]


def test_a_window_of_which_there_are_not_two_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("t,k1,k2\n1,1,2\n")
    with pytest.raises(ConfigError, match=r"window: '1d' cannot be used; at least two windows must hold 500 rows"):
        windows_of(path, "1d")
