"""The page of scenarios names every claim as its file has it, and says of each what the file declares."""

import re
from pathlib import Path

import pytest
from scenarios import HEAD, HOLDS, MISSED, renewed, rows_of, scenario_files

from penstock.simulation.checking import check_scenario
from penstock.simulation.expect import wanted
from penstock.simulation.schema import ExpectPart, ScenarioFile

RESULTS = Path(__file__).parents[2] / "docs" / "results"
PAGE = (RESULTS / "scenarios.md").read_text(encoding="utf-8")
FILES = [check_scenario(path)[0].scenario for path in scenario_files()]


def declared(name: str, part: ExpectPart) -> tuple[str, str]:
    """Both ends of its row: the figure between them is for a run to find."""
    verdict = HOLDS if part.not_reproduced is None else f"{MISSED} {part.not_reproduced}"
    return f"| {name} | {part.claim} | {wanted(part)} | ", f" | {verdict} |"


def test_the_page_has_the_scenarios_that_there_are() -> None:
    assert list(rows_of(PAGE)) == sorted(file.name for file in FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_claim_has_a_row_and_the_verdict_that_its_file_declares(file: ScenarioFile) -> None:
    rows = rows_of(PAGE)[file.name]
    ends = [declared(file.name, part) for part in file.expect]
    assert len(rows) == len(ends)
    assert [
        row for row, (start, end) in zip(rows, ends, strict=True) if row[: len(start)] + row[-len(end) :] != start + end
    ] == []


def test_both_pages_count_the_claims_that_hold() -> None:
    claims = [part for file in FILES for part in file.expect]
    count = f"{sum(part.not_reproduced is None for part in claims)} of {len(claims)}"
    assert re.findall(r"(\d+ of \d+) claims hold\. ", PAGE) == [count]
    assert f"| claims of the scenarios | all hold | {count} hold" in (RESULTS / "README.md").read_text(encoding="utf-8")


def test_only_the_rows_of_what_was_run_and_the_count_are_renewed() -> None:
    before = f"**Short answer (2026-01-01):** 1 of 2 claims hold. Of each of the other 1 why.\n\nKept.\n\n{HEAD}"
    old, kept = "| b | claim | at least 1 | 0 | **FAILS**. |", "| a | claim | at least 1 | 1 | holds. |"
    new = ["| b | claim | at least 1 | 1 | holds. |", "| b | other | at most 1 | 2 | **not reproduced**. Too high. |"]
    page = renewed(f"{before}{kept}\n{old}\n", {"b": new}, "2026-01-02")
    assert page == "\n".join(
        [
            "**Short answer (2026-01-02):** 2 of 3 claims hold. Of each of the other 1 why.\n\nKept.\n",
            f"{HEAD}{kept}",
            *new,
            "",
        ]
    )
