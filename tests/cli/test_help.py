"""Help and completion: by what one wants to do, whole, with examples, within 80 columns, in bash, zsh and fish."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from penstock.cli.grouped_help import SHELL_VARIABLE, Grouped
from penstock.cli.lazy_command import LazyCommand
from penstock.cli.main import cli
from penstock.store.open import open_store
from tests.cli.calling import command, environment, penstock
from tests.recorded import RUN


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command, and every command within one."""
    for name, waiting in cli.commands.items():
        assert isinstance(waiting, LazyCommand)
        found = waiting.awaited()
        yield (name,), found
        if isinstance(found, click.Group):
            yield from (((name, below), one) for below, one in found.commands.items())


ALL = [line for line, _ in commands()]


def help_of(*line: str) -> str:
    said = penstock(*line, "--help")
    assert (said.returncode, said.stderr) == (0, "")
    return said.stdout


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("line", [(), *ALL], ids=" ".join)
def test_help_is_within_80_columns_and_cuts_nothing(line: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = help_of(*line)
    assert [row for row in text.splitlines() if len(row) > 80] == []
    assert "..." not in text.replace("COMMAND [ARGS]...", "").replace("]...", "")


@pytest.mark.parametrize("line", ALL, ids=" ".join)
def test_every_help_has_an_example_of_its_command(line: tuple[str, ...]) -> None:
    _, _, examples = help_of(*line).rpartition("Example")
    assert f"penstock {' '.join(line)}" in examples


def test_every_option_says_what_it_does() -> None:
    silent = [
        (*line, option.opts[0])
        for line, one in commands()
        for option in one.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []


def test_commands_stand_below_what_one_wants_to_do_with_their_whole_sentence() -> None:
    text = help_of()
    assert isinstance(cli, Grouped)
    headings = cli.headings()
    told = [heading for heading in re.findall(r"^(\S.*):$", text, re.MULTILINE) if heading in headings]
    assert told == ["Try it", "Before it runs", "Govern", "See what happens, and why", "Tools"]
    assert sorted(name for names in headings.values() for name in names) == sorted(cli.commands)
    for name, one in cli.commands.items():
        assert f"{name} {one.get_short_help_str(1000)}" in words(text)


def test_a_group_within_tells_its_commands_whole_too() -> None:
    text = words(help_of("control"))
    assert "list all levers as of the newest cycle: value, pending value, limits" in text.lower()


def test_a_pipe_gets_no_colour_and_no_help_is_coloured() -> None:
    assert "\x1b" not in help_of() + help_of("top")


def offered(*typed: str, store: str = "/nowhere/runs.sqlite") -> list[str]:
    """What may stand in place of the last word."""
    asked = ShellComplete(cli, {"default_map": {}}, "penstock", SHELL_VARIABLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PENSTOCK_STORE", store)
        return [item.value for item in asked.get_completions(list(typed[:-1]), typed[-1])]


def test_commands_options_and_commands_within_are_completed() -> None:
    assert offered("co") == ["completion", "control", "coordinate"]
    assert offered("control", "pa") == ["partitions", "pause"]
    assert offered("report", "--h") == ["--html", "--help"]


def test_names_of_runs_and_policies_are_completed(tmp_path: Path) -> None:
    path = str(tmp_path / "runs.sqlite")
    with closing(open_store(path)) as store:
        store.begin(RUN)
    assert offered("explain", "", store=path) == ["last", RUN.id]
    assert offered("explain", "--store", path, "l") == ["last"]
    assert offered("simulate", "--policy", "ds2,hen") == ["ds2,henge"]


def test_names_of_runs_from_a_store_that_is_none_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("no database")
    assert offered("explain", "", store=str(tmp_path / "words")) == ["last"]
    assert offered("explain", "", store="mysql://nobody") == ["last"]


@pytest.mark.parametrize(
    ("shell", "position", "last"), [("zsh", "1", "explain"), ("fish", "exp", "plain,explain\tExplain")]
)
def test_the_other_shells_are_answered_in_their_way(shell: str, position: str, last: str) -> None:
    asked = {SHELL_VARIABLE: f"{shell}_complete", "COMP_WORDS": "penstock exp", "COMP_CWORD": position}
    done = subprocess.run(command(), env={**environment(), **asked}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert last in done.stdout
    assert "Explain what happened in RUN" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shells_lines_are_printed(shell: str) -> None:
    text = penstock("completion", shell).stdout
    assert f"{SHELL_VARIABLE}={shell}_complete" in text
    found = shutil.which(shell)
    if found is not None:  # the shell's own opinion of them
        assert subprocess.run([found, "-n"], input=text, text=True, check=False).returncode == 0


def test_bash_itself_completes(tmp_path: Path) -> None:
    """With the lines loaded as ~/.bashrc would, and Tab as the shell's own machinery does it."""
    program = tmp_path / "penstock"
    program.write_text(f'#!/bin/sh\nexec {" ".join(command())} "$@"\n')
    program.chmod(0o755)
    asked = """
        eval "$(penstock completion bash)"
        COMP_WORDS=(penstock control re) COMP_CWORD=2
        _penstock_completion penstock re control
        echo "${COMPREPLY[@]}"
    """
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--norc", "-c", asked],
        env={**environment(), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["refuse", "resume"], "")
