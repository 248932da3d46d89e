"""Each figure has one meaning: what the pages tell where the pointer is stands in the docs, word for word."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TERMS = ROOT / "frontend" / "src" / "terms.tsx"
DOCS = ROOT / "docs" / "dashboard.md"


def told() -> dict[str, str]:
    """What the pages tell of each figure."""
    return dict(re.findall(r'^  "([^"]+)": "([^"]+)",$', TERMS.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_docs_tell_of_each_figure_what_the_pages_tell() -> None:
    listed = dict(re.findall(r"^\| \*([^|*]+)\* \| ([^|]+) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE))
    assert listed == told()


def test_there_is_a_meaning_for_what_is_mixed_up_most_easily() -> None:
    assert {"weight", "its share", "slots", "slots used", "cores used", "busy"} <= told().keys()
