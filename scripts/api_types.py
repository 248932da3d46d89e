"""Writes the API's types for the pages from its OpenAPI description, and says whether what is there is fresh.

python scripts/api_types.py           writes frontend/src/schema.ts
python scripts/api_types.py --check   compares it with what the API says of itself
"""

import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from penstock.store.open import open_store
from penstock.web.app import create_app
from penstock.web.settings import WebSettings
from penstock.web.tokens import NO_TOKENS

PLACE = Path(__file__).parents[1] / "frontend" / "src" / "schema.ts"
HEAD = "// Written by scripts/api_types.py from the API's OpenAPI description: change src/penstock/web/shapes*.py.\n"
_PLAIN = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}

Schema = Mapping[str, Any]


def described() -> dict[str, Schema]:
    """The schemas of all that the API answers or is sent, by name."""
    with tempfile.TemporaryDirectory() as place, closing(open_store(Path(place) / "none.sqlite")) as store:
        schemas: dict[str, Schema] = create_app(store, WebSettings(), lambda: NO_TOKENS).openapi()["components"][
            "schemas"
        ]
        return schemas


def types(schemas: Mapping[str, Schema]) -> str:
    """One type for each schema, in the order of their names."""
    return "\n".join([HEAD, *(_declared(name, schemas[name]) for name in sorted(schemas))])


def type_of(schema: Schema) -> str:
    """A schema as a type.

    >>> type_of({"anyOf": [{"type": "number"}, {"type": "null"}]})
    'number | null'
    >>> type_of({"type": "array", "items": {"enum": ["up", "down"]}})
    '("up" | "down")[]'
    """
    if "$ref" in schema:
        return _name(str(schema["$ref"]).rpartition("/")[2])
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return " | ".join(_literal(value) for value in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " | ".join(dict.fromkeys(type_of(part) for part in schema[word]))
    if schema.get("type") == "array":
        return _array(schema)
    if schema.get("type") == "object":
        return _object(schema)
    return _PLAIN.get(str(schema.get("type")), "unknown")


def _declared(name: str, schema: Schema) -> str:
    if schema.get("type") != "object" or "properties" not in schema:
        return f"export type {_name(name)} = {type_of(schema)};\n"
    return f"export interface {_name(name)} {_object(schema, answered=name.endswith('Out'))}\n"


def _object(schema: Schema, answered: bool = False) -> str:
    """An answer has all its fields, absent ones as null; a request may leave out those that have a default."""
    if "properties" not in schema:
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values) if isinstance(values, Mapping) else 'unknown'}>"
    needed = schema["properties"] if answered else schema.get("required", ())
    fields = [f"  {n}{'' if n in needed else '?'}: {type_of(part)};" for n, part in schema["properties"].items()]
    return "\n".join(["{", *fields, "}"])


def _array(schema: Schema) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(type_of(part) for part in schema['prefixItems'])}]"
    inner = type_of(schema.get("items", {}))
    return f"({inner})[]" if " " in inner else f"{inner}[]"


def _name(name: str) -> str:
    return name.removesuffix("-Output").removesuffix("-Input")


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


if __name__ == "__main__":
    text = types(described())
    if sys.argv[1:] != ["--check"]:
        PLACE.write_text(text, encoding="utf-8")
    elif not PLACE.is_file() or PLACE.read_text(encoding="utf-8") != text:
        sys.exit("frontend/src/schema.ts is not what the API says of itself: run python scripts/api_types.py")
