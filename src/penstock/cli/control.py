"""`penstock control`: ask a running controller for something, from any terminal that reaches its store."""

import time
from typing import Any

import click

from penstock.cli.completing import run_names
from penstock.cli.grouped_help import GroupedHelp
from penstock.cli.lever_commands import LEVER_COMMANDS, LeverCommand, lines_of
from penstock.cli.output import say, write_json
from penstock.cli.recorded import json_option, store_option
from penstock.core.asked.orders import Act
from penstock.core.safe_text import visible

EXAMPLE = """
\b
Examples:
  penstock control show
  penstock control pause
  penstock control intent fraud --latency 1s --percentile 95 --utility 40
  penstock control approve 3
  penstock control levers
  penstock control bound fraud 2000
"""


@click.group(cls=GroupedHelp, epilog=EXAMPLE)
def control() -> None:
    """Pause or resume a running controller, change intents, turn levers, answer proposals.

    Each lever has a command named by its kind; `levers` lists all levers. Each command takes --run, the id or name of
    a run; the default is the newest run. Every request is recorded with who asked and when.
    """


run_option = click.option(
    "--run", "run_name", default="last", show_default=True, shell_complete=run_names, help="Id or name of the run."
)


def _plain(act: Act, about: str) -> None:
    @control.command(act.value, help=about, epilog=f"Example: penstock control {act.value}")
    @run_option
    @store_option
    def command(run_name: str, store: str | None) -> None:
        _asked(store, run_name, act)


_plain(Act.PAUSE, "Stop deciding until resumed. Figures are still recorded.")
_plain(Act.RESUME, "Decide again after a pause.")
_plain(Act.DRY_RUN, "Record decisions, but do not carry them out.")
_plain(Act.DO, "End a dry run: carry out decisions again.")


@control.command("intent", epilog="Example: penstock control intent fraud --latency 1s --percentile 95 --utility 40")
@click.argument("job")
@click.option("--latency", help="Highest latency, such as 2s.")
@click.option("--percentile", type=float, help="Percentile of the latency. Default: the mean.")
@click.option("--juice", type=float, help="Smallest share of the input, such as 0.9.")
@click.option("--recovery", help="Longest recovery, such as 60s.")
@click.option("--utility", type=float, default=1.0, show_default=True, help="Worth of meeting the intent.")
@run_option
@store_option
def intent(job: str, run_name: str, store: str | None, **stated: str | float | None) -> None:
    """Change the intent of JOB from the next cycle on."""
    from penstock.config.intents import IntentPart  # pydantic takes a quarter of a second to import
    from penstock.config.problems import checked

    part = checked(IntentPart, {name: value for name, value in stated.items() if value is not None}, "intent")
    _asked(store, run_name, Act.INTENT, job=job, intents=(part,))


def _answer(act: Act, about: str) -> None:
    @control.command(act.value, help=about, epilog=f"Example: penstock control {act.value} 3")
    @click.argument("proposal", type=click.IntRange(1))
    @run_option
    @store_option
    def command(proposal: int, run_name: str, store: str | None) -> None:
        _asked(store, run_name, act, proposal=proposal)


_answer(Act.APPROVE, "Approve PROPOSAL: it will be carried out.")
_answer(Act.REFUSE, "Reject PROPOSAL: it will not be carried out.")


@control.command("start", epilog="Example: penstock control start fraud")
@click.argument("job")
@run_option
@store_option
def start(job: str, run_name: str, store: str | None) -> None:
    """Start a stopped JOB now, without waiting for the next attempt."""
    _asked(store, run_name, Act.START, job=job)


def _turn(lever: LeverCommand) -> None:
    def command(run_name: str, store: str | None, **given: str) -> None:
        *about, value = lever.takes
        turn = {"kind": lever.kind, "value": lever.read(given[value]), **{name: given[name] for name in about}}
        _asked(store, run_name, Act.TURN, **turn)
        _say_when_idle(store, run_name)

    for name in reversed(lever.takes):
        command = click.argument(name)(command)
    # A negative number is a value that cannot be used, rather than an option that is not known.
    how: dict[str, Any] = {"context_settings": {"ignore_unknown_options": True}, "help": lever.about}
    control.command(lever.kind, epilog=f"Example: {lever.example}", **how)(run_option(store_option(command)))


for _lever in LEVER_COMMANDS:
    _turn(_lever)


@control.command("levers", epilog="Example: penstock control levers --run shop")
@run_option
@store_option
def levers(run_name: str, store: str | None) -> None:
    """List all levers as of the newest cycle: value, pending value, limits, and what a change disturbs."""
    from penstock.calls.control import levers as standing

    for line in lines_of(standing(run_name, store)):
        say(line)


@control.command("show", epilog="Example: penstock control show --json - | jq .proposals")
@run_option
@json_option
@store_option
def show(run_name: str, json_out: str | None, store: str | None) -> None:
    """Show the state of the controller, its proposals, and who asked for what."""
    from penstock.calls.opening import opened as of_run
    from penstock.telling.life import life_text
    from penstock.telling.words import moves_text

    if json_out is not None:
        write_json(json_out, _standing(store, run_name))
        return
    with of_run(store, run_name) as (opened, run_id):
        card = opened.desk.card(run_id)
        if card is None or not card.alive(time.time()):
            said = "" if card is None else life_text(card.sign.life(time.time()), card.sign, time.time())
            say(f"{run_id}: no controller is running. {said}".rstrip(". "))
        else:
            stands = f"paused by {visible(card.paused_by)}" if card.paused_by else "governing"
            say(f"{run_id}: {stands}{', dry run' if card.dry_run else ''}")
        for proposal in opened.desk.proposals(run_id):
            what = f"{moves_text(proposal.decision.moves)}; {proposal.decision.why}"
            say(visible(f"proposal {proposal.number} ({proposal.answer.value}): {what}"))
        for entry in opened.audit(run_id):
            at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry.at_epoch_s))
            say(visible(f"{at} {entry.who}: {entry.act} {entry.detail}".rstrip()))


def _standing(store: str | None, run_name: str) -> dict[str, Any]:
    """The same as a document: the controller as the API has it, every proposal, and the audit log."""
    from penstock.calls.opening import opened as of_run
    from penstock.web.decision_list import proposed
    from penstock.web.feed import plain
    from penstock.web.reading import Reader

    with of_run(store, run_name) as (opened, run_id):
        control = plain(Reader(opened).control(run_id))
        proposals = [plain(proposed(proposal)) for proposal in opened.desk.proposals(run_id)]
        audit = [plain(entry) for entry in opened.audit(run_id)]
    return {"run": run_id, **control, "proposals": proposals, "audit": audit}


def _asked(store: str | None, run_name: str, act: Act, **about: Any) -> None:
    from penstock.calls.control import asked  # the database takes half a second to import

    run_id = asked(store, run_name, {"act": act, **about}, "command line")
    say(f"{act.value}: the controller of {run_id} has received it", err=True)


def _say_when_idle(store: str | None, run_name: str) -> None:
    """Nothing is turned by a controller that is paused or in a dry run, and who asks should know."""
    from penstock.calls.opening import opened as of_run

    with of_run(store, run_name) as (opened, run_id):
        card = opened.desk.card(run_id)
    if card is not None and card.paused_by is not None:
        say(
            f"not carried out: {visible(card.paused_by)} has paused the controller. Resume it, then ask again", err=True
        )
    elif card is not None and card.dry_run:
        say("recorded, but not carried out: this is a dry run", err=True)
