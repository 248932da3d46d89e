"""The command line: one group, one file for each command, imported when it is called."""

import logging
import sys
from typing import NoReturn

import click

from penstock.cli.grouped_help import SHELL_VARIABLE, Grouped
from penstock.cli.lazy_command import LazyCommand
from penstock.cli.output import VisibleFormatter, say
from penstock.cli.standard_streams import NO_MORE_ROOM, complete_streams, spill_output
from penstock.errors import TRIED_AGAIN, ConfigError, OutageError, PenstockError, unreachable
from penstock.extras import MissingExtraError, extra_of
from penstock.governing.last_word import LAST_WORD

_COMMANDS = {  # by what one wants to do; each line is the first sentence of the command's own help
    "Try it": {
        "demo": "Run four tenants on a real, embedded Spark: under FIFO, under FAIR, then governed.",
        "simulate": "Run SCENARIO (a YAML file) on the simulated cluster and check its claims.",
    },
    "Before it runs": {
        "check": "Check a YAML file (tenants, scenario or job to plan) without starting anything.",
        "advise": "Show how well an ungoverned run met its intents, and what would have helped.",
        "doctor": "Check what the installed Spark supports, how a session is configured, and what to change.",
        "plan": "Plan threads, slots and machines of JOB (YAML file or name of a DAG) for a rate.",
        "profile": "Measure the peak rate of each TASK on one slot, or of a JOB on several numbers of executors.",
        "route": "Compute which server should hold which key, so that fewer rows cross the network.",
    },
    "Govern": {
        "run": "Start all tenants of the file TENANTS (YAML) in one Spark application and govern them.",
        "attach": "Govern a running driver from outside: Scala, SQL or a declarative pipeline.",
        "submit": "Start one application per tenant of the file TENANTS. Ctrl-C ends them all.",
        "control": "Pause or resume a running controller, change intents, turn levers, answer proposals.",
        "coordinate": "Divide a cluster's executors among many applications, whose agents report here.",
    },
    "See what happens, and why": {
        "serve": "Serve the dashboard, the API and Prometheus metrics of a store.",
        "top": "Show tenants live, like top: who is in trouble, why, what was done and whether it helped.",
        "explain": "Explain what happened in RUN, and why.",
        "report": "Summarise RUN, in the terminal or with --html as a page.",
        "diff": "Compare two recorded runs, A and B: utility in total and of each tenant.",
    },
    "Tools": {
        "intents": "Show what the tenants of FILE ask for. FILE is a tenants file or has OpenSLO documents.",
        "policies": "List the policies, one line each.",
        "extensions": "List the policies, engines, clusters, notifiers and sinks that other packages add.",
        "cluster": "Run a Spark cluster on this machine: standalone, YARN or Kubernetes.",
        "kafka": "Run a Kafka broker (KRaft mode) on loopback, with jars from the Maven registry.",
        "load": "Send rows to a Kafka topic along a rate curve, no matter how fast they are read.",
        "completion": "Print the completion script for SHELL: commands, options, policies and names of runs.",
    },
}
EXAMPLE = """
\b
First steps:
  penstock demo                             two minutes, nothing to set up
  penstock check tenants.yaml               a file of your own, without Spark
  penstock run tenants.yaml --dashboard
  penstock explain last                     what was done, and why
  penstock explain --help                   every command's help has examples
"""


@click.group(
    cls=Grouped, epilog=EXAMPLE, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(package_name="penstock")
def cli() -> None:
    """Govern Spark Structured Streaming jobs by their intents, and explain every decision."""


for _heading, _commands in _COMMANDS.items():
    for _name, _summary in _commands.items():
        cli.add_under(_heading, LazyCommand(_name, _summary))


def main() -> None:
    """Run a command, and leave a last word where a supervisor wants one."""
    try:
        _run()
    except SystemExit as end:
        LAST_WORD.leave(end.code if isinstance(end.code, int) else int(end.code is not None))
        raise


def _run() -> None:
    """What the user can mend is one message and an exit code, never a traceback.

    SIGPIPE stays ignored, as Python has it: with its default action whoever hangs up on a server of ours before the
    answer is written would end the process, without a word. A reader of our words that goes away, such as `head`, is
    an error that click takes for the end.
    """
    complete_streams()
    if logging.lastResort is not None:  # what a command's log is written by, unless it says otherwise
        logging.lastResort.setFormatter(VisibleFormatter())
    try:
        code = cli(prog_name="penstock", complete_var=SHELL_VARIABLE, standalone_mode=False)
        sys.stdout.flush()  # what cannot be written is known now, not once nobody can be told
        sys.exit(code)
    except click.ClickException as error:
        _show(error)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say("stopped", err=True)
        sys.exit(130)
    except ModuleNotFoundError as error:
        extra = extra_of(error.name)
        if extra is None:
            raise
        _refuse(MissingExtraError(extra, str(error.name).partition(".")[0]))
    except PenstockError as error:
        _refuse(error)
    except PermissionError as error:
        if error.filename is None:  # of no file
            raise
        _refuse(unreachable(error))
    except OSError as error:
        _unwritten(error)


def _unwritten(error: OSError) -> NoReturn:
    """A disk or a reader that takes no more, as of standard output; any other error of the system is a defect."""
    if error.errno not in NO_MORE_ROOM and not isinstance(error, BrokenPipeError):
        raise error
    spill_output()
    if isinstance(error, BrokenPipeError):  # the reader has all that it wanted, as click has it
        sys.exit(1)
    why = f"free space, or have it written elsewhere ({error.strerror})"
    _refuse(ConfigError("what is written", error.filename or "standard output", why))


def _refuse(error: PenstockError) -> NoReturn:
    remedy = f"; {error.remedy.removesuffix(TRIED_AGAIN)}" if isinstance(error, OutageError) and error.remedy else ""
    for line in str(error).splitlines():  # a file may have several mistakes
        say(f"penstock: {line}{remedy}", err=True)
    sys.exit(error.exit_code)


def _show(error: click.ClickException) -> None:
    """A wrong option or argument in one line, too; a group without a command shows its help."""
    if error.format_message().count("\n") > 0 or not isinstance(error, click.UsageError):
        error.show()
        return
    below = "" if error.ctx is None else error.ctx.command_path.removeprefix(error.ctx.find_root().command_path)
    say(f"penstock: {error.format_message()} See: penstock{below} --help", err=True)


if __name__ == "__main__":
    main()
