"""A command whose module is imported when it is called: until then only its name and its line in `--help` are there.

All commands together import Spark's, the database's and the web's libraries, two seconds of them; one that is called
takes only its own.
"""

import importlib
from typing import Any

import click


class LazyCommand(click.Command):
    """Stands in a group for the command of that name, in the module of that name.

    `summary` is the first sentence of the command's help; a test compares the two.
    """

    def __init__(self, name: str, summary: str) -> None:
        super().__init__(name, help=summary)

    def awaited(self) -> click.Command:
        """The command itself."""
        module = vars(importlib.import_module(f"penstock.cli.{self.name}"))
        return next(found for found in module.values() if isinstance(found, click.Command) and found.name == self.name)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """That of the command itself, which is then what click invokes."""
        return self.awaited().make_context(info_name, args, parent, **extra)
