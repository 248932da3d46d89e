"""The pages of what may fail name tests that are there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
NAME = re.compile(r"`([\w/]+\.py)::(\w+)`")
HEADS = ("| what fails", "| defect", "| portion", "| 2026-", "| the same, 50")


def test_each_promise_of_the_page_names_a_test_that_is_there() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(HEADS)]
    assert len(lines) >= 100
    assert [line for line in lines if not NAME.search(line)] == []
    assert missing_in(PAGE) == []


def test_each_fault_of_a_fleet_names_a_test_that_is_there() -> None:
    page = (ROOT / "docs" / "fleet-faults.md").read_text(encoding="utf-8")
    _, *parts = page.split("\n## ")
    assert len(parts) == 3
    rows = [line for part in parts for line in part.splitlines() if line.startswith("| ") and "::" in line]
    heads = [line for part in parts for line in part.splitlines() if line.startswith("| ") and "::" not in line]
    assert (len(rows) > 40, len(heads)) == (True, 3)
    assert missing_in(page) == []


def missing_in(page: str) -> list[str]:
    """The tests that it names and that are not there."""
    return [f"{file}::{name}" for file, name in NAME.findall(page) if name not in defined_in(ROOT / "tests" / file)]


def defined_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
