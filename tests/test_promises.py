"""The page of what may fail names tests that are there."""

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
    missing = [f"{file}::{name}" for file, name in NAME.findall(PAGE) if name not in defined_in(ROOT / "tests" / file)]
    assert missing == []


def defined_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
