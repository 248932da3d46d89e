"""`penstock completion`: what a shell needs so that Tab knows the commands."""

import sys

import click

EXAMPLE = """
\b
Examples:
  eval "$(penstock completion bash)"          in ~/.bashrc
  eval "$(penstock completion zsh)"           in ~/.zshrc, after compinit
  penstock completion fish > ~/.config/fish/completions/penstock.fish
"""


@click.command(epilog=EXAMPLE)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL: commands, options, policies and names of runs."""
    from click.shell_completion import get_completion_class

    from penstock.cli.grouped_help import SHELL_VARIABLE
    from penstock.cli.main import cli

    made = get_completion_class(shell)
    assert made is not None  # click has all three
    sys.stdout.write(made(cli, {}, "penstock", SHELL_VARIABLE).source() + "\n")
