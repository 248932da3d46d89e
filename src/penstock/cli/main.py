"""The command line: one group, one file for each command."""

import signal
import sys

import click

from penstock.cli.cluster import cluster
from penstock.cli.control import control
from penstock.cli.demo import demo
from penstock.cli.explain import explain_command
from penstock.cli.kafka import kafka
from penstock.cli.load import load
from penstock.cli.plan import plan
from penstock.cli.policies import policies
from penstock.cli.profile import profile
from penstock.cli.report import report_command
from penstock.cli.route import route_command
from penstock.cli.run import run
from penstock.cli.serve import serve
from penstock.cli.simulate import simulate
from penstock.cli.top import top
from penstock.errors import PenstockError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="penstock")
def cli() -> None:
    """penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""


cli.add_command(demo)
cli.add_command(run)
cli.add_command(serve)
cli.add_command(top)
cli.add_command(control)
cli.add_command(simulate)
cli.add_command(profile)
cli.add_command(explain_command)
cli.add_command(report_command)
cli.add_command(plan)
cli.add_command(policies)
cli.add_command(cluster)
cli.add_command(route_command)
cli.add_command(kafka)
cli.add_command(load)


def main() -> None:
    """Run a command; what the user can mend is one message and exit code 2, never a traceback."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        sys.exit(cli(standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except PenstockError as error:
        click.echo(f"penstock: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
