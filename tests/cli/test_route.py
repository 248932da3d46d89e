"""`penstock route`: a table for people and for programs, and one line for what cannot be done."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from penstock.cli.main import cli
from penstock.errors import ConfigError


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    path = tmp_path / "pairs.csv"
    path.write_text("left,right,rows\nAsia,#java,3463\nAsia,#ruby,180\nOceania,#python,3700\n", encoding="utf-8")
    return str(path)


def test_the_table_goes_to_standard_output_as_json_and_the_words_to_the_other(pairs: str) -> None:
    result = CliRunner().invoke(cli, ["route", pairs, "--servers", "2", "--json", "-"], catch_exceptions=False)
    table = json.loads(result.stdout)
    assert table["left"]["Asia"] == table["right"]["#java"] != table["left"]["Oceania"]
    assert table["locality"] == 1.0
    assert "metis" in result.stderr
    assert "hash" in result.stderr


def test_what_stays_local_is_drawn(pairs: str, tmp_path: Path) -> None:
    out = tmp_path / "table.png"
    CliRunner().invoke(cli, ["route", pairs, "--servers", "2", "--plot", str(out)], catch_exceptions=False)
    assert out.read_bytes().startswith(b"\x89PNG")


def test_racks_are_a_second_level(pairs: str) -> None:
    arguments = ["route", pairs, "--servers", "4", "--racks", "2,2"]
    assert "in its rack" in CliRunner().invoke(cli, arguments, catch_exceptions=False).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--servers", "0"], r"servers: 0 cannot be used"),
        (
            ["--servers", "100000", "--racks", "50000,50000"],
            r"servers: 100000 cannot be used; write 1,000 or less with racks",
        ),
        (
            ["--servers", "2", "--method", "kmeans"],
            r"method: 'kmeans' cannot be used; choose one of metis, greedy, hash",
        ),
        (["--servers", "2", "--racks", "a,b"], r"--racks: 'a,b' cannot be used; write how many servers"),
        (["--servers", "2", "--left", "k1"], r"column: 'k1' cannot be used; choose among those of"),
        (["--servers", "2", "--most-lines", "2"], r"--most-lines: 2 cannot be used; .*pairs.csv has more lines"),
        (["--servers", "2", "--most-lines", "0"], r"--most-lines: 0 cannot be used; write how many lines"),
        (["--servers", "2", "--plot", "/nowhere/x.png"], r"--plot: '/nowhere/x.png' cannot be used"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_remedy(pairs: str, options: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CliRunner().invoke(cli, ["route", pairs, *options], catch_exceptions=False)


@pytest.mark.parametrize(
    ("header", "name"), [("left,left,right", "left"), ("left,right,rows,rows", "rows"), ("left,right,right", "right")]
)
def test_a_column_that_stands_twice_is_refused_for_nobody_knows_which_one_is_meant(
    header: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(f"{header}\n{','.join('1' * (header.count(',') + 1))}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=f"column: '{name}' cannot be used; .*pairs.csv has it 2 times"):
        CliRunner().invoke(cli, ["route", str(path), "--servers", "2"], catch_exceptions=False)
