"""Pages of docs/reference made from descriptions of our own: the schema of tenants files, the API's OpenAPI."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from penstock.config.schema import tenants_schema
from penstock.store.open import open_store
from penstock.web.app import create_app
from penstock.web.settings import WebSettings
from penstock.web.tokens import NO_TOKENS

HOW = "Made by `scripts/reference.py` from the code.\n"
_PARTS = {  # in the order of a file, with their headings
    "TenantPart": "A job",
    "IntentPart": "Its intent",
    "HoursPart": "Hours of an intent",
    "BudgetPart": "Its error budget",
    "ExcludedPart": "Excluded periods",
    "RestartPart": "How it is restarted",
    "ModelsPart": "Models of a job",
}
_TYPES = {"integer": "number", "number": "number", "boolean": "true or false", "object": "mapping", "array": "list"}

Schema = Mapping[str, Any]


def tenants_file() -> str:
    """Every field of a tenants file."""
    schema = tenants_schema()
    parts = [
        "# Tenants file\n",
        HOW,
        "Durations are numbers of seconds, or texts such as `250ms`, `2s`, `5m` and `1h`. `penstock check` finds\n"
        "every mistake in a file. [The tenants file](../tenants-file.md) has examples; [settings of\n"
        "policies](settings.md) have a page of their own.\n",
        "## The file\n",
        _fields(schema),
    ]
    for name, heading in _PARTS.items():
        parts += [f"## {heading}\n", _fields(schema["$defs"][name])]
    return "\n".join(parts)


def _fields(schema: Schema) -> str:
    needed = schema.get("required", ())
    rows = [
        f"| `{name}` | {_type(field)} | {'**needed**' if name in needed else _default(field)} | {_cell(field)} |"
        for name, field in schema["properties"].items()
    ]
    return "\n".join(["| field | type | default | |", "|---|---|---|---|", *rows]) + "\n"


def _type(field: Schema) -> str:
    if "enum" in field:
        return " \\| ".join(f"`{one}`" for one in field["enum"])
    kinds = [_one_type(one) for one in field.get("anyOf", [field])]
    return " or ".join(dict.fromkeys(kind for kind in kinds if kind))


def _one_type(field: Schema) -> str:
    if "$ref" in field or field.get("type") == "null":
        return "mapping" if "$ref" in field else ""
    if field.get("type") == "string":
        pattern = field.get("pattern", "")
        return "duration" if "ms|s" in pattern else "size" if "[kmgt" in pattern else "text"
    return _TYPES.get(field.get("type", ""), "any")


def _default(field: Schema) -> str:
    default = field.get("default")
    return "" if default in (None, {}, []) else f"`{json.dumps(default)}`"


def _cell(field: Schema) -> str:
    return " ".join(field.get("description", "").split()).replace("|", "\\|")


def api() -> str:
    """Every path of the API, by what it is for."""
    with tempfile.TemporaryDirectory() as place, closing(open_store(Path(place) / "none.sqlite")) as store:
        document = create_app(store, WebSettings(), lambda: NO_TOKENS).openapi()
    parts = [
        "# API\n",
        HOW,
        "`penstock serve` answers at `http://127.0.0.1:7373`; its whole description, with every schema, is at\n"
        "`/api/openapi.json`. Beyond loopback each request needs a token ([who may ask](../serve.md)).\n",
    ]
    for tag in document["tags"]:
        rows = list(_paths(document["paths"], tag["name"]))
        parts += [f"## {tag['name'].capitalize()}\n", "| | path | |\n|---|---|---|\n" + "\n".join(rows) + "\n"]
    return "\n".join(parts)


def _paths(paths: Mapping[str, Mapping[str, Any]], tag: str) -> Iterator[str]:
    for path, methods in sorted(paths.items()):
        for method, told in methods.items():
            if isinstance(told, Mapping) and tag in told.get("tags", ()):
                about = (told.get("description") or told.get("summary", "")).strip().partition("\n")[0]
                yield f"| {method.upper()} | `{path}` | {about} |"
