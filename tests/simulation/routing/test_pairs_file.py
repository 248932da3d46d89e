"""Pairs are read from CSV files, plain or gzipped, and what cannot be read is named."""

import gzip
from pathlib import Path

import pytest

from penstock.core.seen.pairs import PairCounts
from penstock.errors import ConfigError
from penstock.simulation.routing.pairs_file import read_pairs


def written(folder: Path, text: str, name: str = "pairs.csv") -> Path:
    """A file with this text."""
    path = folder / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.csv.gz"])
def test_counted_lines_and_lines_for_each_row_are_summed_by_pair(tmp_path: Path, name: str) -> None:
    counted = written(tmp_path, "left,right,rows\nAsia,1,3\nAsia,1,2\nEurope,7,1\n", name)
    assert read_pairs(counted, "left", "right") == PairCounts.exact({("Asia", 1): 5, ("Europe", 7): 1})
    single = written(tmp_path, "a,b\nx,y\nx,y\n,y\n", name)
    assert read_pairs(single, "a", "b") == PairCounts.exact({("x", "y"): 2})


def test_keys_with_leading_zeros_are_names_and_not_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "left,right\n007,1\n8,2\n")
    assert set(read_pairs(path, "left", "right").pairs) == {("007", 1), ("8", 2)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", r"column: 'left' cannot be used; choose among those of .*: a, b"),
        ("", r"column: 'left' cannot be used; choose among those of .*: none"),
        ("left,right,rows\nx,y,many\n", r"line 2: rows: 'many' cannot be used; write a whole number"),
        ("left,right\nx\n", r"line 2: .* cannot be used; write all columns: left, right"),
    ],
)
def test_a_file_that_holds_something_else_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_pairs(written(tmp_path, text), "left", "right")


TWO, NO_PAIRS = "left,right\na,b\nc,d\n", "left,right\n,\n,\n"


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.csv.gz"])
@pytest.mark.parametrize("text", [TWO, NO_PAIRS])
def test_a_file_with_more_lines_than_may_be_read_is_refused(tmp_path: Path, text: str, name: str) -> None:
    path = written(tmp_path, text, name)
    read_pairs(path, "left", "right", most_lines=2)
    with pytest.raises(
        ConfigError, match=r"--most-lines: 1 cannot be used; .*has more lines: count the rows of each pair"
    ):
        read_pairs(path, "left", "right", most_lines=1)


def test_a_file_with_more_text_than_so_many_lines_have_is_refused(tmp_path: Path) -> None:
    line = "a" * 100_000 + ",b\n"
    path = written(tmp_path, "left,right\n" + line * 11, "pairs.csv.gz")  # 1.1 MB: a line's most and 20 times 100
    with pytest.raises(
        ConfigError, match=r"--most-lines: 20 cannot be used; .*has more text than 100 characters a line"
    ):
        read_pairs(path, "left", "right", most_lines=20)
    assert len(read_pairs(path, "left", "right", most_lines=1000).pairs) == 1


def test_a_file_that_is_not_there_or_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"pairs: .*nowhere\.csv' cannot be used; give a CSV file with a header line"):
        read_pairs(tmp_path / "nowhere.csv", "left", "right")
    (tmp_path / "x.csv").write_bytes(b"left,right\n\xff\xfe,1\n")
    with pytest.raises(ConfigError, match="give a CSV file"):
        read_pairs(tmp_path / "x.csv", "left", "right")
