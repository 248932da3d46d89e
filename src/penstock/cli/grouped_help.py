"""Help that tells commands by what one wants to do, each in its whole sentence; click would cut it at a line's end."""

from collections.abc import Mapping
from typing import Any

import click

SHELL_VARIABLE = "_PENSTOCK_COMPLETE"  # by it a shell asks what may follow; as click derives it from the name


class GroupedHelp(click.Group):
    """A group whose help has each command's sentence whole."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, below their headings."""
        wide = max(map(len, self.commands), default=0)
        for heading, names in self.headings().items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(wide), _sentence(self.commands[name])) for name in names])

    def headings(self) -> Mapping[str, tuple[str, ...]]:
        """What stands under which heading: all of them under one."""
        return {"Commands": tuple(sorted(self.commands))}


class Grouped(GroupedHelp):
    """A group that is told under several headings, in their order."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._headings = dict[str, tuple[str, ...]]()

    def add_under(self, heading: str, command: click.Command) -> None:
        """One more command."""
        self.add_command(command)
        self._headings[heading] = (*self._headings.get(heading, ()), command.name or "")

    def headings(self) -> Mapping[str, tuple[str, ...]]:
        """As they were added."""
        return self._headings


def _sentence(command: click.Command) -> str:
    return command.get_short_help_str(limit=10_000)
