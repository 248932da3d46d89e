"""Writes from the code what docs/reference lists, but for python.md, and the schema of tenants files.

python scripts/reference.py            # after a change of a command or a setting
python scripts/reference.py --check    # fails where what is written is not what the code says
"""

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

import click
import described
import listed

from penstock.cli.lazy_command import LazyCommand
from penstock.cli.main import cli
from penstock.config import schema
from penstock.planning.registry import DEFAULT, POLICIES

PLACE = Path(__file__).parents[1] / "docs" / "reference"


def commands() -> str:
    """All commands, in the order of `penstock --help`."""
    parts = ["# Commands\n", described.HOW]
    for name, waiting in cli.commands.items():
        command = waiting.awaited() if isinstance(waiting, LazyCommand) else waiting
        parts += _command(f"penstock {name}", command)
    return "\n".join(parts)


def _command(name: str, command: click.Command) -> Iterator[str]:
    if isinstance(command, click.Group):
        yield f"## {name}\n\n{_text(command)}\n"
        for below, one in command.commands.items():
            yield from _command(f"{name} {below}", one)
        return
    context = click.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"## {name}\n\n    {name} {usage}\n\n{_text(command)}\n"
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if options:
        yield "| option | default | |\n|---|---|---|"
        yield "\n".join(_option(one, context) for one in options) + "\n"


def _option(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    default = option.get_default(context)
    told = f"`{default}`" if isinstance(default, int | float | str | Path) and default is not False else ""
    many = " (may be given several times)" if option.multiple else ""
    return f"| {names} | {_cell(told)} | {_cell((option.help or '') + many)} |"


def _text(command: click.Command) -> str:
    """Its help as paragraphs; blocks that click leaves as they are become code."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(_paragraph(one) for one in paragraphs)


def _paragraph(text: str) -> str:
    if text.startswith("\b"):
        return "\n".join(f"    {line}" for line in text.removeprefix("\b").strip("\n").splitlines())
    return text


def settings() -> str:
    """The settings of all policies that have any."""
    parts = [
        "# Settings of policies\n",
        described.HOW,
        "In a tenants file, or a scenario, below `settings`; what is left out has its default:\n",
        f"    policy: {DEFAULT}\n    settings: {{penstock: {{arbiter: {{least_gain: 0.02}}}}}}\n",
    ]
    for name, entry in POLICIES.items():
        if entry.settings is not None:
            parts += _settings(name, entry.settings)
    return "\n".join(parts)


def _settings(name: str, kind: type[Any]) -> Iterator[str]:
    alone = next((known for known, entry in POLICIES.items() if entry.settings is kind), name)
    if alone != name:
        yield f"## {name}\n\nAs [{alone}](#{alone}).\n"
        return
    about, nested = _comments(kind), list[tuple[str, type[Any]]]()
    yield f"## {name}\n\n{inspect.cleandoc(kind.__doc__ or '')}\n"
    rows = []
    for field in fields(kind):
        default = _default(field)
        if is_dataclass(default):
            nested.append((f"{name}.{field.name}", type(default)))
            continue
        told = getattr(default, "value", default)
        rows.append(
            f"| `{field.name}` | {'' if told in ({}, ()) else f'`{told}`'} | {_cell(about.get(field.name, ''))} |"
        )
    if rows:
        yield "| setting | default | |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    for inner_name, inner in nested:
        yield from _settings(inner_name, inner)


def _default(field: "Field[Any]") -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def _comments(kind: type[Any]) -> dict[str, str]:
    """What stands above a field, and behind it."""
    found, above = dict[str, str](), list[str]()
    for line in inspect.getsource(kind).splitlines():
        text = line.strip()
        if text.startswith("#"):
            above.append(text.removeprefix("#").strip())
            continue
        match = re.match(r"(\w+): [^#]*(?:#\s*(.*))?$", text)
        if match:
            found[match[1]] = "; ".join(part for part in (" ".join(above), match[2] or "") if part)
        above = []
    return found


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def main() -> None:
    """Write the pages, or say which of them is not what the code says."""
    pages = {
        PLACE / "commands.md": commands(),
        PLACE / "settings.md": settings(),
        PLACE / "tenants.md": described.tenants_file(),
        PLACE / "api.md": described.api(),
        PLACE / "metrics.md": listed.metrics(),
        PLACE / "levers.md": listed.levers(),
        schema.SHIPPED: schema.text(),
    }
    if "--check" in sys.argv[1:]:
        old = [file for file, text in pages.items() if not _is(file, text)]
        if old:
            raise SystemExit(f"{old[0].name} is not what the code says; run python scripts/reference.py")
        return
    PLACE.mkdir(parents=True, exist_ok=True)
    for file, text in pages.items():
        file.write_text(text, encoding="utf-8")


def _is(file: Path, text: str) -> bool:
    return file.exists() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    main()
