"""What ships is what the sources say, and stands alone."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts import api_types

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "penstock" / "web" / "static"


def test_the_built_pages_come_from_the_sources_as_they_are() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "pages.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_pages_types_are_what_the_api_says_of_itself() -> None:
    assert api_types.PLACE.read_text(encoding="utf-8") == api_types.types(api_types.described())


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"$ref": "#/components/schemas/TargetOut"}, "TargetOut"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "Record<string, number>"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]}, "[string, number]"),
        (
            {"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "required": ["a"]},
            "{ a: null; b?: unknown; }",
        ),
    ],
)
def test_a_schema_is_told_as_a_type(schema: dict[str, Any], told: str) -> None:
    assert " ".join(api_types.type_of(schema).split()) == told


def test_all_that_the_page_asks_for_is_there() -> None:
    page = (STATIC / "index.html").read_text()
    asked = [part.split('"')[0].removeprefix("./") for part in page.replace('src="', 'href="').split('href="')[1:]]
    assert [name for name in asked if not name.startswith("/metrics") and not (STATIC / name).is_file()] == []
    assert len(asked) >= 4
